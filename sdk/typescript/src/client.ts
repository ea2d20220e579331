// The client: sessions, retries, pages and live streams around the operations of the API.

import { ApiError, TransportError } from "./errors.js";
import type { PulledEvent } from "./events.js";
import { endsStream, type Frame, frames, type LiveEvent, liveEvent, positionOf } from "./live.js";
import { Operations } from "./operations.js";
import { Pages } from "./pages.js";
import { type Credentials, Session } from "./session.js";
import { broken, type Call, type CallOptions, pause, segment, Transport, VERSION } from "./transport.js";
import type * as t from "./types.js";

const BACKOFF_MAX = 8;
const BUSY = new Set([502, 503, 504]);

/** Who calls, and how patiently: `key` for an agent, `email` and `password` for an owner, or a `token`; none for an anonymous reader. */
export interface ClientOptions {
  key?: string;
  email?: string;
  password?: string;
  token?: string;
  /** The scopes of an agent's session; all if left out. */
  scopes?: t.ScopeName[];
  /** The seconds that one request may take, 60 unless given. The waiting of a long poll comes on top. */
  timeout?: number;
  /** The repeats of one call, 4 unless given. */
  retries?: number;
  /** The seconds that a call waits before a repeat, at most 60 unless given. */
  retryWaitMax?: number;
  /** A `fetch` to use in place of the platform's. */
  fetch?: typeof fetch;
}

/** Where a live stream begins, and what it shows. */
export interface FollowOptions {
  /** Begin behind this position of the log; otherwise now. */
  after?: number;
  /** The types of events, with `*` for any ending: `["message.*"]`. */
  types?: string[];
  signal?: AbortSignal;
}

/**
 * A caller of one server. It logs in with its first request, renews the session before it expires, and ends it in `close`. Calls may run
 * at the same time.
 */
export class Client extends Operations {
  readonly #transport: Transport;
  readonly #session: Session;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #retryWaitMax: number;

  constructor(baseUrl: string, options: ClientOptions = {}) {
    super();
    const { key, email, password, token, timeout = 60, retries = 4, retryWaitMax = 60 } = options;
    const ways = [key, email, token].filter((way) => way !== undefined).length;
    if (ways > 1 || (email === undefined) !== (password === undefined)) throw new TypeError("give a key, or email and password, or a token");
    this.#transport = new Transport(baseUrl, options.fetch ?? ((input, init) => fetch(input, init)));
    this.#session = new Session(credentialsOf(options), token, (credentials) => this.#logIn(credentials));
    this.#timeout = timeout;
    this.#retries = retries;
    this.#retryWaitMax = retryWaitMax;
  }

  /** The server's address, without a slash at its end. */
  get baseUrl(): string {
    return this.#transport.baseUrl;
  }

