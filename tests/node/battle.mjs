// Watches a battle in a browser: live until its end, then turn by turn, then its proof; and the pages of the arena.
//
//   node battle.mjs URL MATCH [FOLDER]
//
// Prints one line of JSON for each step. With FOLDER, pictures of the pages go there. BROWSER names the Chromium to use.

import { browser, inspect, say } from "./browser.mjs";

const [url, match, folder] = process.argv.slice(2);
const address = `${url}/replays/${match}`;
const complaints = [];
const hosts = new Set();

/** A page whose errors and connections are noted. */
async function opened(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  return page;
}

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
const findings = [];
const reader = await opened({});
for (const path of paths) {
  await reader.goto(`${url}${path}`);
  findings.push(...(await inspect(reader, path.replaceAll("/", "-").slice(1, 20), folder)));
}
const plain = await opened({ javaScriptEnabled: false });
await plain.goto(address);
const readable = await plain.locator("#turns .turn:visible").count();
// The browser itself notes the status of the page that does not exist.
const errors = complaints.filter((complaint) => !complaint.includes("status of 404"));
say("checked", { complaints: errors, hosts: hosts.size, title: (await page.title()) === title, findings, plain: readable });
await browser.close();
