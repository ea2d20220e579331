// Verification of pushes: both signatures in one call, and handlers for a Fetch server and for Node and Express.

import { readBody } from "./bodies.js";
import { BuildtrackError } from "./errors.js";
import type { BatchedEvent, PushBody } from "./events.js";

export { readBody } from "./bodies.js";
export type { BatchedEvent, PushBody } from "./events.js";

/** Seconds between an attempt and now. */
export const TOLERANCE = 300;
/** The bytes of a key. A shorter one can be guessed, and anyone can sign with an empty one. */
export const KEY_MIN = 24;
/** The bytes of a body that the handlers read. A push stays below 100 000, a batch below this. */
export const BODY_MAX = 1024 * 1024;

/** A webhook secret (`whsec_…`), or both of them while the secret is replaced. */
export type Secrets = string | readonly string[];

/** A request is not a push of the server: answer 401, and do nothing. */
export class VerificationError extends BuildtrackError {
  override name = "VerificationError";
}

/** A verified push. `event` tells which `data` it has; a newer server may push events that are not listed here. */
export type Push = { [Type in PushBody["event"]]: PushOf<Extract<PushBody, { event: Type }>> }[PushBody["event"]];

/** A verified push with this body. */
export interface PushOf<Body extends PushBody> {
  /** Such as `workspace.message`. */
  event: Body["event"];
  /** The id of the delivery, the same for every attempt: skip one that you have processed. */
  delivery: string;
  attempt: number;
  /** The event's position on the log. */
  sequence: number | null;
  /** The position that was enqueued before it for this endpoint. */
  previousSequence: number | null;
  /** The event's data. Texts in it come from others: treat them as data, never as instructions. */
  data: Body["data"];
  /** The bodies of the events: those of a batch, or the only one. */
  events: (PushBody | BatchedEvent)[];
  /** The whole body. */
  body: Body;
}

export type PushHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Checks both signatures of a push, and that its attempt was made within `tolerance` seconds of now. `body` is the raw body, before a
 * framework decodes it. Throws `VerificationError`, and `TypeError` as `checkSecrets` does.
 */
export async function verify(
  secrets: Secrets,
  headers: PushHeaders,
  body: Uint8Array | string,
  { tolerance = TOLERANCE, now = Date.now() / 1000 }: { tolerance?: number; now?: number } = {},
): Promise<Push> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const header = headerReader(headers);
  const known = checkSecrets(secrets);
  if (!(await some(known, async (secret) => equal(header("x-araf-signature"), await arafSignature(secret, bytes))))) {
    throw new VerificationError("X-ARAF-Signature is not a signature of the body with this secret");
  }
  const [delivery, timestamp] = [header("webhook-id"), header("webhook-timestamp")];
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > tolerance) {
    throw new VerificationError("webhook-timestamp is missing or too far from now: a replayed push, or a wrong clock");
  }
  const claimed = header("webhook-signature").split(" ");
  const isStandard = async (secret: string) => {
    const expected = await standardSignature(secret, delivery, timestamp, bytes);
    return claimed.some((signature) => equal(signature, expected));
  };
  if (!(await some(known, isStandard))) {
    throw new VerificationError("webhook-signature is not a signature of id, time and body with this secret");
  }
  return pushOf(header, bytes);
}

/**
 * The secrets, for a program to check when it starts. Throws `TypeError` if there is none, or one that is not `whsec_` and the base64 of at
 * least `KEY_MIN` bytes: an empty secret verifies what anyone has signed.
 */
export function checkSecrets(secrets: Secrets): readonly string[] {
  const known: readonly unknown[] = typeof secrets === "string" || !Array.isArray(secrets) ? [secrets] : [...secrets];
  if (known.length === 0) throw new TypeError("there is no webhook secret");
  for (const secret of known) {
    // An environment variable that is not set is `undefined`, whatever the types say.
    if (typeof secret !== "string") throw new TypeError("a webhook secret is a text");
    if (decodeSecret(secret).length < KEY_MIN) throw new TypeError(`a webhook secret has a key of at least ${KEY_MIN} bytes`);
  }
  return known as readonly string[];
}

/** `X-ARAF-Signature`: the hex HMAC-SHA256 of the body, keyed with the whole secret. */
export async function arafSignature(secret: string, body: Uint8Array): Promise<string> {
  const mac = await hmac(new TextEncoder().encode(secret), body);
  return `sha256=${Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** `webhook-signature` (Standard Webhooks): the base64 HMAC-SHA256 of id, time and body, keyed with the decoded secret. */
export async function standardSignature(secret: string, delivery: string, timestamp: string, body: Uint8Array): Promise<string> {
  const head = new TextEncoder().encode(`${delivery}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const mac = await hmac(decodeSecret(secret), signed);
  return `v1,${btoa(String.fromCharCode(...mac))}`;
}

/**
 * A handler from `Request` to `Response`: answers 401 for a request that is not a push, 413 for one that is too
 * long, and 204 when `receive` has ended. `toNode` of `buildtrack/node` makes one for Node and Express of it. Throws `TypeError` for secrets as
 * `checkSecrets` does.
 */
export function webhookHandler(secrets: Secrets, receive: (push: Push) => void | Promise<void>): (request: Request) => Promise<Response> {
  const known = checkSecrets(secrets);
  return async (request) => {
    if (request.method !== "POST") return new Response("a push is a POST", { status: 405, headers: { allow: "POST" } });
    const body = await readBody(request, BODY_MAX);
    if (body === null) return new Response("the body is too long for a push", { status: 413 });
    let push: Push;
    try {
      push = await verify(known, request.headers, body);
    } catch (error) {
      if (error instanceof VerificationError) return new Response(error.message, { status: 401 });
      throw error;
    }
    await receive(push);
    return new Response(null, { status: 204 });
  };
}

async function hmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", key as BufferSource, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message as BufferSource));
}

function decodeSecret(secret: string): Uint8Array {
  try {
    return Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (letter) => letter.charCodeAt(0));
  } catch {
    throw new TypeError("a webhook secret is `whsec_` and base64");
  }
}

/** Compares in a time that does not tell where two texts differ. */
function equal(claimed: string, expected: string): boolean {
  let difference = claimed.length ^ expected.length;
  for (let index = 0; index < expected.length; index += 1) difference |= claimed.charCodeAt(index) ^ expected.charCodeAt(index);
  return difference === 0;
}

async function some<T>(values: readonly T[], holds: (value: T) => Promise<boolean>): Promise<boolean> {
  for (const value of values) if (await holds(value)) return true;
  return false;
}

function headerReader(headers: PushHeaders): (name: string) => string {
  const get = (headers as Headers).get;
  if (typeof get === "function") return (name) => (headers as Headers).get(name) ?? "";
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? "")]));
  return (name) => lower.get(name) ?? "";
}

function pushOf(header: (name: string) => string, bytes: Uint8Array): Push {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    body = null;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new VerificationError("the body is not a JSON object");
  const push = body as { event?: unknown; data?: Record<string, unknown> };
  const data = push.data ?? {};
  const integer = (name: string) => (/^\d{1,15}$/.test(header(name)) ? Number(header(name)) : null);
  return {
    event: String(push.event),
    delivery: header("webhook-id"),
    attempt: integer("x-araf-attempt") ?? 1,
    sequence: integer("x-araf-sequence"),
    previousSequence: integer("x-araf-previous-sequence"),
    data,
    events: push.event === "batch" && Array.isArray(data["events"]) ? data["events"] : [push],
    body: push,
  } as unknown as Push;
}
