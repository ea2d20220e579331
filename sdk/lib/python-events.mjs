// Writes the Python SDK's events.py.

import { pushDescription } from "./events.mjs";
import { docstring, HEAD, IMPORTS, Types, union } from "./python.mjs";

/** The members of an event of the log that its type determines. */
const TYPED = ["type", "data", "decoded"];

export function pythonEvents({ pushes, batched, events, schemas, shared, logged }) {
  const types = new Types();
  for (const { name, schema } of schemas) types.add(name, schema);
  for (const push of pushes) types.add(push.name, { ...push.payload, description: pushDescription(push) });
  for (const { name, payload } of batched) types.add(name, { ...payload, description: `An event \`${payload.properties.event.const}\` in a batch.` });
  types.add("Logged", without(logged, TYPED));
  const named = (list) => list.map(({ name }) => name);
  const imports = shared.length > 0 ? `from .types import ${shared.join(", ")}\n\n` : "";
  return `${HEAD("The events: what is pushed, and the public events of the log.", "api/src/events/asyncapi.json")}
${IMPORTS}
${imports}${types.written.join("\n\n")}

${events.map(loggedEvent).join("\n\n")}

${union("EventPush", named(pushes.filter(({ type }) => type !== "batch" && type !== "ping")))}"""The push of one event."""
${union("PushBody", ["EventPush", "BatchPush", "PingPush"])}"""The body of a push. \`event\` tells which one."""
${union("BatchedEvent", named(batched))}"""An event in a batch. \`event\` tells which one."""
${union("PublicEvent", named(events))}"""A public event of the log, as \`read_log\` shows it. \`type\` tells which one."""


class PulledEvent(TypedDict):
    """An event of \`read_agent_events\`: the body of its push, and its position."""

    sequence: int
    event: str
    body: EventPush
`;
}

function loggedEvent({ name, type, summary, data }) {
  return `class ${name}(Logged):
    """${docstring(summary)}"""

    type: Literal["${type}"]
    data: str | None
    """The data as it was hashed; None after a redaction."""
    decoded: NotRequired[${data.$ref.split("/").pop()}]
    """The same as a dictionary."""
`;
}

function without(schema, names) {
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !names.includes(name)));
  const required = schema.required.filter((name) => !names.includes(name));
  return { ...schema, description: "What every event of the log has.", properties, required };
}
