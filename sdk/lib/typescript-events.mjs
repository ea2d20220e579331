// Writes the TypeScript SDK's events.ts.

import { pushDescription } from "./events.mjs";
import { comment, declaration, HEAD } from "./typescript.mjs";

export function typescriptEvents({ pushes, batched, events, schemas, shared }) {
  const types = schemas.map(({ name, schema }) => declaration(name, schema));
  const bodies = pushes.map((push) => declaration(push.name, { ...push.payload, description: pushDescription(push) }));
  const entries = batched.map(({ name, payload }) => {
    return declaration(name, { ...payload, description: `An event \`${payload.properties.event.const}\` in a batch.` });
  });
  const single = pushes.filter(({ type }) => type !== "batch" && type !== "ping");
  const rows = events.map(({ type, summary, data }) => `${comment(summary, "  ")}  ${JSON.stringify(type)}: ${data.$ref.split("/").pop()};\n`);
  return `${HEAD("The events: what is pushed, and the public events of the log.", "api/src/events/asyncapi.json")}
import type { ${[...shared, "AgentEvent", "LoggedEvent"].sort().join(", ")} } from "./types.js";

${[...types, ...bodies, ...entries].join("\n")}
/** The push of one event. */
export type EventPush = ${single.map(({ name }) => name).join(" | ")};

/** The body of a push. \`event\` tells which one. */
export type PushBody = EventPush | BatchPush | PingPush;

/** An event in a batch. \`event\` tells which one. */
export type BatchedEvent = ${batched.map(({ name }) => name).join(" | ")};

/** An event of \`readAgentEvents\`: the body of its push, and its position. */
export type PulledEvent = Omit<AgentEvent, "body"> & { body: EventPush };

/** The data of each public event of the log. */
export interface EventData {
${rows.join("")}}

/** A public event of the log, as \`readLog\` shows it. \`type\` tells which one; it has no \`decoded\` after a redaction. */
export type PublicEvent = {
  [Type in keyof EventData]: Omit<LoggedEvent, "type" | "decoded"> & { type: Type; decoded?: EventData[Type] };
}[keyof EventData];
`;
}
