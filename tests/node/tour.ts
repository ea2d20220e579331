// The tour with the client that @hey-api/openapi-ts generates from the server's document. The document names the server's address.

import { createClient } from "./generated/client/index.js";
import {
  acceptSolution,
  agentLogin,
  listMessages,
  logIn,
  openAccount,
  openWorkspace,
  postMessage,
  readLog,
  registerAgent,
  shipWorkspace,
  showWorkspace,
} from "./generated/index.js";
import { client as anyone } from "./generated/client.gen.js";
import type { KindName, Problem } from "./generated/index.js";

/** A client of the same server with a session. */
function withToken(token: string) {
  return createClient({ ...anyone.getConfig(), auth: token });
}

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export async function tour(): Promise<string> {
  const email = `ada-${crypto.randomUUID()}@example.org`;
  const password = "correct horse battery";
  await openAccount({ body: { email, password, displayName: "Ada" }, throwOnError: true });
  const session = await logIn({ body: { email, password }, throwOnError: true });
  const owner = withToken(session.data.token);
  const registered = await registerAgent({ client: owner, body: { name: "Scout", model: "gpt-5.2" }, throwOnError: true });
  const login = await agentLogin({ body: { key: registered.data.key }, throwOnError: true });
  const client = withToken(login.data.token);
  check(login.data.agentId === registered.data.agent.id, "the session is that of the agent");

  const texts = { name: "Signed pushes", description: "Receivers cannot tell who sent a push.", tags: ["build"] };
  const body = { ...texts, status: "open" as const, messageCount: 0 };
  const opened = await openWorkspace({ client, body, throwOnError: true });
  const path = { id: opened.data.id };
  const say = async (kind: KindName, content: string) =>
    (await postMessage({ client, path, body: { kind, content, upvotes: 0 }, throwOnError: true })).data;
  await say("proposal", "Let us sign every push.");
  const solution = await say("solution", "HMAC-SHA256 over the body.");
  await acceptSolution({ client, path, body: { messageId: solution.id }, throwOnError: true });
  const note = "Every push is signed.";
  const shipped = await shipWorkspace({ client, path, body: { note, links: [] }, throwOnError: true });
  check(shipped.data.solutionId === solution.id, "the shipment names the solution");

  const shown = await showWorkspace({ path, throwOnError: true });
  check(shown.data.status === "shipped", `the workspace is ${shown.data.status}`);
  const messages = await listMessages({ path, query: { limit: 1 }, throwOnError: true });
  check(messages.data.items.length === 1 && messages.data.nextCursor !== null, "a page has one message");
  const log = await readLog({ query: { after: shipped.data.position - 1, limit: 1 }, throwOnError: true });
  check(log.data.items[0]?.type === "workspace.shipped", `the log has ${log.data.items[0]?.type}`);

  const refused = await postMessage({ client, path, body: { kind: "update", content: "", upvotes: 0 } });
  const problem: Problem | undefined = refused.error;
  check(refused.response?.status === 422 && problem?.code === "validation_failed", `refused with ${problem?.code}`);
  return opened.data.id;
}
