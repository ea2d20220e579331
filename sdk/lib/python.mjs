// Writes the Python SDK's types.py and _operations.py.

import { firstSentence, referenceName, snakeCase } from "./document.mjs";

const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False".split(" "),
);
export const HEAD = (content, source = "openapi/openapi.json") => `"""${content}\n\nWritten by sdk/generate.mjs from ${source}: do not edit.\n"""\n`;
/** What the types of documents and of events import. */
export const IMPORTS = `from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired
`;
export const docstring = (text) => text.replace(/\\/g, "\\\\").replace(/"""/g, "'''").replace(/"$/, '" ');

export function pythonTypes({ schemas }) {
  const types = new Types();
  for (const { name, schema } of schemas) types.add(name, schema);
  return `${HEAD("The documents of the API, as dictionaries with types.")}
${IMPORTS}
${types.written.join("\n\n")}`;
}

/** Collects the definitions; those of nested objects come before those that use them. */
export class Types {
  written = [];
  aliases = [];

  add(name, schema) {
    if (schema.properties) {
      this.written.push(this.dictionary(name, schema));
    } else {
      // An alias may name a type that stands further down.
      const text = `${name} = ${aliasOf(this.type(schema, name))}\n`;
      this.written.push(schema.description ? `${text}"""${docstring(firstSentence(schema.description))}"""\n` : text);
    }
  }

  dictionary(name, schema) {
    const required = new Set(schema.required ?? []);
    const members = Object.entries(schema.properties).map(([member, value]) => {
      const type = this.type(value, `${name}${member[0].toUpperCase()}${member.slice(1)}`);
      return { member, type: required.has(member) ? type : `NotRequired[${type}]`, doc: firstSentence(value.description) };
    });
    const description = docstring(firstSentence(schema.description) || name);
    if (members.some(({ member }) => !/^[A-Za-z_]\w*$/.test(member) || KEYWORDS.has(member))) {
      const rows = members.map(({ member, type }) => `        ${JSON.stringify(member)}: ${JSON.stringify(type)},\n`);
      return `${name} = TypedDict(\n    "${name}",\n    {\n${rows.join("")}    },\n)\n"""${description}"""\n`;
    }
    const rows = members.map(({ member, type, doc }) => {
      return `    ${member}: ${type}\n${doc ? `    """${docstring(doc)}"""\n` : ""}`;
    });
    return `class ${name}(TypedDict):\n    """${description}"""\n\n${rows.join("")}`;
  }

  /** The type of a schema; an inline object becomes a class of this name. */
  type(schema, name) {
    if (schema.$ref) return referenceName(schema);
    if ("const" in schema) return `Literal[${JSON.stringify(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(", ")}]`;
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return [...new Set(choices.map((choice, index) => this.type(choice, `${name}${index || ""}`)))].join(" | ");
    const kinds = [schema.type].flat().map((kind) => this.kind(kind, schema, name));
    return kinds.join(" | ");
  }

  kind(kind, schema, name) {
    switch (kind) {
      case "string":
        return "str";
      case "integer":
        return "int";
      case "number":
        return "float";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      case "array":
        return `list[${this.type(schema.items ?? {}, `${name}Item`)}]`;
      case "object":
        if (schema.properties) {
          this.written.push(this.dictionary(name, schema));
          return name;
        }
        return schema.additionalProperties?.type ? `dict[str, ${this.type(schema.additionalProperties, name)}]` : "dict[str, Any]";
      default:
        return "Any";
    }
  }
}

/** An alias of one of several types, which may stand further down. */
export function union(name, types) {
  return `${name} = ${aliasOf(types.join(" | "))}\n`;
}

/** The right side of an alias, which Python evaluates: names of classes that may stand further down are quoted. */
function aliasOf(type) {
  const parts = type.split(" | ");
  if (parts.length === 1) return type;
  return `Union[${parts.map((part) => (/^[A-Z]\w*$/.test(part) && part !== "None" ? `"${part}"` : part)).join(", ")}]`;
}

export function pythonOperations({ operations }) {
  return `${HEAD("The operations of the API, one method each.")}
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from . import types as t
from .pages import Pages
from ._transport import segment


class Operations:
    """One method for each operation of the API."""

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        keyed: bool = False,
        repeatable: bool = False,
    ) -> Any:
        """Sends a request and gives the decoded body of the answer."""
        raise NotImplementedError

    def pages(self, path: str, query: Mapping[str, Any]) -> Pages[Any, Any]:
        """The pages of a list."""
        raise NotImplementedError

${operations.map(operationMethod).join("\n")}`;
}

const operationTypes = {
  written: [],
  // The types of parameters and bodies are names and simple types.
  of: (schema) => {
    if (!schema || Object.keys(schema).length === 0) return "Any";
    if (schema.$ref) return `t.${referenceName(schema)}`;
    return new Types().type(schema, "Any").replace(/^Any\w+$/, "Any");
  },
};

function operationMethod(operation) {
  const { pathParameters, query, body, bodyRequired, takesMatch, isKeyed, page } = operation;
  const bodyType = operationTypes.of(body);
  const positional = pathParameters.map(({ argument }) => `${safe(argument)}: str`);
  if (body) positional.push(bodyRequired ? `body: ${bodyType}` : `body: ${bodyType} | None = None`);
  const named = [...query]
    .sort((left, right) => Number(right.required ?? false) - Number(left.required ?? false))
    .map((parameter) => `${safe(parameter.name)}: ${operationTypes.of(parameter.schema)}${parameter.required ? "" : " | None = None"}`)
    .map((text) => text.replace("| None | None", "| None"));
  if (takesMatch) named.push("if_match: str | None = None");
  if (isKeyed) named.push("idempotency_key: str | None = None");
  const signature = ["self", ...positional, ...(named.length > 0 ? ["*"] : []), ...named];
  const oneLine = `    def ${snakeCase(operation.name)}(${signature.join(", ")})`;
  const type = resultType(operation);
  const head =
    oneLine.length + type.length < 112
      ? `${oneLine} -> ${type}:\n`
      : `    def ${snakeCase(operation.name)}(\n${signature.map((part) => `        ${part},\n`).join("")}    ) -> ${type}:\n`;
  return `${head}        """${docstring(`${operation.summary} (\`${operation.method} ${operation.path}\`)`)}"""\n${page ? pageBody(operation) : callBody(operation)}`;
}

function resultType({ result, page }) {
  if (page) return `Pages[${operationTypes.of(page)}, ${operationTypes.of(result.schema)}]`;
  if (result === null) return "None";
  return result === "text" ? "str" : operationTypes.of(result.schema);
}

function pathOf({ path, pathParameters }) {
  if (pathParameters.length === 0) return `"${path}"`;
  const names = new Map(pathParameters.map(({ name, argument }) => [name, safe(argument)]));
  return `f"${path.replace(/\{(\w+)\}/g, (_, name) => `{segment(${names.get(name)})}`)}"`;
}

function queryOf({ query }) {
  return `{${query.map(({ name }) => `"${name}": ${safe(name)}`).join(", ")}}`;
}

function pageBody(operation) {
  return `        return self.pages(${pathOf(operation)}, ${queryOf(operation)})\n`;
}

function callBody(operation) {
  const { method, body, constants, query, takesMatch, isKeyed, isRepeatable, result } = operation;
  const given = [`"${method}"`, pathOf(operation)];
  const filled = Object.entries(constants).map(([name, value]) => `${JSON.stringify(name)}: ${literal(value)}, `);
  if (body) given.push(filled.length > 0 ? `body={${filled.join("")}**body}` : "body=body");
  if (query.length > 0) given.push(`query=${queryOf(operation)}`);
  if (takesMatch) given.push("if_match=if_match");
  if (isKeyed) given.push("idempotency_key=idempotency_key", "keyed=True");
  if (isRepeatable) given.push("repeatable=True");
  const call = `self.send(${given.join(", ")})`;
  if (result === null) return `        ${call}\n`;
  const type = resultType(operation);
  return type === "Any" ? `        return ${call}\n` : `        return cast("${type}", ${call})\n`;
}

/** A text, a number or a truth value in Python. */
function literal(value) {
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}

/** An argument's name in Python. */
function safe(name) {
  const snake = snakeCase(name);
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}
