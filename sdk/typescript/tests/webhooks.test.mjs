// Verification of pushes, with the published vector of Standard Webhooks and the one of the server's own tests.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { test } from "node:test";

import { toNode } from "buildtrack/node";
import {
  arafSignature, BODY_MAX, checkSecrets, KEY_MIN, standardSignature, VerificationError, verify, webhookHandler,
} from "buildtrack/webhooks";

import { require } from "./place.mjs";

const NOW = 1_789_000_000;
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = "whsec_QW5vdGhlciBzZWNyZXQgb2YgMzIgYnl0ZXMu";
const SHORT = `whsec_${Buffer.alloc(KEY_MIN - 1).toString("base64")}`;
const bytes = (text) => new TextEncoder().encode(text);
const BODY = bytes('{"event":"workspace.message","data":{"content":"Sign every push. 🤝"}}');

async function headers({ secret = SECRET, body = BODY, now = NOW, ...changes } = {}) {
  const given = {
    "webhook-id": "dlv_1",
    "webhook-timestamp": String(now),
    "webhook-signature": await standardSignature(secret, "dlv_1", String(now), body),
    "x-araf-signature": await arafSignature(secret, body),
    "x-araf-attempt": "2",
    "x-araf-sequence": "43",
    ...changes,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

test("the signatures equal those of Node and the published example", async () => {
  const araf = await arafSignature("whsec_c2VjcmV0", bytes('{"a":"é"}'));
  assert.equal(araf, "sha256=175cc0f89c9a103f7af0cb3fc843d5f466695b253aa5f2a738eaff0bd1176bde");
  const standard = await standardSignature(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", bytes('{"test": 2432232314}'));
  assert.equal(standard, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("a push gives what its headers and body say", async () => {
  for (const given of [await headers(), new Headers(await headers())]) {
    const push = await verify(SECRET, given, BODY, { now: NOW + 299 });
    assert.deepEqual([push.event, push.delivery, push.attempt, push.sequence], ["workspace.message", "dlv_1", 2, 43]);
    assert.equal(push.data.content, "Sign every push. 🤝");
    assert.deepEqual(push.events, [push.body]);
  }
  const body = bytes('{"event":"batch","data":{"events":[{"event":"a"},{"event":"b"}]}}');
  const batch = await verify(SECRET, await headers({ body }), body, { now: NOW });
  assert.deepEqual(batch.events.map(({ event }) => event), ["a", "b"]);
});

test("either secret counts while a secret is replaced", async () => {
  const both = await Promise.all([SECRET, OTHER].map((secret) => standardSignature(secret, "dlv_1", String(NOW), BODY)));
  const overlap = await headers({ "webhook-signature": both.join(" ") });
  assert.equal((await verify(SECRET, overlap, BODY, { now: NOW })).delivery, "dlv_1");
  assert.equal((await verify([OTHER, SECRET], overlap, BODY, { now: NOW })).delivery, "dlv_1");
});

test("every change of a push is refused", async () => {
  const changed = {
    "another secret": [OTHER, await headers(), BODY],
    "another body": [SECRET, await headers(), bytes(new TextDecoder().decode(BODY).replace("every", "no"))],
    "without X-ARAF-Signature": [SECRET, await headers({ "x-araf-signature": undefined }), BODY],
    "another X-ARAF-Signature": [SECRET, await headers({ "x-araf-signature": `sha256=${"0".repeat(64)}` }), BODY],
    "without webhook-signature": [SECRET, await headers({ "webhook-signature": undefined }), BODY],
    "another webhook-signature": [SECRET, await headers({ "webhook-signature": "v1,c2Vjb25k" }), BODY],
    "another id": [SECRET, await headers({ "webhook-id": "dlv_2" }), BODY],
    "without a time": [SECRET, await headers({ "webhook-timestamp": undefined }), BODY],
    "an hour late": [SECRET, await headers({ now: NOW - 3600 }), BODY],
    "an hour early": [SECRET, await headers({ now: NOW + 3600 }), BODY],
    "no JSON": [SECRET, await headers({ body: bytes("{") }), bytes("{")],
    "a time of 400 digits": [SECRET, await headers({ "webhook-timestamp": "9".repeat(400) }), BODY],
  };
  for (const [name, [secret, given, body]] of Object.entries(changed)) {
    await assert.rejects(verify(secret, given, body, { now: NOW }), VerificationError, name);
  }
});

test("a missing or short secret verifies nothing", async () => {
  for (const secret of ["", "whsec_", "whsec_AA==", SHORT, "whsec_no base64", undefined, null]) {
    assert.throws(() => checkSecrets(secret), TypeError, secret);
    for (const secrets of [secret, [SECRET, secret]]) {
      await assert.rejects(verify(secrets, await headers(), BODY, { now: NOW }), TypeError, secret);
      assert.throws(() => webhookHandler(secrets, () => {}), TypeError, secret);
    }
  }
  const forged = await headers({ secret: "whsec_AA==" });
  for (const secrets of ["whsec_AA==", []]) await assert.rejects(verify(secrets, forged, BODY, { now: NOW }), TypeError);
});

test("handlers of Fetch, Node and Express pass a push on and refuse the rest", async (t) => {
  const seen = [];
  const handler = webhookHandler(SECRET, (push) => void seen.push(push.event));
  const express = require("express");
  const [plain, raw, decoded] = [express(), express(), express()];
  plain.post("/hook", toNode(handler));
  raw.post("/hook", express.raw({ type: "*/*" }), toNode(handler));
  decoded.post("/hook", express.json(), toNode(handler)).use((error, _request, response, _next) => response.status(500).send(error.message));
  const fetched = (given, body) => handler(new Request("http://localhost/hook", { method: "POST", headers: given, body }));
  const ways = [fetched];
  for (const application of [toNode(handler), plain, raw]) ways.push(await serve(t, application));
  const now = Math.floor(Date.now() / 1000);
  const good = await headers({ now, "content-type": "application/json" });
  for (const send of ways) {
    assert.equal((await send(good, BODY)).status, 204);
    assert.equal((await send({ ...good, "webhook-id": "dlv_2" }, BODY)).status, 401);
  }
  assert.equal((await fetched(good, new Uint8Array(BODY_MAX + 1))).status, 413);
  assert.equal((await handler(new Request("http://localhost/hook"))).status, 405);
  assert.deepEqual(seen, ways.map(() => "workspace.message"));
  const answer = await (await serve(t, decoded))(good, BODY);
  assert.match(await answer.text(), /mount this handler before express.json/);
});

/** Serves until the test ends; gives a function that posts. */
async function serve(t, application) {
  const server = createServer(application).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  return (given, body) => fetch(`http://127.0.0.1:${server.address().port}/hook`, { method: "POST", headers: given, body });
}
