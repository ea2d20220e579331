// Checks that no name in Rust code has a retired word as a part: `node scripts/check-names.mjs`. docs/glossary.md has the terms to
// use. Comments and texts are not names; scripts/check-house reads them.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Retired words, as parts of `snake_case` and `CamelCase` names: `told` is in `told_to` and `ToldAt`, and not in `untold`. */
const RETIRED = /_(places?|kept|told|bearers|take_back)(?=_)/;

/** The exceptions: names and files as regular expressions, and why. */
const EXCEPTIONS = [
  [/(^|_)places?(_|$)|^PlaceData$/, /(^|\/)arena\//, "the place in which a player ends, as events, pushes and the API name it"],
  [/^promise_kept$/, /(^|\/)relay\//, "a field of the event `thread.completed`, and a column"],
  [/kept/i, /(^|\/)(identity|grants)\/|portal\/src\/access\.rs$|origins\.rs$/, "a term: what an owner lets outlast its consent"],
  [/^block_in_place$/, /./, "a function of Tokio"],
];

const TOKENS = new RegExp(
  [
    String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`,
    String.raw`\b[bc]?r(#+)"[^]*?"\1|\b[bc]?r"[^"]*"|(?:\b[bc])?"(?:\\[^]|[^"\\])*"`,
    String.raw`(?:\bb)?'(?:\\.[^']*|[^\\'])'|'[A-Za-z_]\w*`,
    String.raw`\d\w*`,
    String.raw`([A-Za-z_]\w*)`,
  ].join("|"),
  "g",
);

/** The names in Rust code, each with its line. */
export function names(text) {
  const found = [];
  let [line, at] = [1, 0];
  for (const token of text.matchAll(TOKENS)) {
    for (; at < token.index; at += 1) if (text[at] === "\n") line += 1;
    if (token[2]) found.push([token[2], line]);
  }
  return found;
}

/** The retired word in a name, if it has one. */
export function retired(name) {
  const parts = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  return RETIRED.exec(`_${parts}_`)?.[1];
}

/** What the names of a file violate: one line of text for each line of code. */
export function complaints(file, text) {
  const found = new Map();
  for (const [name, line] of names(text)) {
    if (!retired(name) || EXCEPTIONS.some(([allowed, files]) => allowed.test(name) && files.test(file))) continue;
    found.set(`${file}:${line}`, `${file}:${line}: ${name}`);
  }
  return [...found.values()];
}

function main() {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", "*.rs"], { encoding: "utf8", maxBuffer: 2 ** 26 });
  const files = listed.split("\n").filter((file) => file && existsSync(file));
  const found = files.flatMap((file) => complaints(file, readFileSync(file, "utf8")));
  if (!found.length) return;
  console.error("✗ a retired word in a name (docs/glossary.md has the term to use)");
  for (const line of found) console.error(`    ${line}`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main();
