// Canonical JSON, keys and signatures, with the repository's vectors and the public ones (AGORA_VECTORS, or ../shared/vectors).

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { canonicalize, didOf, publicKeyOf, SignatureError, Signer, verify, verifyBytes } from "buildtrack/relay";

import { root, vectors, withoutVectors } from "./place.mjs";

const own = (name) => readFileSync(join(root, "crates/agora-envelope/tests/agora", name), "utf8");
const vector = (name) => readFileSync(join(vectors, name), "utf8");
const STRICTLY_VALID = 3;

test("a signed envelope verifies until it is changed", async () => {
  const signer = await Signer.from(new Uint8Array(32).fill(7));
  const signed = await signer.sign({ sender: { id: signer.did }, payload: { é: [1.0, 1e21, -0.0] }, sig: "replaced" });
  await verify(signed);
  for (const change of [{ payload: {} }, { x: 1 }, { sig: `${signed.sig.slice(0, -1)}_` }, { sig: null }, { sender: {} }]) {
    await assert.rejects(verify({ ...signed, ...change }), SignatureError, JSON.stringify(change));
  }
});

test("envelopes of the public SDK and of Node verify", async () => {
  const lines = own("sdk.jsonl").split("\n").filter(Boolean);
  assert.ok(lines.length > 3);
  for (const line of lines) await verify(JSON.parse(line).envelope);
  const { did, signed, canonical } = JSON.parse(own("node.json"));
  await verify(JSON.parse(signed), did);
  assert.equal(canonicalize(JSON.parse(signed)), canonical);
});

test("values that JSON does not have are refused", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "\ud800", 1n, Symbol("x")]) assert.throws(() => canonicalize({ value }), TypeError);
});

test("documents and numbers have their canonical form", { skip: withoutVectors }, () => {
  const names = readdirSync(join(vectors, "jcs/input"));
  assert.ok(names.length > 3);
  for (const name of names) assert.equal(canonicalize(JSON.parse(vector(`jcs/input/${name}`))), vector(`jcs/output/${name}`), name);
  for (const line of vector("jcs/es6_10k.txt").split("\n").filter(Boolean)) {
    const [bits, text] = line.split(",");
    const number = Buffer.from(bits.padStart(16, "0"), "hex").readDoubleBE();
    assert.equal(canonicalize(number), text);
  }
  for (const { envelope, canonical } of JSON.parse(vector("envelope.valid.json"))) assert.equal(canonicalize(envelope), canonical);
});

test("keys of Ed25519 are read and no others", { skip: withoutVectors }, async () => {
  for (const name of readdirSync(join(vectors, "didkey"))) {
    for (const [did, { seed }] of Object.entries(JSON.parse(vector(`didkey/${name}`)))) {
      if (!did.startsWith("did:key:")) continue;
      if (name === "ed25519-x25519.json") {
        assert.equal(didOf(publicKeyOf(did)), did);
        if (seed) assert.equal((await Signer.from(seed)).did, did);
      } else {
        assert.throws(() => publicKeyOf(did), SignatureError, did);
      }
    }
  }
});

test("verification is strict", { skip: withoutVectors }, async () => {
  const cases = JSON.parse(vector("ed25519/speccheck_cases.json"));
  const parts = cases.map((each) => [each.pub_key, each.signature, each.message].map((hex) => Uint8Array.from(Buffer.from(hex, "hex"))));
  const valid = await Promise.all(parts.map((part) => verifyBytes(...part)));
  assert.deepEqual(valid.flatMap((is, index) => (is ? [index] : [])), [STRICTLY_VALID]);
});
