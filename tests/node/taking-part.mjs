// An owner takes part in a browser: opens a track, invites, reads an agent's message when it arrives, replies, accepts, ships, hands
// the track over, writes in the forum, and asks for a higher limit. Then another owner reports the post, an operator hides it by
// API, its author appeals, and the operator restores it.
//
//   node taking-part.mjs URL OPERATOR_TOKEN [FOLDER]
//
// Prints one line of JSON for each step. With FOLDER, pictures of the pages go there. BROWSER names the Chromium to use.

import { browser, inspect, say } from "./browser.mjs";

const [url, operator, folder] = process.argv.slice(2);
const HOSTILE = "</textarea></bdi><img src=x onerror=document.title=1><script>document.title=1</script>\"'";
const PICTURE = "</bdi><img src=x onerror=document.title=1>";
const findings = [];
const complaints = [];

const examine = async (page, name) => findings.push(...(await inspect(page, name, folder)));

/** Sends a request to the API. */
async function api(path, body, token) {
  const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
  const method = body === null ? "GET" : "POST";
  return fetch(`${url}${path}`, { method, headers, body: body ? JSON.stringify(body) : undefined });
}

/** Opens an account in a browser of its own, and signs in. */
async function signIn(options, name, email) {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${url}/portal/sign-up`);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Open the account", exact: true }).click();
  await page.locator("[role=status]").waitFor();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Your agents" }).waitFor();
  return page;
}

async function takePart(options, name, isScripted) {
  const page = await signIn(options, "Ada", `${name}@example.org`);
  const look = async (place) => isScripted && (await examine(page, place));
  const send = (button) => page.getByRole("button", { name: button, exact: true }).first().click();
  const fill = (label, text) => page.getByLabel(label, { exact: true }).fill(text);
  const status = () => page.locator("#facts .status").innerText();

  await page.goto(`${url}/portal/agents/new`);
  await page.getByLabel("Name").fill("Scout");
  await page.getByLabel("Language model").fill("claude-opus-4-8");
  await send("Register the agent");
  const key = await page.locator("#key").innerText();
  const { token, agentId } = await (await api("/agent-login", { key })).json();

  await page.goto(`${url}/portal/build`);
  await look("discussions");
  await page.getByRole("link", { name: "Open a track" }).click();
  await fill("Name of the track", `Signed pushes ${PICTURE}`);
  await fill("Description", "x");
  await page.evaluate(() => {
    const description = document.getElementById("track-description");
    description.removeAttribute("maxlength");
    description.value = "x".repeat(2001);
  });
  await send("Open a track");
  await page.locator(".field-error").waitFor();
  await fill("Description", "Agents poll.\nLet us **push**.");
  await send("Open a track");
  await page.locator("#facts").waitFor();
  const address = new URL(page.url()).pathname;
  const trackId = address.split("/").at(-1);
  say("opened", { status: await status(), heading: await page.locator("h1").innerText() });

  await page.getByText("Invite agents and people").click();
  await fill("Agent or person", `Nobody ${PICTURE}`);
  await send("Invite");
  await page.locator(".field-error").waitFor();
  await look("not-invited");
  await fill("Agent or person", agentId);
  await send("Invite");
  await page.locator(".field-error").waitFor({ state: "detached" });
  await page.getByText("Invite agents and people").click();
  const invitations = page.locator("button[name=uninvite]");
  await invitations.first().waitFor();
  const pending = await invitations.count();
  await page.getByRole("button", { name: "Withdraw the invitation of Scout" }).click();
  await invitations.waitFor({ state: "detached" });
  say("invited", { pending, left: await invitations.count() });

  await page.evaluate(() => (window.stays = true));
  if (isScripted) await page.getByText("Live: new messages appear here.").waitFor();
  await api(`/api/v1/workspaces/${trackId}/members`, undefined, token);
  const solution = { kind: "solution", content: `We sign the body. ${HOSTILE}`, upvotes: 0 };
  const posted = await (await api(`/api/v1/workspaces/${trackId}/messages`, solution, token)).json();
  if (!isScripted) await page.goto(`${url}${address}`);
  const card = page.locator(`#messages article[id="${posted.id}"]`);
  await card.getByText("We sign the body.").waitFor();
  const stays = await page.evaluate(() => window.stays === true);
  await look("track");
  say("arrived", { stays, title: (await page.title()).startsWith("Signed pushes") });

  await card.getByRole("button", { name: "▲ Vote" }).click();
  await card.getByRole("button", { name: "Take the vote back" }).waitFor();
  await card.getByRole("link", { name: "Reply" }).click();
  await page.getByText("You reply to Scout.").waitFor();
  await page.getByLabel("question", { exact: true }).check();
  await fill("Text", `Which bytes? ${HOSTILE}`);
  await send("Post the message");
  const reply = page.locator("#messages article.depth1");
  await reply.waitFor();
  const pictures = await page.locator("main img, main script").count();
  await reply.getByRole("link", { name: "Withdraw" }).click();
  await send("Withdraw for good");
  await reply.getByText("Its author has withdrawn this text.").waitFor();
  say("replied", { pictures, chip: await reply.locator(".chip").innerText() });

  await card.getByRole("button", { name: "Accept as the solution" }).click();
  await page.locator("#solution article").waitFor();
  const resolved = await status();
  await look("resolved");
  await fill("What was released", "Pushes are signed.");
  await page.getByLabel("Links").fill("https://build.example/releases/1");
  await send("Ship the track");
  await page.locator(".shipped").waitFor();
  say("shipped", { resolved, status: await status(), link: await page.locator(".shipped a").innerText() });
  await page.goto(`${url}/build/${trackId}`);
  await page.getByRole("link", { name: "Take part" }).click();
  await page.locator("#write").waitFor();
  const back = new URL(page.url()).pathname === address;
  await page.getByText("Manage the members").click();
  await page.getByRole("link", { name: "Hand the track over" }).click();
  const heir = page.locator("button[name=owner]");
  await heir.waitFor();
  await look("hand-over");
  await heir.click();
  await heir.waitFor({ state: "detached" });
  const { ownerId } = await (await api(`/api/v1/workspaces/${trackId}`, null)).json();
  say("handed over", { isAgents: ownerId === agentId });

  await page.goto(`${url}/portal/forum/new`);
  await fill("Title", `Which bytes ${HOSTILE}`);
  await fill("Text", "The body, or all?");
  await send("Post it");
  await page.locator("#write").waitFor();
  const postId = new URL(page.url()).pathname.split("/").at(-1);
  await api(`/api/v1/forum/posts/${postId}/replies`, { body: "The exact body." }, token);
  await page.goto(`${url}/portal/forum/${postId}`);
  await page.getByRole("button", { name: "Accept as the solution" }).click();
  await page.locator(".text-card.solution").first().waitFor();
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await fill("Text", "The body, or its digest?");
  await send("Save");
  await page.getByText("The body, or its digest?").waitFor();
  await look("post");
  say("asked", { back, edited: (await page.getByText(/edited/).count()) > 0 });

  await page.goto(`${url}/portal/usage`);
  await look("usage");
  await page.getByRole("link", { name: "Ask for a higher tier" }).click();
  await page.getByLabel("What you need it for").fill("A class of thirty.");
  await send("Send the request");
  await page.getByText("Your request waits for an operator.").waitFor();
  const { tier } = await (await api(`/api/v1/agents/${agentId}`, null)).json();
  say("waits", { tier });
  return { page, postId };
}

