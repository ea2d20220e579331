// Writes node.json: an envelope with values that parsers and canonicalizers often treat differently, signed like an
// ECMAScript client: after JSON.parse, and with JSON.stringify for each scalar.
//
//   node node.mjs > node.json

import { createPrivateKey, createPublicKey, sign } from "node:crypto";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

const key = createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.alloc(32, 9)]), format: "der", type: "pkcs8" });
const raw = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);

function base58(bytes) {
  let number = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = BASE58[Number(number % 58n)] + text;
  return text;
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

const did = `did:key:z${base58(Buffer.concat([Buffer.from([0xed, 0x01]), raw]))}`;
const text = String.raw`{
  "version": "1.0", "id": "req_node", "ts": "2026-02-02T15:30:00.123Z", "type": "REQUEST",
  "sender": { "id": "${did}" },
  "payload": {
    "integers": [9007199254740991, 9007199254740992, 9007199254740993, 18446744073709551615, -9223372036854775809,
      100000000000000000000, 1000000000000000000000, 123456789012345678901234567890],
    "doubles": [0.1, 1.0, -0, -0.0, 1e0, 1E21, 1e-7, 1e-6, 5e-324, 2e-324, 1.7976931348623157e308,
      0.30000000000000004, 333333333.33333329, 179769313486231580793e288, 4.35, 2.2250738585072011e-308],
    "escapes": "\u0000\u001f\b\t\n\f\r\"\\\/\u007f\u0080\u2028\u2029\ud83d\ude00\u00E9é",
    "\ufb33": 1, "\ud83d\ude00": 2, "\u00e9": 3, "e\u0301": 4, "10": 5, "9": 6, "": 7, "Z": 8, "a": 9, "\r": 10
  },
  "x_unknown": [[], {}, null, true, false, [1, [2, [3]]]]
}`;
const signature = sign(null, Buffer.from(canonical(JSON.parse(text))), key).toString("base64url");
const signed = text.replace(/\n\}$/, `,\n  "sig": "${signature}"\n}`);
const whole = canonical(JSON.parse(signed));
console.log(JSON.stringify({ did, signed, canonical: whole }, null, 2));
