// Reads the OpenAPI document into what both languages need: named schemas, and operations with their parameters.

/** Operations that the SDKs do not generate: live streams, which have code of their own. */
const BY_HAND = new Set(["followLog", "followAgent", "followWorkspace"]);

/** POSTs without `Idempotency-Key` that the protocol of the relay makes safe to repeat: the same signed body counts once. */
const REPEATABLE = new Set(["submitEvent", "submitMessage", "submitBatch", "registerParty", "sendHeartbeat"]);

const METHODS = ["get", "post", "put", "patch", "delete"];

/** `{ schemas: [{ name, schema }], operations: [operation] }`, both in the order of their names. */
export function readDocument(openapi) {
  const resolve = (value) => (value?.$ref ? value.$ref.slice(2).split("/").reduce((at, key) => at[key], openapi) : value);
  const operations = [];
  for (const [path, item] of Object.entries(openapi.paths)) {
    for (const method of METHODS.filter((method) => item[method] && !BY_HAND.has(item[method].operationId))) {
      operations.push(readOperation(path, method, item[method], resolve));
    }
  }
  operations.sort((left, right) => (left.name < right.name ? -1 : 1));
  const filled = new Map(operations.filter(({ body }) => body?.$ref).map(({ body, constants }) => [referenceName(body), constants]));
  const schemas = Object.entries(openapi.components.schemas)
    .map(([name, schema]) => ({ name: typeName(name), schema }))
    .map(({ name, schema }) => ({ name, schema: without(schema, filled.get(name) ?? {}) }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  return { schemas, operations };
}

/** The name of a type: `Page_Agent` becomes `AgentPage`. */
export function typeName(name) {
  return name.startsWith("Page_") ? `${name.slice(5)}Page` : name;
}

export function referenceName(schema) {
  return typeName(schema.$ref.split("/").pop());
}

function readOperation(path, method, operation, resolve) {
  const parameters = (operation.parameters ?? []).map(resolve);
  const within = (place) => parameters.filter((parameter) => parameter.in === place);
  const body = resolve(operation.requestBody)?.content?.["application/json"]?.schema;
  const { result, page } = readResult(operation, resolve);
  const isKeyed = within("header").some((header) => header.name === "Idempotency-Key");
  return {
    name: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: firstLine(operation.summary ?? operation.description ?? ""),
    pathParameters: within("path").map((parameter) => ({ name: parameter.name, argument: argumentName(path, parameter.name) })),
    query: within("query"),
    body,
    constants: isKeyed ? constantsOf(resolve(body) ?? {}, resolve) : {},
    bodyRequired: resolve(operation.requestBody)?.required === true,
    takesMatch: within("header").some((header) => header.name === "If-Match"),
    isKeyed,
    isRepeatable: isKeyed || (method !== "post" && method !== "patch") || REPEATABLE.has(operation.operationId),
    result,
    page,
  };
}

/**
 * The required members of a body that have one possible value. The SDKs send them unless the caller does; not in signed bodies, which
 * have no `Idempotency-Key`.
 */
function constantsOf({ required = [], properties = {} }, resolve) {
  const only = ({ const: value, enum: values, minimum, maximum }) => {
    if (value !== undefined) return value;
    if (values?.length === 1) return values[0];
    return minimum === maximum ? minimum : undefined;
  };
  const members = required.map((name) => [name, only(resolve(properties[name]) ?? {})]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The schema, in which these members may be left out. */
function without(schema, constants) {
  const required = schema.required?.filter((name) => !(name in constants));
  return required === undefined ? schema : { ...schema, required };
}

/** The type of the answer: `{ schema }`, `"text"`, or null for an empty one; and the type of its items if it is a page. */
function readResult(operation, resolve) {
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, answer]) => resolve(answer).content)
    .filter((content) => content !== undefined);
  const content = answers[0];
  if (content === undefined) return { result: null, page: null };
  const schema = content["application/json"]?.schema ?? content["application/schema+json"]?.schema;
  if (schema === undefined) return { result: "text", page: null };
  const { properties = {} } = resolve(schema);
  const isPage = properties.items && properties.nextCursor;
  return { result: { schema }, page: isPage ? properties.items.items : null };
}

/** The name of a path's parameter where it is an argument: `id` alone is named after the segment before it. */
function argumentName(path, name) {
  if (name !== "id") return name;
  const segments = path.split("/");
  const noun = segments[segments.indexOf("{id}") - 1].replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return `${noun.replace(/(tch)es$/, "$1").replace(/s$/, "")}Id`;
}

/** The first sentence of a description, on one line. */
export function firstSentence(text = "") {
  const line = text.replace(/\s+/g, " ").trim();
  const end = line.search(/[.:](?= [A-Z`])/);
  return end < 0 ? line : `${line.slice(0, end)}.`;
}

function firstLine(text) {
  return text.split("\n")[0].trim().replace(/\.$/, "");
}

export function snakeCase(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}
