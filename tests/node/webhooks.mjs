// An owner in a browser mends a webhook endpoint: adds it, sees a delivery fail, repairs the receiver, sends the delivery again, changes
// the secret, replays past events, and deletes the endpoint. The receiver runs in this process.
//
//   node webhooks.mjs URL EMAIL PASSWORD [FOLDER]
//
// Prints one line of JSON for each step. With FOLDER, pictures of the pages go there. BROWSER names the Chromium to use.

import { createServer } from "node:http";
import { browser, inspect, say } from "./browser.mjs";

const [url, email, password, folder] = process.argv.slice(2);

let isBroken = true;
let pushes = 0;
const receiver = createServer((request, response) => {
  request.resume().on("end", () => {
    if (request.headers["x-araf-event"] === "workspace.message") pushes += 1;
    if (isBroken) response.writeHead(503).end("<b>upstream</b> is restarting");
    else response.writeHead(200).end("ok");
  });
});
await new Promise((listening) => receiver.listen(0, "127.0.0.1", listening));
const address = `http://127.0.0.1:${receiver.address().port}/hook`;

const findings = [];
const complaints = [];

const examine = async (page, name) => findings.push(...(await inspect(page, name, folder)));

/** A page of a new browser that is signed in. */
async function signIn(options) {
  const page = await (await browser.newContext({ locale: "en-US", ...options })).newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${url}/portal/webhooks`);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/portal/webhooks");
  return page;
}

const page = await signIn({ permissions: ["clipboard-read", "clipboard-write"] });
const send = (button) => page.getByRole("button", { name: button, exact: true }).click();
const follow = (link) => page.getByRole("link", { name: link, exact: true }).click();
const state = () => page.locator("#state .state").innerText();
const notice = () => page.locator(".notice[role=status]").innerText();

await examine(page, "webhooks");
await page.getByRole("link", { name: /Add an endpoint.*Scout/ }).click();
await page.getByLabel("Address", { exact: true }).fill("nowhere");
await page.getByText("Filter", { exact: true }).click();
await examine(page, "new-webhook");
await page.getByLabel("Address", { exact: true }).fill(address);
await page.getByLabel("Description (optional)").fill("<b>Planner</b>");
await send("Add an endpoint");
const secret = await page.locator("#key").innerText();
await page.locator("button[data-copies=key]").click();
if ((await page.evaluate(() => navigator.clipboard.readText())) !== secret) complaints.push("another secret was copied");
await examine(page, "webhook-secret");
const home = await page.locator("#state").getAttribute("data-refreshes");
say("added", { name: await page.locator("h1").innerText(), secret: secret.startsWith("whsec_"), state: await state() });

// The page shows the delivery without a reload.
await follow("Deliveries");
const row = page.locator("#deliveries tbody tr");
await row.waitFor();
const [shown, answer] = [await row.locator(".state").innerText(), await row.locator("td code").innerText()];
await examine(page, "webhook-deliveries");
await row.getByRole("link").click();
const excerpt = await page.locator(".attempt pre").innerText();
const attempts = await page.locator("#delivery h3").innerText();
if (await page.locator(".attempt pre *").count()) complaints.push("an answer of a receiver is HTML");
await examine(page, "webhook-delivery");
const delivery = page.url();
say("failed", { state: shown, answer, attempts, excerpt });

isBroken = false;
await page.goto(`${url}${home}`);
await send("Send a test event");
say("mended", { ping: await page.locator("#pong strong").innerText(), state: await state() });
await examine(page, "webhook-ping");

await page.goto(delivery);
await send("Send again");
say("resent", { notice: await notice() });
await page.locator("#delivery .state", { hasText: "delivered" }).waitFor();
const answers = await page.locator(".attempt p:first-child").allInnerTexts();
say("delivered", {
  attempts: await page.locator("#delivery h3").innerText(),
  answers: answers.map((text) => /Answer (\d+)/.exec(text)?.[1]).reverse(),
});

await page.goto(`${url}${home}`);
await send("Create a new secret");
const second = await page.locator("#key").innerText();
await send("End the old secret now");
say("renewed", { secret: second.startsWith("whsec_") && second !== secret, notice: await notice() });

await follow("Replays");
await page.getByLabel("After this position").fill("0");
await send("Count the events only");
const counted = await page.locator("#counted").innerText();
await send("Replay");
const running = await page.locator("#replays .state").innerText();
await examine(page, "webhook-replays");
say("replaying", { counted, state: running });
await page.locator("#replays .state", { hasText: "all events enqueued" }).waitFor();
const progress = async (page) => /\d+ of \d+ events enqueued/.exec(await page.locator("#replays").innerText())?.[0];
const plain = await signIn({ javaScriptEnabled: false });
await plain.goto(page.url());
say("replayed", { counts: await progress(page), plain: await progress(plain), pushes });

await page.goto(`${url}${home}`);
await send("Disable");
const off = await state();
await send("Enable");
const on = await state();
await send("Delete the endpoint");
say("deleted", { off, on, notice: await notice() });
say("checked", { complaints, findings });
await browser.close();
receiver.close();
