// Writes docs/reference/limits.md: the tables of docs/reference/limits.source.md, with each reference to a constant replaced by its value.
// `node scripts/limits.mjs --check` fails if the page is not what it would write. References have these forms:
//
//   {api/http/src/body.rs MAXIMUM bytes}                 a constant, and what its number counts
//   {api/accounts/src/identity/mails.rs PER_NETWORK.0}            an element of a tuple
//   {worker/src/arena/health.rs LIMITS.body_max bytes}   a field within a constant or a function
//   {crates/settings/src/rates.rs login}                 a field that has one value in its file, as those of `Default`
//
// Lengths of time (`Duration`, `TimeDelta`) know their unit. Other numbers are plain, unless the reference says `bytes`, or a unit of time
// in full (`seconds`).

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(fileURLToPath(import.meta.url), "../..");
const source = "docs/reference/limits.source.md";
const page = "docs/reference/limits.md";

/** Nanoseconds in the units of time, by their names in `Duration` and `TimeDelta`. */
const NANOSECONDS = { nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9, minutes: 6e10, hours: 3.6e12, days: 8.64e13 };
const LONG_NAMES = { nanos: "nanoseconds", micros: "microseconds", millis: "milliseconds", secs: "seconds", mins: "minutes" };
const nanoseconds = (unit) => NANOSECONDS[LONG_NAMES[unit] ?? unit];

/** A file's code, without comments. An assignment of Python ends with its line. */
const code = (file, text) =>
  file.endsWith(".py") ? text.replace(/#.*$/gm, "").replace(/\n(?=\S)/g, ";\n") : text.replace(/(?<!:)\/\/.*$/gm, "");

/** The expression at a place in the code: up to the comma, semicolon or bracket that ends it. */
function expressionAt(text, start) {
  let depth = 0;
  for (let end = start; end < text.length; end++) {
    const character = text[end];
    if (depth === 0 && ",;)]}".includes(character)) return text.slice(start, end).trim();
    depth += "([{".includes(character) ? 1 : ")]}".includes(character) ? -1 : 0;
  }
  throw new Error("an expression has no end");
}

/** The places behind all matches of a pattern. */
const behind = (text, pattern) => [...text.matchAll(pattern)].map((match) => match.index + match[0].length);

/** What a constant is declared as. */
function declaration(text, name) {
  const [place, ...others] = behind(text, new RegExp(`(?:^|\\b(?:const|static)\\s+)${name}\\b(?:\\s*:[^=;]*)?\\s*=\\s*`, "gm"));
  if (place === undefined) throw new Error(`it has no ${name}`);
  if (others.length) throw new Error(`it has ${others.length + 1} constants ${name}`);
  return expressionAt(text, place);
}

/** The values that a field is given in a part of the code, without its declarations and patterns. */
function fieldValues(part, field, text) {
  return behind(part, new RegExp(`\\b${field}:\\s*`, "g")).flatMap((place) => {
    try {
      return [value(expressionAt(part, place), text)];
    } catch {
      return [];
    }
  });
}

/** The value of a reference's name in a file's code: `{ number, isTime }`, where times are nanoseconds. */
export function find(text, name) {
  const [first, second] = name.split(".");
  if (/^\d+$/.test(second)) {
    const tuple = declaration(text, first).replace(/^\(|\)$/g, "");
    return value(tuple.split(",")[second], text);
  }
  if (second) {
    const [place] = behind(text, new RegExp(`\\b(?:const|static|fn)\\s+${first}\\b`, "g"));
    const [given] = place === undefined ? [] : fieldValues(text.slice(place), second, text);
    if (!given) throw new Error(`it has no ${name}`);
    return given;
  }
  if (/[A-Z]/.test(first)) return value(declaration(text, first), text);
  const given = fieldValues(text, first, text);
  const numbers = new Set(given.map(({ number }) => number));
  if (numbers.size !== 1) throw new Error(`its field ${first} has ${numbers.size} values`);
  return given[0];
}

/** The value of an expression of whole numbers, lengths of time, and constants of the same file. */
export function value(expression, text) {
  const isTime = /^(\w+::)*(Duration|TimeDelta)::/.test(expression);
  const sum = expression
    .replace(/(?:\w+::)*(?:Duration|TimeDelta)::(?:from_)?(\w+)\(/g, (_, unit) => `${nanoseconds(unit)} * (`)
    .replace(/\bNonZero\w+::MIN\.saturating_add\(/g, "(1 + ")
    // A conversion, or a type with one field.
    .replace(/\b[A-Za-z]\w*\(|\bas \w+/g, (match) => (match.endsWith("(") ? "(" : ""))
    .replace(/\b[A-Z]\w*\b/g, (name) => `(${find(text, name).number})`)
    .replace(/\b(\d[\d_]*)(?:[iu](?:\d+|size))?\b/g, (_, digits) => `${digits.replaceAll("_", "")}n`);
  if (!/^(?:\d+n|<<|>>|[-+*/()\s])+$/.test(sum)) throw new Error(`${expression} is no sum of whole numbers`);
  // Nothing but whole numbers and signs is left.
  return { number: Function(`"use strict"; return (${sum});`)(), isTime };
}

/** A number in the largest unit of which it is a multiple, if it is at least so many of them. */
function inUnits(number, units) {
  const [name, size] = units.find(([, size, least = 1]) => number % BigInt(size) === 0n && number >= BigInt(size) * BigInt(least));
  return `${plain(number / BigInt(size))} ${name}`;
}

const TIMES = [["days", 8.64e13, 3], ["h", 3.6e12], ["min", 6e10, 2], ["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
const BYTES = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10], ["bytes", 1, 0]];

/** A number with spaces between its thousands, from five digits on. */
const plain = (number) => (number < 10_000n ? `${number}` : `${number}`.replace(/\B(?=(\d{3})+$)/g, " "));

/** A value as the page shows it. */
export function shown({ number, isTime }, unit) {
  if (isTime) return inUnits(number, TIMES);
  if (unit === "bytes") return inUnits(number, BYTES);
  if (!unit) return plain(number);
  if (!nanoseconds(unit)) throw new Error(`${unit} is no unit`);
  return inUnits(number * BigInt(nanoseconds(unit)), TIMES);
}

/** The page, and the references without a value. `read` gives the text of a file of the repository. */
export function render(text, read) {
  const wrong = [];
  const note = /^<!--.*?-->\n+/s;
  const rendered = text.replace(note, "").replace(/\{([^\s{}]+) ([^\s{}]+)(?: (\w+))?\}/g, (reference, file, name, unit) => {
    try {
      return shown(find(code(file, read(file)), name), unit);
    } catch (error) {
      wrong.push(`${reference}: ${error.message}`);
      return reference;
    }
  });
  return { rendered, wrong };
}

function main() {
  const read = (file) => readFileSync(join(root, file), "utf8");
  const { rendered, wrong } = render(read(source), read);
  for (const reference of wrong) console.error(`${source}: ${reference}`);
  if (wrong.length) process.exit(1);
  if (!process.argv.includes("--check")) return writeFileSync(join(root, page), rendered);
  if (read(page) === rendered) return;
  console.error(`${page} is not what ${source} and the constants make: run node scripts/limits.mjs`);
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
