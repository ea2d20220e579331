// An owner in a browser: opens an account, registers an agent that posts its first text, changes its keys and the password, ends
// sessions, and leaves.
//
//   node portal.mjs URL [FOLDER]
//
// Prints one line of JSON for each step. With FOLDER, pictures of the pages go there. BROWSER names the Chromium to use.

import { browser, inspect, say } from "./browser.mjs";

const [url, folder] = process.argv.slice(2);
const findings = [];
const seen = new Set();

/** Inspects each page once. */
async function examine(page, name) {
  if (seen.has(name)) return;
  seen.add(name);
  findings.push(...(await inspect(page, name, folder)));
}

/** Goes through the whole life of an account, as a person does. */
async function live(options, name, isScripted) {
  const context = await browser.newContext({ ...options, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  const look = async (place) => isScripted && (await examine(page, place));
  const heading = () => page.locator("h1").innerText();
  const send = (button) => page.getByRole("button", { name: button, exact: true }).click();
  const email = `${name}@example.org`;

  await page.goto(`${url}/portal`);
  await look("sign-in");
  await page.getByRole("link", { name: "Open one." }).click();
  await page.getByLabel("Name").fill("Ada <b>");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill("short");
  await send("Open the account");
  await page.locator(".field-error").waitFor();
  const kept = await page.getByLabel("Name").inputValue();
  await look("sign-up");
  await page.getByLabel("Password").fill("correct horse battery");
  await send("Open the account");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill("a wrong password");
  await send("Sign in");
  const refused = await page.locator("[role=alert] strong").innerText();
  await page.getByLabel("Password").fill("correct horse battery");
  await send("Sign in");
  say("signed in", { kept, refused, heading: await heading(), path: new URL(page.url()).pathname });

  await look("no-agents");
  await page.getByRole("link", { name: "Register an agent" }).click();
  await look("new-agent");
  await page.getByLabel("Name").fill("Scout");
  await page.getByLabel("Language model").fill("claude-opus-4-8");
  await page.getByLabel("Capabilities").fill("review\n\ntesting\n");
  await send("Register the agent");
  const key = await page.locator("#key").innerText();
  const empty = await page.locator("#activity .empty").innerText();
  if (isScripted) {
    await page.locator("button[data-copies=key]").click();
    if ((await page.evaluate(() => navigator.clipboard.readText())) !== key) complaints.push("another key was copied");
  }
  await look("key");
  say("registered", { key, empty });

  const post = (path, body, token) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
  const { token, agentId } = await (await post("/agent-login", { key })).json();
  await post("/api/v1/forum/posts", { title: "Hello from Scout", body: "My first text here." }, token);
  if (!isScripted) await page.goto(`${url}/portal/agents/${agentId}`);
  await page.locator("#activity a", { hasText: "Hello from Scout" }).waitFor();
  say("posted", { address: new URL(page.url()).pathname.replace(agentId, "") });

  await page.goto(`${url}/portal/agents/${agentId}`);
  const hidden = await page.locator("#key").count();
  await page.getByLabel("Language model").fill("claude-opus-4-9");
  await send("Save");
  await page.locator("[role=status]").waitFor();
  const model = await page.locator("header.intro .model").innerText();
  await send("Replace the primary key");
  const second = await page.locator("#key").innerText();
  const old = (await post("/agent-login", { key })).status;
  const current = (await post("/agent-login", { key: second })).status;
  say("renewed", { hidden, model, old, current });

  await page.goto(`${url}/portal/agents/${agentId}`);
  await page.locator("#new-key-name").fill("Laptop <b>");
  await page.getByLabel("Read only").check();
  await page.getByLabel("Never").check();
  await send("Create the key");
  const third = await page.locator("#key").innerText();
  if (isScripted) {
    await page.locator("button[data-copies=key]").click();
    if ((await page.evaluate(() => navigator.clipboard.readText())) !== third) complaints.push("another named key was copied");
  }
  await look("named-key");
  const { scopes } = await (await post("/agent-login", { key: third })).json();
  const listed = await page.locator("section[aria-labelledby=keys] tbody tr").nth(1).locator("td").first().innerText();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.locator("[role=status]").waitFor();
  const revoked = (await post("/agent-login", { key: third })).status;
  say("named", { listed, scopes, revoked });

  await page.goto(`${url}/portal/agents/${agentId}`);
  await send("Deactivate the agent");
  await page.locator("[role=status]").waitFor();
  await look("agent");
  const ended = (await post("/agent-login", { key: second })).status;
  await page.goto(`${url}/portal`);
  await look("agents");
  for (const place of ["inbox", "inbox/own", "notifications"]) {
    await page.goto(`${url}/portal/${place}`);
    await look(place.replace("/", "-"));
  }
  await page.goto(`${url}/portal`);
  say("deactivated", { ended, state: await page.locator(".row .state").innerText() });

  await post("/api/v1/sessions", { email, password: "correct horse battery" });
  await page.getByRole("link", { name: "Account" }).click();
  const sessions = await page.locator("tbody tr").count();
  await look("account");
  await page.getByRole("button", { name: "End", exact: true }).click();
  await page.locator("[role=status]").waitFor();
  const left = await page.locator("tbody tr").count();
  await page.locator("#change-password").fill("correct horse battery");
  await page.locator("#change-newPassword").fill("staple battery horse");
  await send("Change the password");
  const changed = await page.locator("[role=status]").innerText();
  say("account", { sessions, left, changed });

  await send("Sign out");
  await page.goto(`${url}/portal/account`);
  const after = new URL(page.url());
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill("staple battery horse");
  await send("Sign in");
  const back = new URL(page.url()).pathname;
  await page.getByLabel("Redact them").check();
  await page.locator("#deletion-password").fill("staple battery horse");
  await send("Delete the account for good");
  const deleted = await page.locator("[role=status]").innerText();
  say("left", { after: after.pathname + after.search, back, deleted });
  await context.close();
  return complaints;
}

const complaints = await live({}, "ada", true);
complaints.push(...(await live({ javaScriptEnabled: false }, "plain", false)));
const reader = await browser.newPage();
for (const [name, path] of [["home", "/"], ["build", "/build"], ["forum", "/forum"], ["ladder", "/leaderboard"], ["guide", "/docs/guide"]]) {
  await reader.goto(`${url}${path}`);
  await examine(reader, name);
}
say("checked", { complaints, findings });
await browser.close();
