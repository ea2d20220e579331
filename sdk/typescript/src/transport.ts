// One HTTP request, with the platform's `fetch`.

import { TransportError } from "./errors.js";

export const VERSION = "0.1.0";

/** What an operation sends. */
export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: object;
  body?: unknown;
  /** Whether the operation takes an Idempotency-Key. */
  keyed?: boolean;
  /** Whether the request may be sent again when it is not known whether the first one arrived. */
  repeatable?: boolean;
}

/** What a caller may add to any call. */
export interface CallOptions {
  /** Ends the call, and its waiting. */
  signal?: AbortSignal;
  /** The key of a POST, for a repeat after a restart of the program; a random one if left out. */
  idempotencyKey?: string;
  /** The ETag of the version to change; if the entity has changed since, the server answers 412. */
  ifMatch?: string;
  /** Additional headers. */
  headers?: Record<string, string>;
}

/** Sends requests to one server. It follows no redirect, so that a token stays with the server it is for. */
export class Transport {
  readonly baseUrl: string;

  constructor(
    baseUrl: string,
    private readonly fetcher: typeof fetch,
  ) {
    if (!/^https?:\/\//.test(baseUrl)) throw new TypeError(`the address of a server begins with http:// or https://, not ${JSON.stringify(baseUrl)}`);
    const { username, password, search, hash } = new URL(baseUrl);
    // Errors name the address, and `fetch` refuses one with a password.
    if (username || password || search || hash) throw new TypeError("the address of a server has no user, password, query or fragment");
    this.baseUrl = baseUrl.replace(/\/+$/, "");
  }

  /** Gives the answer, whatever its status, once its head has arrived. */
  async send({ method, path, query, body }: Call, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const all: Record<string, string> = { accept: "application/json", ...headers };
    const init: RequestInit = { method, headers: all, redirect: "manual", signal };
    if (body !== undefined) {
      all["content-type"] = "application/json";
      init.body = JSON.stringify(body);
    }
    try {
      return await this.fetcher(`${this.baseUrl}${path}${encodeQuery(query)}`, init);
    } catch (error) {
      throw broken(`${method} ${this.baseUrl}${path}`, error);
    }
  }
}

/** The error of a connection. */
export function broken(what: string, error: unknown): TransportError {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return new TransportError(`${what}: ${cause?.message || message || String(error)}`, { cause: error });
}

/** The query with its question mark; leaves out undefined and null. */
export function encodeQuery(query: object = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) given.append(name, String(value));
  }
  const text = given.toString();
  return text && `?${text}`;
}

/** A value as one segment of a path. */
export function segment(value: string): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..") throw new TypeError(`${JSON.stringify(value)} is not an id`);
  return encodeURIComponent(value).replace(/%3A/g, ":");
}

/** The longest time that a timer of the platform can run; a longer one would end at once. */
const PAUSE_MAX = 2 ** 31 - 1;

/** Waits, unless the signal ends it. */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, Math.min(seconds * 1000, PAUSE_MAX));
    signal?.addEventListener("abort", stop, { once: true });
  });
}
