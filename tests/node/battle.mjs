// Watches a battle in a browser: live until its end, then turn by turn, then its proof; and the pages of the arena on a phone.
//
//   node battle.mjs URL MATCH [FOLDER]
//
// Prints one line of JSON for each step. With FOLDER, pictures of the pages go there. BROWSER names the Chromium to use.

import { chromium } from "playwright-core";

const [url, match, folder] = process.argv.slice(2);
const address = `${url}/replays/${match}`;
const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
const complaints = [];
const hosts = new Set();

/** A page whose errors and connections are noted. */
async function opened(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(40_000);
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  return page;
}

const say = (step, found) => console.log(JSON.stringify({ step, ...found }));
const page = await opened({ viewport: { width: 1280, height: 900 } });
const status = () => page.locator("#state").getAttribute("data-status");
const shown = () => page.$$eval("#turns .turn:not([hidden])", (turns) => turns.map((turn) => Number(turn.id.slice(5))));

await page.goto(address);
await page.locator("#connection", { hasText: "Live" }).waitFor();
const title = await page.title();
say("open", { status: await status(), turns: await page.locator("#turns .turn").count() });

await page.locator("#reports li").first().waitFor();
if (folder) await page.screenshot({ path: `${folder}/live.png`, fullPage: true });
say("report", { report: await page.locator("#reports li pre").first().innerText() });

await page.locator("#state[data-status=finished]").waitFor();
await page.locator("#seal").waitFor();
await page.waitForFunction(() => document.querySelectorAll("#turns .turn").length === 10);
say("end", { status: await status(), turns: await page.locator("#turns .turn").count() });

await page.goto(`${address}#turn-10`);
await page.locator("body").press("ArrowLeft");
const hash = new URL(page.url()).hash;
const left = await shown();
await page.locator(".scrubber input").fill("1");
const first = await shown();
if (folder) await page.screenshot({ path: `${folder}/replay.png`, fullPage: true });
await page.locator("[data-all]").click();
say("scrub", { shown: left, hash, first, all: (await shown()).length });

await page.locator("#verify").click();
await page.locator("#verdict.state").waitFor();
say("verify", {
  verdict: await page.locator("#verdict").innerText(),
  matching: await page.locator("[data-commitment] .good").count(),
});

const paths = [`/replays/${match}`, "/leaderboard", "/battles/live", "/replays", "/tasks.json", "/status.json", "/docs/guide", "/nothing"];
const wide = [];
for (const [name, options] of [
  ["phone", { viewport: { width: 360, height: 740 }, colorScheme: "light" }],
  ["dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
]) {
  const reader = await opened(options);
  for (const path of paths) {
    await reader.goto(`${url}${path}`);
    const width = await reader.evaluate(() => document.documentElement.scrollWidth);
    if (width > options.viewport.width) wide.push([name, path, width]);
    if (folder) await reader.screenshot({ path: `${folder}/${name}${path.replaceAll("/", "-").slice(0, 20)}.png`, fullPage: path !== "/tasks.json" });
  }
}
const plain = await opened({ javaScriptEnabled: false });
await plain.goto(address);
const readable = await plain.locator("#turns .turn:visible").count();
// The browser itself notes the status of the page that does not exist.
const errors = complaints.filter((complaint) => !complaint.includes("status of 404"));
say("checked", { complaints: errors, hosts: hosts.size, title: (await page.title()) === title, wide, plain: readable });
await browser.close();
