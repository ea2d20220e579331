// The SDK against a real server: BUILDTRACK_URL is its address, which is its public address too, and pushes to private addresses are
// allowed. BUILDTRACK_BIN is the program `buildtrack`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { test } from "node:test";

import { ApiError, Client } from "buildtrack";
import { aapHandler, Answer, ConnectionRefused, playEvalDuel } from "buildtrack/arena";
import { toNode } from "buildtrack/node";
import { Relay, Signer } from "buildtrack/relay";
import { webhookHandler } from "buildtrack/webhooks";

import { require, root } from "../place.mjs";

const server = process.env.BUILDTRACK_URL;
const program = process.env.BUILDTRACK_BIN;
const is = (status, code) => (error) => error instanceof ApiError && error.status === status && (!code || error.code === code);
const guess = (task) => new Answer(task.options?.[0] ?? "42", { rationale: "This test always guesses.", confidence: 0.5 });

async function newOwner() {
  const account = { email: `ada-${crypto.randomUUID()}@example.org`, password: "correct horse battery" };
  await new Client(server).openAccount({ ...account, displayName: "Ada" });
  return new Client(server, account);
}

/** Serves until the test ends; gives the port. */
async function serve(t, application, port = 0) {
  const listening = createServer(application).listen(port, "127.0.0.1");
  await once(listening, "listening");
  t.after(() => listening.close().closeAllConnections());
  return listening.address().port;
}

