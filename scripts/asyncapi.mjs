// Writes api/src/events/asyncapi.json, the AsyncAPI 3 document of pushes, live streams and WebSockets, and the tables of
// docs/guide/events.md. Both have a JSON Schema of the data of each public event and of each push, as the sources of crates/domain
// declare them. `--check` compares the files with the sources instead. tests/tests/e2e/events.rs validates recorded events with the
// schemas.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const domain = join(root, "crates/domain/src");
const target = join(root, "api/src/events/asyncapi.json");
const guide = join(root, "docs/guide/events.md");
const frames = JSON.parse(readFileSync(join(root, "api/src/events/frames.json"), "utf8"));

const files = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return path.endsWith(".rs") ? [path] : [];
  });
const sources = files(domain).sort().map((path) => ({ path, text: readFileSync(path, "utf8") }));

// Types that serialize by code of their own, or that only one place names.
const WRITTEN = {
  String: { type: "string" },
  str: { type: "string" },
  bool: { type: "boolean" },
  f64: { type: "number" },
  "DateTime<Utc>": { type: "string", format: "date-time" },
};
for (const integer of ["i64", "i32", "u64", "u32", "u16", "u8", "usize", "NonZeroU32"]) WRITTEN[integer] = { type: "integer" };

// The ids, each with its prefix.
const ids = readFileSync(join(domain, "ids.rs"), "utf8");
for (const [, name, prefix] of ids.matchAll(/^ {4}(\w+) = "(\w+)";/gm)) {
  WRITTEN[name] = { type: "string", pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$` };
}

// Texts whose form code checks.
const ID = "[0-7][0-9a-hjkmnp-tv-z]{25}";
const TEXTS = {
  ActorId: `^(ag|ow)_${ID}$`,
  Commitment: "^[0-9a-f]{64}$",
  DocumentHash: "^[0-9a-f]{40}$",
  Item: `^(ws|msg|post|reply)_${ID}$`,
  SubjectId: `^((msg|post|reply|ws|ag|ow)_${ID}|log_[1-9][0-9]*)$`,
  TargetId: `^(msg|post|reply)_${ID}$`,
  TaskHash: "^[0-9a-f]{64}$",
  TaskId: "^[a-z0-9]+(-[a-z0-9]+)*$",
};
for (const [name, pattern] of Object.entries(TEXTS)) WRITTEN[name] = { type: "string", pattern };
for (const [, name] of readFileSync(join(domain, "relay/ids.rs"), "utf8").matchAll(/^ {4}(\w+);$/gm)) WRITTEN[name] = { type: "string", minLength: 1 };
// A signed envelope, as the relay accepted it.
WRITTEN.Sealed = { type: "object" };
WRITTEN.Value = {};

const words = (name) => name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[ _]/).map((word) => word.toLowerCase());
const CASES = {
  camelCase: (parts) => parts.map((part, index) => (index ? part[0].toUpperCase() + part.slice(1) : part)).join(""),
  "kebab-case": (parts) => parts.join("-"),
  snake_case: (parts) => parts.join("_"),
  lowercase: (parts) => parts.join(""),
};

// The text between an opening brace and its partner.
function body(text, from) {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(from + 1, at);
  }
  throw new Error(`no end of ${text.slice(from, from + 60)}`);
}

const lookup = (name, from) => {
  const pattern = new RegExp(`((?:^[ ]*(?:///|#\\[|//).*\\n)*)^ *(?:pub(?:\\([a-z]+\\))? )?(struct|enum) ${name}(?:<'a>)?(?:, "[^"]*")? ?([{(])`, "m");
  const here = sources.filter(({ path }) => path === from);
  const folder = dirname(from);
  const near = sources.filter(({ path }) => path.startsWith(folder));
  const above = sources.filter(({ path }) => path.startsWith(dirname(folder)) && dirname(folder) !== dirname(domain));
  for (const source of [...here, ...near, ...above, ...sources]) {
    const found = pattern.exec(source.text);
    if (found) return { found, source };
  }
  throw new Error(`${relative(root, from)}: no type ${name}`);
};

const described = (lines) => [...lines.matchAll(/^ *\/\/\/ ?(.*)$/gm)].map(([, line]) => line).join(" ").replace(/\[`([^`\]]*)`\](\([^)]*\))?/g, "`$1`").trim();
const attribute = (lines, name) => new RegExp(`#\\[serde\\([^\\]]*\\b${name} = "([^"]+)"`).exec(lines)?.[1];
const has = (lines, word) => new RegExp(`#\\[serde\\([^\\]]*\\b${word}\\b`).test(lines);

function schema(type, from, $defs) {
  const plain = type.replace(/&'a |&'static |&/g, "").replace(/\b(\w+::)+/g, "").trim();
  if (WRITTEN[plain]) return WRITTEN[plain];
  let inner = /^(?:Vec|BTreeSet)<(.*)>$/.exec(plain)?.[1] ?? /^\[(.*?)(?:; \w+)?\]$/.exec(plain)?.[1];
  if (inner) return { type: "array", items: schema(inner, from, $defs) };
  inner = /^(?:Box|Arc)<(.*)>$/.exec(plain)?.[1];
  if (inner) return schema(inner, from, $defs);
  inner = /^Option<(.*)>$/.exec(plain)?.[1];
  if (inner) return { anyOf: [schema(inner, from, $defs), { type: "null" }] };
  inner = /^BTreeMap<\w+, (.*)>$/.exec(plain)?.[1];
  if (inner) return { type: "object", additionalProperties: schema(inner, from, $defs) };
  const name = plain.replace(/<'a>|<'_>/, "");
  const { found, source } = lookup(name, from);
  const key = relative(domain, source.path).replace(/\/mod\.rs$/, ".rs").split("/").slice(0, -1).concat(name).map((part) => part[0].toUpperCase() + part.slice(1)).join("");
  if (!(key in $defs)) {
    $defs[key] = {};
    $defs[key] = declared(found, source, $defs);
  }
  return { $ref: `#/$defs/${key}` };
}

function declared([whole, lines, kind, bracket], source, $defs) {
  const at = source.text.indexOf(whole) + whole.length - 1;
  const from = attribute(lines, "try_from") ?? attribute(lines, "into");
  if (from) return schema(from, source.path, $defs);
  if (bracket === "(") return schema(/\((?:pub(?:\([a-z]+\))? )?([^,)]+)/.exec(source.text.slice(at))[1], source.path, $defs);
  const inside = body(source.text, at);
  return kind === "enum" ? ofEnum(lines, inside, source, $defs) : ofStruct(lines, inside, source, $defs);
}

function ofStruct(lines, inside, source, $defs, style = attribute(lines, "rename_all")) {
  const [properties, required] = [{}, []];
  const field = /((?: *(?:\/\/\/|#\[|\/\/).*\n)*) *(?:pub(?:\([a-z]+\))? )?(\w+): ([^\n]+?),?(?:\n|$)/g;
  for (const [, notes, name, type] of inside.matchAll(field)) {
    if (has(notes, "skip")) continue;
    const optional = has(notes, "skip_serializing_if");
    const inner = optional ? (/^Option<(.*)>$/.exec(type)?.[1] ?? type) : type;
    const wire = attribute(notes, "rename") ?? (style ? CASES[style](words(name)) : name);
    if (has(notes, "flatten")) {
      const { $ref } = schema(inner, source.path, $defs);
      const whole = $defs[$ref.split("/").pop()];
      Object.assign(properties, whole.properties);
      required.push(...(whole.required ?? []));
      continue;
    }
    const description = described(notes);
    properties[wire] = { ...schema(inner, source.path, $defs), ...(description && { description }) };
    if (!optional) required.push(wire);
  }
  return { type: "object", properties, required };
}

function ofEnum(lines, inside, source, $defs) {
  // The macro `words!` gives each variant its name on the wire.
  const named = [...inside.matchAll(/^ *\w+ = "([^"]+)",$/gm)].map(([, wire]) => wire);
  if (named.length > 0) return { type: "string", enum: named };
  const style = attribute(lines, "rename_all");
  const [tag, content] = [attribute(lines, "tag"), attribute(lines, "content")];
  const variant = /((?: *(?:\/\/\/|#\[|\/\/).*\n)*) {4}(\w+)(?: = \d+)?(?:\((.*?)\)| \{([\s\S]*?)\n {4}\})?,\n/g;
  const found = [...`${inside}\n`.matchAll(variant)].map(([, notes, name, tuple, fields]) => ({
    wire: attribute(notes, "rename") ?? (style ? CASES[style](words(name)) : name), tuple, fields, notes,
  }));
  if (found.length === 0) throw new Error(`no variants: ${inside}`);
  if (found.every(({ tuple, fields }) => !tuple && !fields)) {
    if (!tag) return { type: "string", enum: found.map(({ wire }) => wire) };
  }
  const alternatives = found.map(({ wire, tuple, fields, notes }) => {
    const own = fields && ofStruct(lines, `${fields}\n`, source, $defs, attribute(notes, "rename_all") ?? attribute(lines, "rename_all_fields"));
    const value = tuple ? schema(tuple, source.path, $defs) : own;
    if (has(lines, "untagged")) return value;
    if (!tag) return value ? { type: "object", properties: { [wire]: value }, required: [wire] } : { const: wire };
    const named = { [tag]: { const: wire } };
    if (content) {
      return { type: "object", properties: { ...named, ...(value && { [content]: value }) }, required: [tag, ...(value ? [content] : [])] };
    }
    const whole = value?.$ref ? $defs[value.$ref.split("/").pop()] : value;
    return { type: "object", properties: { ...named, ...whole?.properties }, required: [tag, ...(whole?.required ?? [])] };
  });
  return { oneOf: alternatives };
}

function catalogue() {
  const $defs = {};
  const events = {};
  for (const source of sources) {
    const event = /((?: *\/\/\/.*\n)+)\s*\w+\((\w+)\) = "([^"]+)", Public, \[/g;
    for (const [, notes, type, name] of source.text.matchAll(event)) {
      events[name] = { description: described(notes), data: schema(type, source.path, $defs) };
    }
  }
  const pushes = {};
  const types = readFileSync(join(domain, "push_type.rs"), "utf8");
  for (const [, notes, variant, name] of types.matchAll(/((?: *\/\/\/.*\n)+) *(\w+) = "([^"]+)",/g)) {
    const event = sources.flatMap(({ text }) => [...text.matchAll(new RegExp(`\\((\\w+)\\) = "[^"]+", \\w+,\\s*\\[[^\\]]*Pushed\\(${variant}\\)`, "g"))])[0];
    const encoded = new RegExp(`impl Pushed(?:ToAgent)? for ${event[1]} \\{[\\s\\S]*?encode\\(&(\\w+) \\{`);
    const source = sources.find(({ text }) => encoded.test(text));
    const data = encoded.exec(source.text)[1];
    pushes[name] = { description: described(notes), data: schema(data, source.path, $defs) };
  }
  const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { events: sorted(events), pushes, $defs: sorted($defs) };
}

// The document. The server fills in {protocol}, {socket}, {host}, {pathname} and {version}.
function asyncapi({ events, pushes, $defs }) {
  const schemas = { ...frames.schemas, ...$defs };
  const messages = {};
  const reference = (name) => ({ $ref: `#/components/messages/${name}` });
  for (const [type, { description, data }] of Object.entries(events)) {
    const text = { type: ["string", "null"], contentMediaType: "application/json", contentSchema: data };
    const payload = { allOf: [{ $ref: "#/$defs/LoggedEvent" }, { properties: { type: { const: type }, data: text, decoded: data } }] };
    messages[`log.${type}`] = { name: type, summary: description, contentType: "application/json", payload };
  }
  const envelope = (event, data, required = []) => ({
    type: "object",
    properties: {
      ...(required.length > 0 && { deliveryId: { $ref: "#/$defs/DeliveryId" }, sequence: { type: "string", pattern: "^[0-9]+$" } }),
      event: { const: event },
      ...(required.length === 0 && { agentId: WRITTEN.AgentId }),
      data,
      sentAt: { type: "integer", description: "When the event was recorded, in Unix seconds." },
    },
    required: [...required, "event", ...(required.length === 0 ? ["agentId"] : []), "data", "sentAt"],
  });
  const entries = [];
  for (const [type, { description, data }] of Object.entries(pushes)) {
    messages[`push.${type}`] = { name: type, summary: description, contentType: "application/json", headers: { $ref: "#/$defs/PushHeaders" }, payload: envelope(type, data) };
    entries.push(envelope(type, data, ["deliveryId", "sequence"]));
  }
  const batch = { type: "object", properties: { events: { type: "array", minItems: 1, items: { oneOf: entries } } }, required: ["events"] };
  messages["push.batch"] = { name: "batch", summary: "Several events for an endpoint that asks for batches.", contentType: "application/json", headers: { $ref: "#/$defs/PushHeaders" }, payload: envelope("batch", batch) };
  const ping = { type: "object", properties: { webhookId: { type: "string" }, note: { type: "string" } }, required: ["webhookId", "note"] };
  messages["push.ping"] = { name: "ping", summary: "A test event, sent when the owner asks for it.", contentType: "application/json", headers: { $ref: "#/$defs/PushHeaders" }, payload: envelope("ping", ping) };
  Object.assign(messages, frames.messages);
  const logged = Object.keys(messages).filter((name) => name.startsWith("log."));
  const live = [...logged, "live.private", "live.gap", "live.end"];
  const pushed = Object.keys(messages).filter((name) => name.startsWith("push."));
  const listed = (names) => Object.fromEntries(names.map((name) => [name, reference(name)]));
  const channels = { ...frames.channels };
  channels.pushes.messages = listed(pushed);
  for (const name of ["liveLog", "liveWorkspace", "liveAgent"]) channels[name].messages = listed(live);
  const operations = Object.fromEntries(Object.entries(frames.operations).map(([name, { channel, ...rest }]) => [name, { ...rest, channel: { $ref: `#/channels/${channel}` } }]));
  const { info, servers } = frames;
  const document = { asyncapi: "3.0.0", info, servers, defaultContentType: "application/json", channels, operations, components: { messages, schemas } };
  return JSON.stringify(document, null, 1).replaceAll("#/$defs/", "#/components/schemas/") + "\n";
}

// The members of an event's data, as a cell of a table.
function members({ data }, $defs) {
  const { properties = {}, required = [] } = $defs[data.$ref.split("/").pop()];
  return Object.keys(properties).map((name) => `\`${name}\`${required.includes(name) ? "" : " (optional)"}`).join(", ");
}

const HEADING = "## Pushes";

function page(before, { events, pushes, $defs }) {
  const table = (entries, title) => [`| ${title} | Meaning | Members of \`data\` |`, "|---|---|---|", ...Object.entries(entries).map(([name, entry]) => `| \`${name}\` | ${entry.description} | ${members(entry, $defs)} |`)].join("\n");
  const beginning = before.slice(0, before.indexOf(`\n${HEADING}\n`) + 1);
  const own = "[scripts/asyncapi.mjs](../../scripts/asyncapi.mjs) writes these tables.";
  return `${beginning}${HEADING}\n\n${own}\n\n${table(pushes, "Push")}\n\n## Events of the public log\n\n${table(events, "Event")}\n`;
}

const known = catalogue();
const written = { [target]: asyncapi(known), [guide]: page(readFileSync(guide, "utf8"), known) };
for (const [path, text] of Object.entries(written)) {
  if (!process.argv.includes("--check")) {
    writeFileSync(path, text);
  } else if (readFileSync(path, "utf8") !== text) {
    console.error(`${relative(root, path)} is not what crates/domain declares: run node scripts/asyncapi.mjs`);
    process.exitCode = 1;
  }
}
