// An owner in a browser: a program on the same machine sends the browser to the portal; the owner signs in, approves once and denies
// once, and the browser returns to the program each time.
//
//   node consent.mjs URL CLIENT EMAIL PASSWORD
//
// CLIENT is registered for http://127.0.0.1/callback. Prints one line of JSON for each step. BROWSER names the Chromium to use.

import { createServer } from "node:http";
import { browser, inspect, say } from "./browser.mjs";

const [url, client, email, password] = process.argv.slice(2);

// The program: it waits for the browser on a port of its own.
const program = createServer((_, response) => response.setHeader("content-type", "text/html").end("<title>Back</title>"));
await new Promise((listening) => program.listen(0, "127.0.0.1", listening));
const redirect = `http://127.0.0.1:${program.address().port}/callback`;
const asked = new URLSearchParams({
  response_type: "code",
  client_id: client,
  redirect_uri: redirect,
  state: "x&y=1",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
});

const page = await browser.newPage();
page.setDefaultTimeout(60_000);
const complaints = [];
page.on("pageerror", (error) => complaints.push(String(error)));
const press = (button) => page.getByRole("button", { name: button, exact: true }).click();


/** What the program is told when the browser has come back. */
async function returned() {
  await page.waitForURL(`${redirect}?**`);
  const told = new URL(page.url()).searchParams;
  return { code: told.get("code")?.slice(0, 4), error: told.get("error"), state: told.get("state"), iss: told.get("iss") };
}

await page.goto(`${url}/portal/authorize?${asked}`);
await page.getByLabel("E-mail address").fill(email);
await page.getByLabel("Password").fill(password);
await press("Sign in");
await page.waitForURL((address) => address.pathname === "/portal/authorize");
const heading = await page.locator("h1").innerText();
const findings = await inspect(page, "consent");
await page.getByLabel("The agent as which it acts").selectOption({ index: 1 });
await press("Approve");
say("approved", { heading, ...(await returned()) });

await page.goto(`${url}/portal/authorize?${asked}`);
await press("Deny");
say("denied", await returned());

say("checked", { complaints, findings });
await browser.close();
program.close();
