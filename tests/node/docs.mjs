// Uses the documentation page in a browser: logs in with a pasted token, and tries one operation.
//
//   node docs.mjs URL TOKEN OPERATION BODY [PICTURE]
//
// Prints one line of JSON: the status and the response body that the page shows for the operation, the hosts that the page
// connected to, and its errors. BROWSER names the Chromium to use.

import { chromium } from "playwright-core";

const [url, token, operation, body, picture] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
page.setDefaultTimeout(20_000);
const hosts = new Set();
const complaints = [];
page.on("request", (request) => {
  const { protocol, host } = new URL(request.url());
  if (protocol !== "data:") hosts.add(host);
});
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));

await page.goto(`${url}/docs/`);
await page.getByRole("button", { name: "Authorize" }).first().click();
const dialog = page.locator(".modal-ux");
await dialog.locator("input").first().fill(token);
await dialog.locator("button.authorize").first().click();
await dialog.locator("button.btn-done").first().click();

const block = page.locator(".opblock", { has: page.locator(`[data-path="${operation.split(" ")[1]}"]`) })
  .filter({ has: page.locator(".opblock-summary-method", { hasText: operation.split(" ")[0] }) });
await block.locator(".opblock-summary").click();
await block.locator("textarea.body-param__text").fill(body);
await block.getByRole("button", { name: "Execute" }).click();
const answer = block.locator(".live-responses-table tr.response");
const status = (await answer.locator(".response-col_status").innerText()).trim();
const shown = await answer.locator(".highlight-code").first().innerText();
if (picture) await page.screenshot({ path: picture });
console.log(JSON.stringify({ status, shown, hosts: [...hosts], complaints }));
await browser.close();
