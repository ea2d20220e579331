// Writes the TypeScript SDK's types.ts and operations.ts.

import { firstSentence, referenceName } from "./document.mjs";

export const HEAD = (content, source = "openapi/openapi.json") => `// ${content}\n//\n// Written by sdk/generate.mjs from ${source}: do not edit.\n`;
export const comment = (text, indent = "") => (text ? `${indent}/** ${text.replace(/\*\//g, "*\\/")} */\n` : "");
const isName = (text) => /^[A-Za-z_$][\w$]*$/.test(text);

export function typescriptTypes({ schemas }) {
  const written = schemas.map(({ name, schema }) => declaration(name, schema));
  return `${HEAD("The documents of the API.")}\n${written.join("\n")}`;
}

/** The declaration of a type. */
export function declaration(name, schema) {
  const head = comment(firstSentence(schema.description));
  if (schema.properties) return `${head}export interface ${name} ${members(schema, "")}\n`;
  return `${head}export type ${name} = ${typeOf(schema, "")};\n`;
}

function members(schema, indent) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties).map(([name, value]) => {
    const optional = required.has(name) ? "" : "?";
    const key = isName(name) ? name : JSON.stringify(name);
    const inner = `${indent}  `;
    return `${comment(firstSentence(value.description), inner)}${inner}${key}${optional}: ${typeOf(value, inner)};\n`;
  });
  return `{\n${rows.join("")}${indent}}`;
}

function typeOf(schema, indent) {
  if (schema === undefined || Object.keys(schema).length === 0) return "unknown";
  if (schema.$ref) return referenceName(schema);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice, indent)))].join(" | ");
  const kinds = [schema.type].flat().map((kind) => kindOf(kind, schema, indent));
  return kinds.join(" | ");
}

function kindOf(kind, schema, indent) {
  switch (kind) {
    case "string":
    case "boolean":
    case "number":
    case "null":
      return kind;
    case "integer":
      return "number";
    case "array": {
      const item = typeOf(schema.items, indent);
      return item.includes(" ") ? `Array<${item}>` : `${item}[]`;
    }
    case "object":
      if (schema.properties) return members(schema, indent);
      return `Record<string, ${schema.additionalProperties?.type ? typeOf(schema.additionalProperties, indent) : "unknown"}>`;
    default:
      return "unknown";
  }
}

export function typescriptOperations({ operations }) {
  return `${HEAD("The operations of the API, one method each.")}
import type { Pages } from "./pages.js";
import { type Call, type CallOptions, segment } from "./transport.js";
import type * as t from "./types.js";

/** One method for each operation of the API. */
export abstract class Operations {
  /** Sends a request and gives the decoded body of the answer. */
  abstract send<T>(call: Call, options?: CallOptions): Promise<T>;

  /** The pages of a list. */
  abstract pages<Item, Page>(path: string, query: object, options?: CallOptions): Pages<Item, Page>;

${operations.map(operationMethod).join("\n")}}
`;
}

/** A type as operations.ts names it. */
function named(schema) {
  if (schema === null || schema === undefined) return "unknown";
  return schema.$ref ? `t.${referenceName(schema)}` : typeOf(schema, "  ");
}

function operationMethod(operation) {
  const { name, method, path, pathParameters, query, body, bodyRequired, page } = operation;
  const given = pathParameters.map(({ argument }) => `${argument}: string`);
  if (body) given.push(`body${bodyRequired ? "" : "?"}: ${named(body)}`);
  if (query.length > 0) {
    const isRequired = query.some((parameter) => parameter.required);
    const rows = query.map((parameter) => `${isName(parameter.name) ? parameter.name : JSON.stringify(parameter.name)}${parameter.required ? "" : "?"}: ${named(parameter.schema)}`);
    given.push(`query: { ${rows.join("; ")} }${isRequired ? "" : " = {}"}`);
  }
  given.push("options: CallOptions = {}");
  const route = `\`${path.replace(/\{(\w+)\}/g, (_, parameter) => `\${segment(${pathParameters.find(({ name }) => name === parameter).argument})}`)}\``;
  const type = resultType(operation);
  const doc = comment(`${operation.summary} (\`${method} ${path}\`)`, "  ");
  if (page) {
    return `${doc}  ${name}(${given.join(", ")}): ${type} {\n    return this.pages(${route}, ${query.length > 0 ? "query" : "{}"}, options);\n  }\n`;
  }
  return `${doc}  ${name}(${given.join(", ")}): Promise<${type}> {\n    return this.send({ ${callOf(operation, route)} }, options);\n  }\n`;
}

function resultType({ result, page }) {
  if (page) return `Pages<${named(page)}, ${named(result.schema)}>`;
  if (result === null) return "void";
  return result === "text" ? "string" : named(result.schema);
}

function callOf({ method, body, constants, query, isKeyed, isRepeatable }, route) {
  const given = [`method: "${method}"`, `path: ${route}`];
  const filled = Object.entries(constants).map(([name, value]) => `${name}: ${JSON.stringify(value)}, `);
  if (body) given.push(filled.length > 0 ? `body: { ${filled.join("")}...body }` : "body");
  if (query.length > 0) given.push("query");
  if (isKeyed) given.push("keyed: true");
  if (isRepeatable) given.push("repeatable: true");
  return given.join(", ");
}
