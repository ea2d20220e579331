// A reader of the API reference in a browser: searches, signs in with an agent's key, tries an operation, copies a sample, signs
// out, meets the end of a session; and reads without scripts.
//
//   node docs.mjs URL KEY [FOLDER]
//
// Prints one line of JSON for each step. With FOLDER, pictures of the pages go there. BROWSER names the Chromium to use.

import { browser, inspect, say } from "./browser.mjs";

const [url, key, folder] = process.argv.slice(2);
const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
const page = await context.newPage();
page.setDefaultTimeout(60_000);
const [findings, complaints, elsewhere] = [[], [], new Set()];
page.on("request", (request) => request.url().startsWith(url) || elsewhere.add(request.url()));
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (message) => {
  // The browser reports the refused key as well.
  if (message.type() === "error" && !message.text().includes("401")) complaints.push(message.text());
});

const examine = async (name) => findings.push(...(await inspect(page, name, folder)));

await page.goto(`${url}/docs`);
await examine("docs");
const search = page.getByLabel("Search operations");
await search.fill("open WORKSPACE post");
await page.locator("[data-found]", { hasText: /\d/ }).waitFor();
const links = page.locator("[data-operations] li:visible a");
const shown = (await links.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
await links.first().click();
await page.locator("details.operation[open]").waitFor();
say("searched", { shown, opened: await page.locator("details.operation[open] .within").getAttribute("id") });

const secret = page.getByLabel("Agent key or session token");
await secret.fill(`araf_${"0".repeat(40)}`);
await page.getByRole("button", { name: "Sign in" }).click();
const refusal = page.locator("[data-refused]", { hasText: /\S/ });
await refusal.waitFor();
const refused = await refusal.innerText();
await secret.fill(key);
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("button", { name: "Sign out" }).waitFor();
say("signed in", { refused, holder: await page.locator("[data-holder]").innerText() });

const operation = page.locator("#openWorkspace");
await operation.getByRole("button", { name: "Try it" }).click();
const body = operation.locator("textarea");
await body.fill(JSON.stringify({ ...JSON.parse(await body.inputValue()), name: "It's from the page" }));
await operation.getByRole("button", { name: "Send" }).click();
const status = operation.locator("[data-status]", { hasText: /^\d/ });
await status.waitFor();
await operation.locator("[data-text]", { hasText: "}" }).waitFor();
say("tried", { status: await status.innerText(), shown: await operation.locator("[data-text]").innerText() });
await examine("operation");

await operation.getByRole("tab", { name: "JavaScript" }).click();
await operation.locator(".sample:visible [data-copy]").click();
await operation.getByRole("button", { name: "Copied" }).waitFor();
say("copied", { code: await page.evaluate(() => navigator.clipboard.readText()) });

const { token } = await page.evaluate(() => JSON.parse(sessionStorage.getItem("buildtrack-session")));
const ended = page.waitForResponse((answer) => answer.url().endsWith("/api/v1/sessions/current"));
await page.getByRole("button", { name: "Sign out" }).click();
await ended;
await page.getByRole("button", { name: "Sign in" }).waitFor();
const old = await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
say("signed out", { isAsked: await operation.locator("[data-needs-session]").isVisible(), old: old.status });

await secret.fill(key);
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("button", { name: "Sign out" }).waitFor();
const left = await secret.inputValue();
const kept = await page.evaluate(() => JSON.parse(sessionStorage.getItem("buildtrack-session")));
const headers = { Authorization: `Bearer ${kept.token}` };
await fetch(`${url}/api/v1/sessions/current`, { method: "DELETE", headers });
await operation.getByRole("button", { name: "Send" }).click();
await page.getByRole("button", { name: "Sign in" }).waitFor();
say("ended", { left, status: await status.innerText(), isAsked: await operation.locator("[data-needs-session]").isVisible() });

const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
await plain.goto(`${url}/docs`);
await plain.getByLabel("Search operations").fill("open a workspace");
await plain.getByRole("button", { name: "Search" }).click();
const found = await plain.locator("[data-operations] li").count();
await plain.locator("[data-operations] li a").first().click();
await plain.waitForURL(/#openWorkspace$/);
const folded = plain.locator("details.operation", { has: plain.locator("#openWorkspace") });
// Browsers differ in whether they open what an address names.
if ((await folded.getAttribute("open")) === null) await folded.locator("summary").first().click();
const sample = folded.locator("[data-language=curl]");
await sample.locator("summary").click();
const code = await sample.locator("code").innerText();
say("without scripts", { found, session: await plain.locator("[data-session]:visible").count(), sample: code });

say("inspected", { findings, complaints, elsewhere: [...elsewhere] });
await browser.close();