test("the README works when pasted", async () => {
  const readme = readFileSync(join(root, "sdk/typescript/README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```/gms)].map(([, block]) => block.replaceAll("http://127.0.0.1:8080", server));
  assert.ok(blocks.length > 8);
  const file = new URL(`./readme-${process.pid}.mjs`, import.meta.url);
  writeFileSync(file, `${blocks.join("\n")}\nexport { owner, scout };\n`);
  try {
    const { owner, scout } = await import(file);
    const { items } = await owner.listResults(scout.agent.id).first();
    assert.deepEqual(items.map(({ mode }) => mode), ["sparring"]);
  } finally {
    rmSync(file);
  }
});

test("a session is renewed when the server has ended it, and ended by close", async () => {
  const owner = await newOwner();
  const { key, agent } = await owner.registerAgent({ name: "Scout", model: "gpt-5.2" });
  const client = new Client(server, { key });
  assert.equal((await client.showMe()).id, agent.id);
  await client.logOut();
  assert.equal((await client.showMe()).id, agent.id);
  await client.close();
  await assert.rejects(new Client(server, { key: `araf_${"0".repeat(40)}` }).showMe(), is(401));
});

test("an ETag guards an edit, and a repeat with the same key gives the first answer", async () => {
  const owner = await newOwner();
  const { agent } = await owner.registerAgent({ name: "Scout", model: "gpt-5.2" });
  const shown = await owner.request({ method: "GET", path: `/api/v1/agents/${agent.id}` });
  const options = { ifMatch: shown.headers.get("etag") };
  await owner.editAgent(agent.id, { description: "one" }, options);
  await assert.rejects(owner.editAgent(agent.id, { description: "two" }, options), is(412, "precondition_failed"));
  await assert.rejects(owner.showWorkspace("ws_01h2e8kqvbfwea724h75qc655w"), is(404));
  const open = (options) => owner.openWorkspace({ name: "Track", description: "d" }, options);
  const [first, again] = [await open({ idempotencyKey: "k1" }), await open({ idempotencyKey: "k1" })];
  assert.equal(first.id, again.id);
  assert.notEqual(first.id, (await open()).id);
});

test("every message is listed once, and every event is streamed once", async () => {
  const owner = await newOwner();
  const track = await owner.openWorkspace({ name: "Track", description: "d", tags: ["build"] });
  const written = [];
  for (let number = 0; number < 7; number += 1) {
    const content = `number ${number} ${crypto.randomUUID()} ${crypto.randomUUID()}`;
    written.push((await owner.postMessage(track.id, { kind: "update", content })).id);
  }
  const listed = [];
  for await (const { id } of owner.listMessages(track.id, { order: "asc", limit: 3 })) listed.push(id);
  assert.deepEqual(listed, written);
  const streamed = [];
  for await (const { data } of owner.followWorkspace(track.id, { after: 0, types: ["message.posted"] })) {
    if (streamed.push(data.stream) === 7) break;
  }
  assert.deepEqual(streamed, written);
});

test("an Express receiver verifies a real push", async (t) => {
  const owner = await newOwner();
  const { agent, key, webhookSecret } = await owner.registerAgent({ name: "Scout", model: "gpt-5.2", webhookEvents: ["workspace.message"] });
  const pushed = Promise.withResolvers?.() ?? withResolvers();
  const application = require("express")();
  application.post("/hook", toNode(webhookHandler(webhookSecret, pushed.resolve)));
  const port = await serve(t, application);
  await owner.editAgent(agent.id, { webhookUrl: `http://127.0.0.1:${port}/hook` });
  const client = new Client(server, { key });
  const track = await client.openWorkspace({ name: "Track", description: "d" });
  await owner.joinWorkspace(track.id);
  await owner.postMessage(track.id, { kind: "proposal", content: "Sign every push. 🤝" });
  const push = await pushed.promise;
  assert.deepEqual([push.event, push.data.content], ["workspace.message", "Sign every push. 🤝"]);
  for await (const pulled of client.pullEvents(agent.id, { after: push.sequence - 1 })) {
    assert.deepEqual([pulled.sequence, pulled.body], [push.sequence, push.body]);
    break;
  }
  for await (const streamed of client.followPushes(agent.id, { after: push.sequence - 1 })) {
    assert.deepEqual([streamed.sequence, streamed.body], [push.sequence, push.body]);
    break;
  }
});

function withResolvers() {
  let resolve;
  const promise = new Promise((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

test("a party of the relay is listed, linked and withdrawn", async () => {
  const relay = new Relay(server, await Signer.from(Signer.newSeed()));
  const owner = await newOwner();
  const pricing = { model: "fixed", currency: "USD", fixed_price: 0.01 };
  await relay.register("Scout", [{ id: "cap_1", name: "Translate", version: "1.0", intents: [{ id: "translation.en_zh", name: "Translate" }], pricing }]);
  assert.equal((await relay.heartbeat("busy")).status, "busy");
  const { agent } = await owner.registerAgent({ name: "Scout", model: "gpt-5.2" });
  assert.equal((await relay.link(owner, agent.id)).did, relay.signer.did);
  const envelope = await relay.send("REQUEST", { intent: "translation.en_zh" }, { thread: `thread_${crypto.randomUUID()}` });
  assert.equal((await relay.client.submitEvent(envelope)).duplicate, true);
  const other = await relay.envelope("REQUEST", { intent: "x.y" }, { id: envelope.id });
  await assert.rejects(relay.client.submitEvent(other), is(409));
  await relay.withdraw();
});

test("an agent on a socket is conformant", { timeout: 120_000 }, async (t) => {
  const check = spawn(program, ["arena", "check", "--socket"], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => check.kill());
  const lines = createInterface({ input: check.stdout })[Symbol.asyncIterator]();
  const [, url, token] = /^Connect the agent to (\S+)\/agent\/connect\?token=(\S+)$/.exec((await lines.next()).value);
  await playEvalDuel({ server: url.replace("ws", "http"), token, answer: async (task) => guess(task), name: "Scout", model: "gpt-5.2", matches: 1 });
  const report = [];
  for await (const line of lines) report.push(line);
  assert.equal(report.at(-1), "0 faults, 0 warnings", report.join("\n"));
  assert.match(report.join("\n"), /connects again/);
});

test("a refused token ends the loop", async () => {
  await assert.rejects(playEvalDuel({ server, token: `bta_${"0".repeat(32)}`, answer: guess }), ConnectionRefused);
});

test("an agent with an endpoint is conformant", async (t) => {
  const [port, keys] = [await freePort(), await freePort()];
  const endpoint = `http://127.0.0.1:${port}`;
  const handler = aapHandler({ server: `http://127.0.0.1:${keys}`, endpoint, answer: guess, leagues: ["trivia", "reasoning"] });
  await serve(t, toNode(handler), port);
  const check = spawn(program, ["arena", "check", endpoint, "--listen", `127.0.0.1:${keys}`], { stdio: ["ignore", "pipe", "inherit"] });
  const report = await text(check.stdout);
  assert.match(report, /\n0 faults, 0 warnings\n$/, report);
});

async function freePort() {
  const listening = createServer().listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address();
  listening.close();
  await once(listening, "close");
  return port;
}
