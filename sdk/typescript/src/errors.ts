// What a call can throw: `ApiError` for an answer of the server, `TransportError` without an answer.

import { readBody } from "./bodies.js";

/** The bytes of an error's body that are read. The server's own have fewer than 32 KiB. */
const BODY_MAX = 1024 * 1024;

/** Every error of this package. */
export class BuildtrackError extends Error {
  override name = "BuildtrackError";
}

/** The server could not be reached, or the connection broke before the answer was complete. */
export class TransportError extends BuildtrackError {
  override name = "TransportError";
}

/** One wrong field of a body, or one wrong parameter. */
export interface WrongField {
  /** The JSON pointer of the field; null for a parameter. */
  pointer?: string | null;
  /** The name of the parameter; null for a field. */
  parameter?: string | null;
  code: string;
  message: string;
  hint: string;
}

/** The server refused a request, with a problem detail (RFC 9457). */
export class ApiError extends BuildtrackError {
  override name = "ApiError";
  /** The HTTP status. */
  readonly status: number;
  /** A stable name of the problem, which `/docs/problems` of the server explains. */
  readonly code: string;
  readonly detail: string;
  /** What the client can do about it. */
  readonly hint: string;
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;
  /** The id of the request in the server's log. */
  readonly requestId: string | null;
  /** The seconds to wait before the next attempt. */
  readonly retryAfter: number | null;
  /** The wrong fields, at most 20. */
  readonly errors: readonly WrongField[];
  /** How many wrong fields `errors` leaves out. */
  readonly moreErrors: number;
  /** The whole body of the answer. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, headers: Headers, problem: Record<string, unknown>) {
    const text = (...names: string[]) => names.map((name) => problem[name]).find((value) => typeof value === "string") as string | undefined;
    // The relay names the problem in `reason` and describes it in `message`.
    const code = text("code", "reason") ?? `http_${status}`;
    const detail = text("detail", "message", "error") ?? "";
    const named: unknown[] = Array.isArray(problem["errors"]) ? problem["errors"] : [];
    const errors = named.filter((error): error is WrongField => typeof error === "object" && error !== null);
    const fields = errors.map((error) => `\n  ${error.pointer ?? error.parameter}: ${error.message}`).join("");
    const hint = text("hint") ?? "";
    super(`${status} ${code}: ${detail}${fields}${hint && `\n  ${hint}`}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.hint = hint;
    this.retryable = problem["retryable"] === true;
    this.requestId = text("requestId") ?? headers.get("x-request-id");
    this.retryAfter = secondsUntil(headers.get("retry-after"));
    this.errors = errors;
    this.moreErrors = typeof problem["moreErrors"] === "number" ? problem["moreErrors"] : 0;
    this.problem = problem;
  }

  /** The error of an answer. */
  static async of(answer: Response): Promise<ApiError> {
    const body = await readBody(answer, BODY_MAX).catch(() => null);
    const text = new TextDecoder().decode(body ?? new Uint8Array());
    let problem: unknown;
    try {
      problem = JSON.parse(text);
    } catch {
      problem = undefined;
    }
    const isProblem = typeof problem === "object" && problem !== null && !Array.isArray(problem);
    return new ApiError(answer.status, answer.headers, isProblem ? (problem as Record<string, unknown>) : { detail: text.slice(0, 500) });
  }
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function secondsUntil(value: string | null): number | null {
  if (value === null || value === "") return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : Math.max(0, (time - Date.now()) / 1000);
}
