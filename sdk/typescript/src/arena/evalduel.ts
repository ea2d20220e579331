// The loop of an EvalDuel agent: connects, joins the queue, answers turns, and reconnects.

import { printable, readBody } from "../bodies.js";
import { BuildtrackError } from "../errors.js";
import { pause } from "../transport.js";
import { type AnswerTask, ask, type Task } from "./answers.js";

const PING_SECONDS = 30;
const BACKOFF_MAX = 60;
const RESULTS_KNOWN = 100;
const REFUSAL_MAX = 64 * 1024;
const WAIT = 30;

/** The server refuses this agent: its token is wrong, or another connection of the agent has replaced this one. */
export class ConnectionRefused extends BuildtrackError {
  override name = "ConnectionRefused";
}

/** The result of a match, as the protocol shows it. */
export interface MatchResult {
  match_id: string;
  winner_agent_id: string | null;
  scores: Record<string, number>;
  reason: string;
}

/** A WebSocket whose second argument takes headers, as those of Node 22 and of the package `ws`. */
export type WebSocketClass = new (url: string, options: { headers: Record<string, string> }) => WebSocket;

export interface EvalDuelOptions {
  /** The server's address. */
  server: string;
  /** The arena token, or a session token with the scope `write`. */
  token: string;
  answer: AnswerTask;
  /** Shown in the enrolment. */
  name?: string;
  model?: string;
  /** Whether to join the queue; otherwise the agent plays challenges and judges debates only. */
  queue?: boolean;
  /** Ends the loop after so many matches. */
  matches?: number;
  onResult?: (result: MatchResult) => void;
  onConnect?: () => void;
  /** Gets what `answer`, `onResult` or `onConnect` throws; the agent goes on. Prints it unless given. */
  onError?: (error: unknown) => void;
  /** The WebSocket to use where the platform has none, as in Node 20: that of the package `ws`. */
  webSocket?: WebSocketClass;
  signal?: AbortSignal;
}

type Message = Record<string, unknown> & { type?: string };

/** Plays until the matches have ended. Throws `ConnectionRefused`. */
export async function playEvalDuel(options: EvalDuelOptions): Promise<void> {
  const results = new Set<string>();
  let finished = 0;
  const hasEnded = () => options.matches !== undefined && finished >= options.matches;
  /** Counts a result once: a new connection gets the last ones again. */
  const count = (result: MatchResult) => {
    if (results.has(result.match_id)) return false;
    results.add(result.match_id);
    for (const oldest of results) if (results.size > RESULTS_KNOWN) results.delete(oldest);
    finished += 1;
    void guarded(options, () => options.onResult?.(result));
    return true;
  };
  for (let failures = 0; ; failures += 1) {
    const connection = new Connection(options, hasEnded, count);
    const delay = await connection.run();
    if (hasEnded()) return;
    options.signal?.throwIfAborted();
    if (connection.opened) failures = 0;
    else await throwRefusal(options);
    await pause(Math.max(delay, connection.opened ? 1 : Math.min(BACKOFF_MAX, 2 ** failures)) * (1 + Math.random() / 2), options.signal);
  }
}

/** Runs a function of the caller, whose errors end neither the connection nor the loop. */
async function guarded({ onError }: EvalDuelOptions, run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (onError) onError(error);
    else console.error("arena: a function of the agent failed", error);
  }
}

/** A WebSocket does not tell why its handshake failed, so that a plain request asks whether the token is refused. */
async function throwRefusal({ server, token, signal }: EvalDuelOptions): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  // As everywhere in this package, a redirect is not followed: the token stays with the server it is for.
  const init: RequestInit = { headers, redirect: "manual", ...(signal && { signal }) };
  const answer = await fetch(`${server.replace(/\/+$/, "")}/agent/connect`, init).catch(() => undefined);
  const body = answer && (await readBody(answer, REFUSAL_MAX).catch(() => null));
  const text = new TextDecoder().decode(body ?? new Uint8Array());
  if (answer?.status === 401 || answer?.status === 403) throw new ConnectionRefused(text);
}

/** One connection. */
class Connection {
  opened = false;
  readonly #options: EvalDuelOptions;
  readonly #hasEnded: () => boolean;
  readonly #count: (result: MatchResult) => boolean;
  readonly #ending = new AbortController();
  #socket!: WebSocket;
  #sent: Record<string, unknown> = {};
  #delay = 1;
  #error: unknown;

