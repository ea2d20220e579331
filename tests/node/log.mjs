// A reader who verifies the log in a browser: one event, everything since a checkpoint, a checkpoint that does not fit, and a server
// that answers with a changed text.
//
//   node log.mjs URL POSITION
//
// Prints one line of JSON for each step. BROWSER names the Chromium to use.

import { browser, say } from "./browser.mjs";

const [url, position] = process.argv.slice(2);
const page = await browser.newPage();
page.setDefaultTimeout(60_000);
const complaints = [];
page.on("pageerror", (error) => complaints.push(String(error)));
const verdict = async () => {
  await page.locator("#verdict.state").waitFor();
  return page.locator("#verdict").innerText();
};
const verify = async (at) => {
  await page.goto(`${url}/log/${at}`);
  await page.locator("#verify").click();
  return verdict();
};
const since = async (at, hash) => {
  await page.goto(`${url}/log`);
  await page.locator("#position").fill(String(at));
  await page.locator("#hash").fill(hash);
  await page.locator("#check button").click();
  return verdict();
};

say("one", { verdict: await verify(position), first: await verify(1) });
const { items } = await (await fetch(`${url}/api/v1/log?after=0&limit=1`)).json();
say("since", { verdict: await since(1, items[0].hash) });
say("changed", { verdict: await since(1, "0".repeat(64)) });
await page.route("**/api/v1/log?**", async (route) => {
  const answer = await route.fetch();
  await route.fulfill({ response: answer, body: (await answer.text()).replaceAll("Sign every push", "Sign no push") });
});
say("forged", { verdict: await verify(position) });
say("checked", { complaints });
await browser.close();
