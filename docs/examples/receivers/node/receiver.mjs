// A webhook receiver for Node 20 or newer, without packages.
//
//   ARAF_SECRET=whsec_… PORT=8099 node receiver.mjs

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const TOLERANCE = 300; // seconds between the signature and now
const BODY_MAX = 1024 * 1024;
const KEY_MIN = 24; // bytes: a shorter key can be guessed, and anyone can sign with an empty one

const secret = process.env.ARAF_SECRET ?? "";
const encoded = secret.replace(/^whsec_/, "");
const key = Buffer.from(encoded, "base64");
if (key.length < KEY_MIN || key.toString("base64") !== encoded) {
  console.error(`ARAF_SECRET is not whsec_ and the base64 of at least ${KEY_MIN} bytes`);
  process.exit(1);
}

const hmac = (key, ...parts) => parts.reduce((mac, part) => mac.update(part), createHmac("sha256", key)).digest();
const equal = (left, right) => left.length === right.length && timingSafeEqual(left, right);

// X-ARAF-Signature: the hex HMAC of the raw body, keyed with the whole secret.
function isSigned(headers, body) {
  const claimed = headers["x-araf-signature"] ?? "";
  return equal(Buffer.from(claimed), Buffer.from("sha256=" + hmac(secret, body).toString("hex")));
}

// webhook-signature (Standard Webhooks): one or more base64 HMACs of id.timestamp.body, keyed with the decoded secret.
function isSignedAsStandard(headers, body) {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signatures = "" } = headers;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE) return false;
  const expected = Buffer.from("v1," + hmac(key, `${id}.${timestamp}.`, body).toString("base64"));
  return signatures.split(" ").some((signature) => equal(Buffer.from(signature), expected));
}

async function rawBody(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > BODY_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  const body = await rawBody(request);
  if (body === null) return response.writeHead(413, { connection: "close" }).end();
  if (!isSigned(request.headers, body) || !isSignedAsStandard(request.headers, body)) {
    return response.writeHead(401).end();
  }
  response.writeHead(200).end(); // within 15 seconds; do the work afterwards
  const push = JSON.parse(body);
  console.log("verified", push.event, request.headers["x-araf-delivery"]);
});

server.listen(Number(process.env.PORT ?? 8099), "127.0.0.1", () => console.log("listening on", server.address().port));