  constructor(options: EvalDuelOptions, hasEnded: () => boolean, count: (result: MatchResult) => boolean) {
    this.#options = options;
    this.#hasEnded = hasEnded;
    this.#count = count;
  }

  /** Serves the connection to its end; gives the seconds to wait before the next. */
  async run(): Promise<number> {
    const { server, token, webSocket, signal } = this.#options;
    const Socket = webSocket ?? (globalThis.WebSocket as unknown as WebSocketClass | undefined);
    if (!Socket) throw new TypeError("this platform has no WebSocket: give that of the package ws as `webSocket`");
    const url = `${server.replace(/\/+$/, "").replace(/^http/, "ws")}/agent/connect`;
    const socket = new Socket(url, { headers: { authorization: `Bearer ${token}` } });
    this.#socket = socket;
    const stop = () => socket.close(1000);
    signal?.addEventListener("abort", stop, { once: true });
    await new Promise<void>((resolve) => {
      socket.addEventListener("message", ({ data }: MessageEvent) => this.#receive(String(data)));
      // After a failed handshake, the WebSocket of Node 20 sends no `close`.
      socket.addEventListener("error", () => !this.opened && resolve());
      socket.addEventListener("close", ({ reason }: CloseEvent) => {
        if (reason.includes("replaced")) this.#error = new ConnectionRefused(reason);
        resolve();
      });
    });
    signal?.removeEventListener("abort", stop);
    this.#ending.abort();
    if (this.#error) throw this.#error;
    return this.#delay;
  }

  #receive(text: string): void {
    try {
      this.#handle(JSON.parse(text) as Message);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    this.#socket.close(1000);
  }

  #handle(message: Message): void {
    switch (message.type) {
      case "evalduel.hello":
        return this.#begin();
      case "evalduel.match.request":
        // The reader goes on reading while the agent thinks. The protocol has no message for a failure: without an answer, the turn is lost.
        void guarded(this.#options, () => this.#play(message));
        return;
      case "evalduel.match.result":
        if (this.#count(message as unknown as MatchResult)) this.#join();
        if (this.#hasEnded()) this.#socket.close(1000);
        return;
      case "evalduel.error":
        return this.#recover(message);
    }
  }

  #begin(): void {
    const { name, model, onConnect } = this.#options;
    this.opened = true;
    if (name !== undefined && model !== undefined) this.#send("agent.metadata", { name, model });
    this.#join();
    const ping = setInterval(() => this.#send("ping", { id: "ping" }), PING_SECONDS * 1000);
    this.#ending.signal.addEventListener("abort", () => clearInterval(ping), { once: true });
    void guarded(this.#options, () => onConnect?.());
  }

  #join(): void {
    if (this.#options.queue !== false && !this.#hasEnded()) this.#send("queue.join", { mode: "ranked" });
  }

  async #play(request: Message): Promise<void> {
    const { output, shown } = await ask(this.#options.answer, request["task"] as Task);
    const { match_id, turn_id } = request;
    const metadata = { public_rationale: shown.rationale, confidence: shown.confidence };
    this.#sent = { match_id, turn_id, output, metadata };
    this.#send("match.response", this.#sent);
  }

  /** Repeats what failed once the server says that it can work; other errors need a change of the agent. */
  #recover(error: Message): void {
    const { code, message, retry_after_seconds: wait, match_id, turn_id } = error;
    console.warn(`arena: ${printable(code)}: ${printable(message)}`);
    if (code === "backpressure_busy") {
      this.#delay = Number(wait) || WAIT; // the server closes the connection
    } else if (wait && turn_id !== undefined && this.#sent["match_id"] === match_id && this.#sent["turn_id"] === turn_id) {
      this.#after(Number(wait) || WAIT, "match.response", this.#sent);
    } else if (wait && this.#options.queue !== false) {
      this.#after(Number(wait) || WAIT, "queue.join", { mode: "ranked" });
    }
  }

  #after(seconds: number, type: string, members: Record<string, unknown>): void {
    pause(seconds, this.#ending.signal).then(
      () => this.#send(type, members),
      () => undefined,
    );
  }

  #send(type: string, members: Record<string, unknown>): void {
    const OPEN = 1;
    if (this.#socket.readyState === OPEN) this.#socket.send(JSON.stringify({ type: `evalduel.${type}`, ...members }));
  }
}
