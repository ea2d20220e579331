// Live streams: Server-Sent Events that continue after a broken connection.

import { BuildtrackError } from "./errors.js";
import type { EventData } from "./events.js";
import type { LoggedEvent } from "./types.js";

/**
 * An event of a live stream. `type` tells which `content` it has; a newer server may send events that are not listed here. `gap` stands
 * where the server leaves events out.
 */
export type LiveEvent =
  | { [Type in keyof EventData]: LiveEventOf<Type, EventData[Type]> }[keyof EventData]
  | LiveEventOf<"private" | "gap" | "end", never>;

/** An event of a live stream with this content. */
export interface LiveEventOf<Type extends string, Content> {
  /** Such as `message.posted`. */
  type: Type;
  /** The position on the log, from which a later stream can continue. */
  position: number | null;
  /** The event as `readLog` shows it; for a gap, its `reason` and where the stream continues. */
  data: LoggedEvent & { reason?: string; after?: number; upTo?: number };
  /** The event's own data, decoded; null after a redaction, for private events and for gaps. */
  content: Content | null;
}

/** One message of a stream. */
export interface Frame {
  id?: string;
  event: string;
  /** Empty if the message only moves the position. */
  data: string;
}

/** The characters of a message. An event of the server has fewer. */
const FRAME_MAX = 8 * 1024 * 1024;

/** The position on the log that a message has. */
export function positionOf({ id }: Frame): number | null {
  return id !== undefined && /^\d+$/.test(id) ? Number(id) : null;
}

/** Whether the server ends the stream with this message: another one continues behind the last position, so that nothing is missing. */
export function endsStream({ event, data }: Frame): boolean {
  return event === "end" || (event === "gap" && (JSON.parse(data) as { reason?: string }).reason === "too_slow");
}

/** Reads the messages (HTML standard, «Interpreting an event stream»), and the positions that come without one. */
export async function* frames(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void, undefined> {
  let frame: Frame = { event: "message", data: "" };
  let data: string[] = [];
  let length = 0;
  for await (const line of lines(parts)) {
    if (line === "") {
      if (data.length > 0 || frame.id !== undefined) yield { ...frame, data: data.join("\n") };
      frame = { event: "message", data: "" };
      data = [];
      length = 0;
      continue;
    }
    length += line.length;
    bound(length);
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") frame.event = value;
    else if (field === "id" && !value.includes("\0")) frame.id = value;
  }
}

async function* lines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of parts) {
    const found = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = found.pop() ?? "";
    bound(rest.length);
    for (const line of found) yield line.replace(/\r$/, "");
  }
}

function bound(length: number): void {
  if (length > FRAME_MAX) throw new BuildtrackError("a message of the stream is too long");
}

/** The event of a message. */
export function liveEvent(frame: Frame): LiveEvent {
  const data = JSON.parse(frame.data) as LiveEvent["data"];
  const content: unknown = typeof data.data === "string" ? JSON.parse(data.data) : null;
  return { type: frame.event, position: positionOf(frame), data, content } as LiveEvent;
}
