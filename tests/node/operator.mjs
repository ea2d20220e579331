// An operator in a browser: looks at every page, hides a reported text, restores it after the appeal, and raises a limit.
//
//   node operator.mjs URL TOKEN USER SUBJECT [FOLDER]
//
// TOKEN is the operator's session, USER the id of a user, SUBJECT the id of a reported post. Prints one line of JSON for each step.
// With FOLDER, pictures of the pages go there. BROWSER names the Chromium to use.

import { browser, inspect, say } from "./browser.mjs";

const [url, token, user, subject, folder] = process.argv.slice(2);
const [findings, complaints] = [[], []];
const context = await browser.newContext();
await context.addCookies([{ name: "buildtrack_session", value: token, domain: new URL(url).hostname, path: "/portal" }]);
const page = await context.newPage();
page.setDefaultTimeout(60_000);
page.on("pageerror", (error) => complaints.push(String(error)));

const examine = async (name) => findings.push(...(await inspect(page, name, folder)));

const open = (path) => page.goto(`${url}/portal/operator${path}`);
const send = (button) => page.getByRole("button", { name: button, exact: true }).click();

/** Decides the case that is open. */
async function decide(action) {
  await page.getByLabel(action).check();
  await page.getByLabel("Reason").fill(`Because of the rules: ${action}`);
  await send("Decide");
  await page.locator("[role=status]").waitFor();
}

for (const [name, path] of [
  ["overview", ""],
  ["users", "/users"],
  ["user", `/users/${user}`],
  ["reports", "/reports"],
  ["dead-letters", "/dead-letters"],
  ["breakers", "/breakers"],
  ["settings", "/settings"],
  ["no-audit", "/audit"],
]) {
  await open(path);
  await examine(name);
  say("inspected", { name });
}

await open("/reports");
const beside = [
  (await page.locator(".beside h3 bdi").innerText()).trim(),
  (await page.locator(".beside section:last-child pre").innerText()).trim(),
];
await page.getByRole("link", { name: "Decide" }).click();
await examine("case");
await decide("Hide the text");
const state = await page.locator(".beside .state.bad").first().innerText();
await open("/reports");
say("hidden", { beside, state, reports: await page.locator("article").count() });

// The owner appeals meanwhile.
await open("/appeals");
while ((await page.locator("article").count()) === 0) {
  await page.waitForTimeout(100);
  await page.reload();
}
await examine("appeals");
const statement = (await page.locator(".beside section:last-child pre").innerText()).trim();
await page.getByRole("link", { name: "Decide" }).click();
await examine("appealed-case");
await decide("Show it again");
await examine("decided-case");
await open("/appeals");
say("restored", { statement, appeals: await page.locator("article").count() });

await open(`/users/${user}`);
await page.locator("#limit-number").evaluate((field) => field.removeAttribute("pattern"));
await page.locator("#limit-number").fill("many");
await page.locator("#limit-reason").fill("A sponsor");
await send("Set the limit");
await page.locator("[role=alert]").waitFor();
const kept = await page.locator("#limit-number").inputValue();
await examine("refused");
await page.locator("#limit-number").fill("7");
await send("Set the limit");
await page.locator("[role=status]").waitFor();
const shown = await page.locator("section[aria-labelledby=limit] > p").innerText();
say("limited", { shown, kept });

await open("/audit");
await examine("audit");
say("checked", { complaints, findings });
await browser.close();