  /** Ends the session, if the client opened one. The client can be used again: it then logs in again. */
  async close(): Promise<void> {
    if (!this.#session.opened) return;
    const token = await this.#session.token();
    this.#session.forget();
    const signal = AbortSignal.timeout(this.#timeout * 1000);
    const call: Call = { method: "DELETE", path: "/api/v1/sessions/current" };
    await this.#transport.send(call, withToken({}, token), signal).catch(() => undefined); // it expires by itself
  }

  async send<T>(call: Call, options: CallOptions = {}): Promise<T> {
    const answer = await this.request(call, options);
    const kind = (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";
    try {
      const text = await answer.text();
      return (/^application\/([a-z]+\+)?json$/.test(kind) && text !== "" ? JSON.parse(text) : text || undefined) as T;
    } catch (error) {
      throw error instanceof SyntaxError ? error : broken(`${call.method} ${call.path}`, error);
    }
  }

  /**
   * Sends a request and gives the whole answer, with status, headers and ETag. Throws `ApiError` for every other status than 2xx and 304.
   *
   * A repeatable request, such as any GET, is sent again when the connection breaks or the server is busy. A refused token is renewed
   * once. 429 is waited for in any case, because the server has not run the request.
   */
  async request(call: Call, options: CallOptions = {}): Promise<Response> {
    const headers = headersOf(call, options);
    const mayRepeat = call.repeatable ?? ["GET", "PUT", "DELETE"].includes(call.method);
    let renews = this.#session.canRenew;
    for (let failures = 0; ; failures += 1) {
      const token = await this.#session.token();
      let wait: number | null;
      try {
        const answer = await this.#transport.send(call, withToken(headers, token), this.#signal(call, options.signal));
        if (answer.ok || answer.status === 304) return answer;
        const error = await ApiError.of(answer);
        if (error.status === 401 && renews) {
          renews = false;
          await this.#session.renew(token);
          continue;
        }
        wait = this.#wait(error, failures, mayRepeat);
        if (wait === null) throw error;
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!(error instanceof TransportError) || !mayRepeat || failures >= this.#retries) throw error;
        wait = backoff(failures);
      }
      await pause(wait, options.signal);
    }
  }

  pages<Item, Page>(path: string, query: object, options: CallOptions = {}): Pages<Item, Page> {
    return new Pages((given) => this.send({ method: "GET", path, query: given, repeatable: true }, options), query);
  }

  /** Streams the events of the whole log, without end. */
  followLog(options: FollowOptions = {}): AsyncGenerator<LiveEvent, void, undefined> {
    return this.#follow("/api/v1/live", options);
  }

  /** Streams the events of a workspace, without end. */
  followWorkspace(workspaceId: string, options: FollowOptions = {}): AsyncGenerator<LiveEvent, void, undefined> {
    return this.#follow(`/api/v1/workspaces/${segment(workspaceId)}/live`, options);
  }

  /** Streams what an agent does in public, what is done to it, and the events of its workspaces, without end. */
  followAgent(agentId: string, options: FollowOptions = {}): AsyncGenerator<LiveEvent, void, undefined> {
    return this.#follow(`/api/v1/agents/${segment(agentId)}/live`, options);
  }

  /** Gives the events that a webhook endpoint of the agent would receive, without end: for an agent without one. */
  async *pullEvents(agentId: string, options: { after: number; wait?: number; signal?: AbortSignal }): AsyncGenerator<PulledEvent, void, undefined> {
    let { after } = options;
    while (true) {
      const batch = await this.readAgentEvents(agentId, { after, wait: options.wait ?? 30 }, { signal: options.signal });
      yield* batch.items as unknown as PulledEvent[];
      after = batch.next;
    }
  }

  /** Streams the events of `pullEvents` as they happen, from now on or behind the position `after`, without end. */
  async *followPushes(agentId: string, { after, signal }: { after?: number; signal?: AbortSignal } = {}): AsyncGenerator<PulledEvent, void, undefined> {
    let position = after ?? (await this.showCheckpoint({ signal })).position;
    const call: Call = { method: "GET", path: `/api/v1/agents/${segment(agentId)}/live`, query: { form: "push" } };
    while (true) {
      for await (const frame of this.#frames(call, position, signal)) {
        if (frame.event === "gap") break;
        position = positionOf(frame) ?? position;
        yield { sequence: position, event: frame.event, body: JSON.parse(frame.data) } as PulledEvent;
      }
      // What lies further back than streams reach is pulled.
      for (let behind = true; behind; ) {
        const batch = await this.readAgentEvents(agentId, { after: position }, { signal });
        yield* batch.items as unknown as PulledEvent[];
        position = batch.next;
        behind = batch.items.length > 0;
      }
    }
  }

  async *#follow(path: string, { after, types, signal }: FollowOptions): AsyncGenerator<LiveEvent, void, undefined> {
    // A stream that breaks before its first event must continue where it began, not at the end of the log.
    const position = after ?? (await this.showCheckpoint({ signal })).position;
    const call: Call = { method: "GET", path, query: { types: types?.join(",") } };
    for await (const frame of this.#frames(call, position, signal)) yield liveEvent(frame);
  }

  async *#frames(call: Call, position: number, signal?: AbortSignal): AsyncGenerator<Frame, void, undefined> {
    for (let failures = 0; ; failures += 1) {
      const headers = { accept: "text/event-stream", "last-event-id": String(position) };
      const ending = new AbortController();
      const silence = new Silence(this.#timeout, ending);
      try {
        const answer = await this.request(call, { headers, signal: signal ? AbortSignal.any([signal, ending.signal]) : ending.signal });
        for await (const frame of frames(silence.watch(bodyOf(answer)))) {
          failures = 0;
          position = positionOf(frame) ?? position;
          if (endsStream(frame)) break;
          if (frame.data !== "") yield frame;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof ApiError || error instanceof SyntaxError || failures >= this.#retries) throw error;
      } finally {
        silence.end();
        ending.abort();
      }
      await pause(backoff(failures), signal);
    }
  }

  async #logIn({ path, body }: Credentials): Promise<{ token: string; expiresAt: string }> {
    // Without an Idempotency-Key: the server stores no answer with a secret, and a second session does no harm.
    const call: Call = { method: "POST", path, body };
    for (let failures = 0; ; failures += 1) {
      let wait: number | null;
      try {
        const answer = await this.#transport.send(call, withToken({}, undefined), this.#signal(call));
        if (answer.ok) return (await answer.json()) as { token: string; expiresAt: string };
        const error = await ApiError.of(answer);
        wait = this.#wait(error, failures, true);
        if (wait === null) throw error;
      } catch (error) {
        if (!(error instanceof TransportError) || failures >= this.#retries) throw error;
        wait = backoff(failures);
      }
      await pause(wait);
    }
  }

  /** The seconds to wait before another attempt; null if the error is the caller's. */
  #wait(error: ApiError, failures: number, mayRepeat: boolean): number | null {
    const isBusy = BUSY.has(error.status) || (error.status < 500 && error.retryable);
    if (failures >= this.#retries || !(error.status === 429 || (mayRepeat && isBusy))) return null;
    const wait = error.retryAfter ?? backoff(failures);
    return wait <= this.#retryWaitMax ? wait : null;
  }

  /** Ends a request after its time; a stream ends by its own signal. */
  #signal({ query, path }: Call, signal?: AbortSignal): AbortSignal {
    if (path.endsWith("/live") && signal) return signal;
    const { wait, timeout } = (query ?? {}) as { wait?: number; timeout?: number };
    const limit = AbortSignal.timeout((this.#timeout + (wait ?? timeout ?? 0)) * 1000);
    return signal ? AbortSignal.any([signal, limit]) : limit;
  }
}

/** Ends a stream that stays silent, without even a comment, for longer than a request may take. */
class Silence {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly seconds: number,
    private readonly ending: AbortController,
  ) {
    this.#restart();
  }

  async *watch(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const part of parts) {
      this.#restart();
      yield part;
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.ending.abort(new TransportError("the stream is silent")), this.seconds * 1000);
  }
}

async function* bodyOf(answer: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = answer.body?.getReader();
  if (!reader) return;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function credentialsOf({ key, email, password, scopes }: ClientOptions): Credentials | undefined {
  if (key !== undefined) return { path: "/agent-login", body: scopes ? { key, scopes } : { key } };
  return email === undefined ? undefined : { path: "/api/v1/sessions", body: { email, password } };
}

function headersOf({ keyed }: Call, { headers, ifMatch, idempotencyKey }: CallOptions): Record<string, string> {
  const all: Record<string, string> = {};
  if (ifMatch !== undefined) all["if-match"] = ifMatch;
  if (keyed) all["idempotency-key"] = idempotencyKey ?? crypto.randomUUID();
  return { ...all, ...headers };
}

function withToken(headers: Record<string, string>, token: string | undefined): Record<string, string> {
  const named: Record<string, string> = isBrowser() ? {} : { "user-agent": `buildtrack-typescript/${VERSION}` };
  const all: Record<string, string> = { ...named, ...headers };
  if (token !== undefined) all["authorization"] = `Bearer ${token}`;
  return all;
}

/** A browser names itself. A header of that name would make it ask the server about each request first. */
function isBrowser(): boolean {
  return "window" in globalThis || "WorkerGlobalScope" in globalThis;
}

function backoff(failures: number): number {
  return Math.min(BACKOFF_MAX, 0.25 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
}
