// Reads the AsyncAPI document into what both languages need: pushes, public events of the log, and the types of their data.

import { isDeepStrictEqual } from "node:util";

import { typeName } from "./document.mjs";

/** The schema that both documents have, each with words of its own. */
const LOGGED = "LoggedEvent";

/**
 * `{ pushes, batched, events, schemas, shared, logged }`: the payloads of pushes and of the entries of a batch, the events of the log with
 * the schemas of their data, the schemas that they use, the names of those that the OpenAPI document has too, and its schema of an event
 * of the log.
 */
export function readEvents(asyncapi, openapi) {
  const { messages, schemas } = asyncapi.components;
  const known = openapi.components.schemas;
  const pushes = messagesOf(messages, "push.").map(({ type, summary, payload }) => ({ name: `${pascalCase(type)}Push`, type, summary, payload }));
  const batch = pushes.find(({ type }) => type === "batch").payload.properties.data.properties.events;
  const batched = batch.items.oneOf.map((payload) => ({ name: `Batched${pascalCase(payload.properties.event.const)}`, payload }));
  batch.items = { $ref: "#/components/schemas/BatchedEvent" };
  const events = messagesOf(messages, "log.").map(({ type, summary, payload }) => {
    return { name: `${pascalCase(type)}Event`, type, summary, data: payload.allOf[1].properties.decoded };
  });
  const used = closure([pushes, batched, events], schemas);
  const named = closure([pushes, batched, events], schemas, (name) => name in known);
  const shared = named.filter((name) => name in known);
  for (const name of used.filter((name) => name in known)) {
    if (!isDeepStrictEqual(known[name], schemas[name])) throw new Error(`the OpenAPI and the AsyncAPI document differ in ${name}`);
  }
  const own = [...pushes, ...batched, ...events].map(({ name }) => name);
  const taken = [...own, ...used].filter((name, index, all) => (own.includes(name) && name in known) || all.indexOf(name) !== index);
  if (taken.length > 0) throw new Error(`two types have the name ${taken[0]}`);
  return {
    pushes,
    batched,
    events,
    schemas: used.filter((name) => !(name in known)).map((name) => ({ name: typeName(name), schema: schemas[name] })),
    shared: shared.map(typeName),
    logged: known[LOGGED],
  };
}

function messagesOf(messages, prefix) {
  return Object.entries(messages)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, { summary, payload }]) => ({ type: name.slice(prefix.length), summary, payload }));
}

/** The names of the schemas that a value names, and that they name in turn unless they are `isLast`, in alphabetical order. */
function closure(value, schemas, isLast = () => false) {
  const [found, waiting] = [new Set(), [value]];
  while (waiting.length > 0) {
    for (const [, name] of JSON.stringify(waiting.pop()).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (name in schemas && !found.has(name)) {
        found.add(name);
        if (!isLast(name)) waiting.push(schemas[name]);
      }
    }
  }
  return [...found].sort();
}

/** The description of the type of a push. */
export function pushDescription({ type, summary }) {
  return `${summary.replace(/\.$/, "")} (\`${type}\`).`;
}

/** `MessagePosted` of `message.posted`. */
function pascalCase(type) {
  return type.split(/[._]/).map((word) => word[0].toUpperCase() + word.slice(1)).join("");
}
