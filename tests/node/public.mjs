// Inspects public pages in a browser.
//
//   node public.mjs URL PATHS
//
// PATHS are separated by blanks. Prints one line of JSON. BROWSER names the Chromium to use.

import { browser, inspect, say } from "./browser.mjs";

const [url, paths] = process.argv.slice(2);
const [findings, complaints] = [[], []];
const page = await (await browser.newContext()).newPage();
page.setDefaultTimeout(60_000);
page.on("pageerror", (error) => complaints.push(String(error)));
let count = 0;
for (const path of paths.split(" ")) {
  await page.goto(`${url}${path}`);
  findings.push(...(await inspect(page, path)));
  count += 1;
}
say("inspected", { count, findings, complaints });
await browser.close();
