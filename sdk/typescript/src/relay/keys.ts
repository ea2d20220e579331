// Keys of the relay: `did:key`, signing, and strict verification.

import { BuildtrackError } from "../errors.js";
import { canonicalize } from "./canonical.js";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const PREFIX = "did:key:z";
const FIELD = 2n ** 255n - 19n;
/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PKCS8 = fromHex("302e020100300506032b657004220420");
/** The y coordinates of the points of small order, with which one signature fits many messages. */
const SMALL_ORDER = new Set([
  0n,
  1n,
  FIELD - 1n,
  littleEndian(fromHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")),
  littleEndian(fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")),
]);

/** An object is not signed by the key that it names. */
export class SignatureError extends BuildtrackError {
  override name = "SignatureError";
}

/** An Ed25519 key: its holder is who the relay knows as `did`. */
export class Signer {
  readonly #key: CryptoKey;

  private constructor(
    key: CryptoKey,
    /** The identifier of the key, `did:key:z6Mk…`. */
    readonly did: string,
  ) {
    this.#key = key;
  }

  /** The key of a seed, the private key: 32 bytes, or 64 hexadecimal digits. */
  static async from(seed: Uint8Array | string): Promise<Signer> {
    const bytes = typeof seed === "string" ? fromHex(seed) : seed;
    if (bytes.length !== 32) throw new TypeError("a seed has 32 bytes");
    const wrapped = new Uint8Array([...PKCS8, ...bytes]);
    const key = await crypto.subtle.importKey("pkcs8", wrapped as BufferSource, "Ed25519", true, ["sign"]);
    const { x } = await crypto.subtle.exportKey("jwk", key);
    return new Signer(key, didOf(fromBase64url(x ?? "")));
  }

  /** A new seed. Store it. */
  static newSeed(): Uint8Array {
    return crypto.getRandomValues(new Uint8Array(32));
  }

  /** The object with `sig`, its signature in canonical form without `sig`. */
  async sign<T extends object>(document: T): Promise<T & { sig: string }> {
    const { sig: _, ...unsigned } = document as Record<string, unknown>;
    return { ...unsigned, sig: await this.signText(canonicalize(unsigned)) } as T & { sig: string };
  }

  /** The signature of a text, in base64url. */
  async signText(text: string): Promise<string> {
    return toBase64url(new Uint8Array(await crypto.subtle.sign("Ed25519", this.#key, new TextEncoder().encode(text))));
  }
}

/** Checks the signature of an object by `did`, or by its `sender.id`. Throws `SignatureError`. */
export async function verify(document: object, did?: string): Promise<void> {
  const { sig, ...unsigned } = document as { sig?: unknown; sender?: { id?: unknown } };
  const signer = did ?? unsigned.sender?.id;
  if (typeof signer !== "string") throw new SignatureError("sender.id is missing");
  if (typeof sig !== "string") throw new SignatureError("sig is missing");
  let message: Uint8Array;
  try {
    message = new TextEncoder().encode(canonicalize(unsigned));
  } catch (error) {
    throw new SignatureError(String((error as Error).message));
  }
  if (!(await verifyBytes(publicKeyOf(signer), fromBase64url(sig.replace(/=+$/, "")), message))) {
    throw new SignatureError("sig is not the signature of this object by its sender");
  }
}

/** Strict verification: no keys and no signatures of small order, and canonical encodings only. */
export async function verifyBytes(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): Promise<boolean> {
  if (signature.length !== 64 || !isStrong(publicKey) || !isStrong(signature.subarray(0, 32))) return false;
  try {
    const key = await crypto.subtle.importKey("raw", publicKey as BufferSource, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature as BufferSource, message as BufferSource);
  } catch {
    return false;
  }
}

function isStrong(point: Uint8Array): boolean {
  const y = littleEndian(point) & (2n ** 255n - 1n);
  return point.length === 32 && y < FIELD && !SMALL_ORDER.has(y);
}

/** The `did:key` of 32 bytes. */
export function didOf(publicKey: Uint8Array): string {
  if (publicKey.length !== 32) throw new TypeError("an Ed25519 key has 32 bytes");
  let number = [0xed, 0x01, ...publicKey].reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (; number > 0n; number /= 58n) text = `${BASE58[Number(number % 58n)]}${text}`;
  return PREFIX + text;
}

/** The 32 bytes of a `did:key` of Ed25519. Throws `SignatureError`. */
export function publicKeyOf(did: string): Uint8Array {
  if (!did.startsWith(PREFIX) || did.length > 100) throw new SignatureError(`${JSON.stringify(did.slice(0, 100))} is not a did:key`);
  let number = 0n;
  for (const letter of did.slice(PREFIX.length)) {
    const digit = BASE58.indexOf(letter);
    if (digit < 0) throw new SignatureError(`${JSON.stringify(did)} is not base58`);
    number = number * 58n + BigInt(digit);
  }
  const hex = number.toString(16);
  const key = fromHex(hex.length % 2 ? `0${hex}` : hex);
  if (key.length !== 34 || key[0] !== 0xed || key[1] !== 0x01 || didOf(key.subarray(2)) !== did) {
    throw new SignatureError(`${JSON.stringify(did)} is not the did:key of an Ed25519 key`);
  }
  return key.subarray(2);
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) throw new TypeError("not hexadecimal digits");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The bytes of unpadded base64url. Throws `SignatureError`; also if bits that no byte uses are not zero, so that bytes have one text. */
export function fromBase64url(text: string): Uint8Array {
  let bytes: Uint8Array | undefined;
  try {
    bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  } catch {
    bytes = undefined;
  }
  if (bytes === undefined || toBase64url(bytes) !== text) throw new SignatureError("not base64url");
  return bytes;
}
