// An AAP agent: verifies the rounds that the server posts to its endpoint, and answers them and health checks.

import { readBody } from "../bodies.js";
import { Client } from "../client.js";
import { BuildtrackError } from "../errors.js";
import { fromBase64url } from "../relay/keys.js";
import { type AnswerTask, ask, type Task } from "./answers.js";

const BODY_MAX = 1024 * 1024;
const LEEWAY = 5;
const REFRESH_SECONDS = 10;

/** A round does not come from the server, or is not for this endpoint: answer 401. */
export class TokenError extends BuildtrackError {
  override name = "TokenError";
}

export interface AapOptions {
  /** The server's address. */
  server: string;
  /** The `endpointUrl` of the enrolment. */
  endpoint: string;
  answer: AnswerTask;
  leagues?: string[];
  /** The server's public address, if it differs from `server`. */
  issuer?: string;
  maxConcurrent?: number;
}

/**
 * A handler of `POST /agora` and `GET /agora/health`, for servers that speak Fetch. `toNode` of `buildtrack/node` makes one for Node and
 * Express of it.
 */
export function aapHandler(options: AapOptions): (request: Request) => Promise<Response> {
  const { answer, leagues = ["trivia", "reasoning", "structured"], maxConcurrent = 5 } = options;
  const tokens = new Tokens(options);
  const health = { status: "ok", version: "1.0", capabilities: leagues, max_concurrent: maxConcurrent };
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "GET" && pathname.endsWith("/agora/health")) return Response.json(health);
    if (request.method !== "POST" || !pathname.endsWith("/agora")) return refuse(404, "not found");
    const begun = Date.now();
    const body = await readBody(request, BODY_MAX);
    if (body === null) return refuse(413, "not a round");
    let task: Task;
    try {
      task = await verifiedTask(tokens, request, body);
    } catch (error) {
      if (error instanceof TokenError || error instanceof SyntaxError) return refuse(401, error.message);
      console.error(error);
      return refuse(500, "the round cannot be verified now"); // the server sends it once more
    }
    try {
      const { output, shown } = await ask(answer, task);
      return Response.json({ answer: output, confidence: shown.confidence, reasoning: shown.rationale, latency_ms: Date.now() - begun });
    } catch (error) {
      console.error(error);
      return refuse(500, "the agent failed");
    }
  };
}

function refuse(status: number, error: string): Response {
  return Response.json({ error }, { status });
}

async function verifiedTask(tokens: Tokens, request: Request, body: Uint8Array): Promise<Task> {
  const claims = await tokens.verify(request.headers.get("authorization"));
  const round = JSON.parse(new TextDecoder().decode(body)) as { match_id?: unknown; task?: Task } | null;
  if (round?.task === undefined || claims["match_id"] !== round.match_id) throw new TokenError("the token is for another match");
  return round.task;
}

/** Verifies the tokens of rounds with the server's published keys. */
export class Tokens {
  readonly #client: Client;
  readonly #endpoint: string;
  readonly #issuer: string;
  #keys = new Map<string, CryptoKey>();
  #fetched = -Infinity;
  /** The last fetch of the keys; it rejects where that failed. */
  #fetching: Promise<void> = Promise.resolve();

  constructor({ server, endpoint, issuer = server }: Pick<AapOptions, "server" | "endpoint" | "issuer">) {
    this.#client = new Client(server, { retries: 2 });
    this.#endpoint = endpoint.replace(/\/+$/, "");
    this.#issuer = issuer.replace(/\/+$/, "");
  }

  /** The claims of a round's token. Throws `TokenError`. */
  async verify(authorization: string | null, now = Date.now() / 1000): Promise<Record<string, unknown>> {
    const [, token = ""] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
    const [head = "", body = "", signature = "", ...more] = token.split(".");
    const header = decode(head);
    if (header["alg"] !== "EdDSA" || more.length > 0) throw new TokenError("the token is not signed with EdDSA");
    const key = await this.#key(String(header["kid"]));
    const signed = new TextEncoder().encode(`${head}.${body}`);
    if (!(await crypto.subtle.verify("Ed25519", key, bytesOf(signature) as BufferSource, signed))) {
      throw new TokenError("the server did not sign the token");
    }
    const claims = decode(body);
    const { aud, iss, exp } = claims;
    if (![aud].flat().includes(this.#endpoint)) throw new TokenError("the token is for another endpoint");
    if (iss !== this.#issuer) throw new TokenError("the token comes from another server");
    if (typeof exp !== "number" || exp + LEEWAY < now) throw new TokenError("the token has expired");
    return claims;
  }

  async #key(kid: string): Promise<CryptoKey> {
    if (!this.#keys.has(kid)) {
      // Tokens with made-up names must not make this agent send a request each, also while the server does not answer.
      if (Date.now() - this.#fetched > REFRESH_SECONDS * 1000) {
        this.#fetched = Date.now();
        this.#fetching = this.#fetch().catch((error: unknown) => {
          this.#fetched = Date.now() - (REFRESH_SECONDS - 1) * 1000;
          throw error;
        });
      }
      await this.#fetching;
    }
    const key = this.#keys.get(kid);
    if (!key) throw new TokenError("the server has no key with the token's kid");
    return key;
  }

  async #fetch(): Promise<void> {
    const { keys } = await this.#client.showKeys();
    const imported = keys.map(async (key) => {
      return [key.kid, await crypto.subtle.importKey("raw", bytesOf(key.x) as BufferSource, "Ed25519", false, ["verify"])] as const;
    });
    this.#keys = new Map(await Promise.all(imported));
  }
}

function decode(part: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder().decode(bytesOf(part)));
  } catch {
    document = undefined;
  }
  if (typeof document !== "object" || document === null) throw new TokenError("the token is no JWT");
  return document as Record<string, unknown>;
}

function bytesOf(part: string): Uint8Array {
  try {
    return fromBase64url(part);
  } catch {
    throw new TokenError("the token is no JWT");
  }
}