/** A reader reports the post, an operator hides it, its author appeals, and the operator restores it. */
async function moderate({ page, postId }) {
  const reader = await signIn({}, "Grace", "grace@example.org");
  const send = (where, button) => where.getByRole("button", { name: button, exact: true }).click();
  const decide = (action) =>
    api("/api/v1/moderation/actions", { subject: postId, action, reason: `Because of ${PICTURE}` }, operator);

  await reader.goto(`${url}/portal/forum/${postId}`);
  await reader.locator(`article[id="${postId}"]`).getByRole("link", { name: "Report" }).click();
  await reader.getByLabel("What breaks the rules").fill(`Advertising ${HOSTILE}`);
  await send(reader, "Send the report");
  const pending = await reader.locator("section[aria-labelledby=reports] .state").innerText();
  await examine(reader, "reported");
  await reportAgain(reader, postId);
  const again = await reader.locator("[role=alert] strong").innerText();
  await decide("hide");
  await reader.goto(`${url}/portal/moderation`);
  say("reported", { pending, again, decided: await reader.locator("section[aria-labelledby=reports] .state").innerText() });

  await page.goto(`${url}/portal/forum/${postId}`);
  const hidden = await page.locator(`article[id="${postId}"]`).getByText("An operator has hidden this text.").count();
  await page.goto(`${url}/portal/moderation`);
  const action = await page.locator("section[aria-labelledby=decisions] .state").innerText();
  await page.getByText("Appeal against this decision").click();
  await page.getByLabel("Your statement").fill(`It was none. ${HOSTILE}`);
  await send(page, "Appeal");
  await page.getByText("The operators have your appeal.").waitFor();
  await examine(page, "appealed");
  const appeals = await page.getByText("Appeal against this decision").count();
  const loaded = await page.locator("main img, main script").count();
  const { items } = await (await api("/api/v1/moderation/appeals?open=true", null, operator)).json();
  await decide("restore");
  await page.goto(`${url}/portal/forum/${postId}`);
  const restored = await page.getByText("The body, or its digest?").count();
  const pictures = loaded + (await page.locator("main img, main script").count());
  say("moderated", { hidden, action, appeals, open: items.length, restored, pictures });
}

/** Files the same report again. */
async function reportAgain(reader, postId) {
  await reader.goto(`${url}/portal/reports/new?subject=${postId}`);
  await reader.getByLabel("What breaks the rules").fill("Advertising");
  await reader.getByRole("button", { name: "Send the report", exact: true }).click();
}

const shown = await takePart({}, "ada", true);
await takePart({ javaScriptEnabled: false }, "plain", false);
await moderate(shown);
say("checked", { complaints, findings });
await browser.close();
