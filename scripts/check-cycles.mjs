// Checks that no cycle of imports joins two top-level modules of a crate, so that each context can be read and changed
// alone: `node scripts/check-cycles.mjs api/src`. With `--base=NAME` the module NAME imports no other one. Modules that gather
// all others are left out with `--without=NAME,NAME`. Tests in files of their own may import everything.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** The paths of a use tree: `a::{b, c::{self, D}}` gives `a::b`, `a::c::self` and `a::c::D`. */
export function paths(tree) {
  const open = tree.indexOf("{");
  if (open < 0) return [tree.replace(/\s+as\s.*|\s/g, "")].filter(Boolean);
  const prefix = tree.slice(0, open).replace(/\s/g, "");
  const members = [""];
  let depth = 0;
  for (const character of tree.slice(open + 1, tree.lastIndexOf("}"))) {
    depth += { "{": 1, "}": -1 }[character] ?? 0;
    if (character === "," && depth === 0) members.push("");
    else members[members.length - 1] += character;
  }
  return members.flatMap(paths).map((path) => prefix + path);
}

/** The top-level module of a file, named relative to the crate's `src`. */
const room = (file) => file.split("/")[0].replace(/\.rs$/, "");

/** The segments of the module that a file holds. */
const segments = (file) => file.replace(/(\/mod)?\.rs$/, "").split("/");

/** The code of a file without comments and the contents of texts. */
const code = (text) => text.replace(/"(\\.|[^"\\])*"/gs, '""').replace(/\/\/.*$/gm, "");

/** The absolute paths that a file imports or names, each as segments below the crate. */
export function imports(file, text) {
  const named = [];
  const rest = code(text).replace(/\buse\s+((?:crate|super)\b[^;]*);/g, (_, tree) => (named.push(...paths(tree)), ""));
  for (const [path] of rest.matchAll(/\b(crate|super)(::\w+)+/g)) named.push(path);
  return named.flatMap((path) => {
    const [first, ...below] = path.split("::");
    if (first === "crate") return [below];
    const above = segments(file).slice(0, -1);
    while (below[0] === "super") {
      if (!above.length) return [];
      above.pop();
      below.shift();
    }
    return [[...above, ...below]];
  });
}

/** The top-level modules that each one imports, with one example: module → module → "file: path". */
export function arrows(files, without = []) {
  const rooms = new Set([...files.keys()].map(room));
  const exported = new Map();
  for (const [, tree] of code(files.get("lib.rs") ?? "").matchAll(/\bpub(?:\(crate\))? use ([^;]*);/g))
    for (const path of paths(tree)) exported.set(path.split("::").at(-1), path.split("::")[0]);
  const found = new Map([...rooms].filter((name) => !without.includes(name)).map((name) => [name, new Map()]));
  for (const [file, text] of files) {
    if (/^(lib|main)\.rs$|(^|\/)tests(\.rs|\/)/.test(file) || !found.has(room(file))) continue;
    for (const path of imports(file, text)) {
      const to = rooms.has(path[0]) ? path[0] : exported.get(path[0]);
      if (found.has(to) && to !== room(file) && !found.get(room(file)).has(to)) found.get(room(file)).set(to, `${file}: ${path.join("::")}`);
    }
  }
  return found;
}

/** The cycles: sets of modules that reach each other (Tarjan's strongly connected components with two or more members). */
export function cycles(found) {
  const [number, low, stack, all] = [new Map(), new Map(), [], []];
  function visit(name) {
    number.set(name, number.size);
    low.set(name, number.get(name));
    stack.push(name);
    for (const next of found.get(name).keys()) {
      if (!number.has(next)) visit(next);
      if (stack.includes(next)) low.set(name, Math.min(low.get(name), low.get(next)));
    }
    if (low.get(name) !== number.get(name)) return;
    const cycle = stack.splice(stack.indexOf(name));
    if (cycle.length > 1) all.push(cycle.sort());
  }
  for (const name of found.keys()) if (!number.has(name)) visit(name);
  return all;
}

function read(source) {
  const names = readdirSync(source, { recursive: true, withFileTypes: true }).filter((entry) => entry.name.endsWith(".rs"));
  const files = names.map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [relative(source, file), readFileSync(file, "utf8")]));
}

/** What a source folder violates: lines of text. */
export function complaints(files, { base, without } = {}) {
  const found = arrows(files, without);
  const list = (from, to, example) => `    ${from} → ${to}  (${example})`;
  const all = cycles(found).flatMap((cycle) => [
    `a cycle of imports joins ${cycle.join(", ")}`,
    ...cycle.flatMap((from) => [...found.get(from)].filter(([to]) => cycle.includes(to)).map((arrow) => list(from, ...arrow))),
  ]);
  const above = [...(found.get(base) ?? [])].map((arrow) => list(base, ...arrow));
  return above.length ? [...all, `${base} imports modules above it`, ...above] : all;
}

function main(options) {
  const value = (name) => options.find((option) => option.startsWith(name))?.slice(name.length);
  const rules = { base: value("--base="), without: value("--without=")?.split(",") };
  for (const source of options.filter((option) => !option.startsWith("--"))) {
    const found = complaints(read(source), rules);
    if (!found.length) continue;
    process.exitCode = 1;
    console.error(`✗ ${source}: ${found.join("\n")}`);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));
