// Checks the licence, name and source of every dependency against deny.toml. Equivalent to `cargo deny check licenses bans
// sources` on a machine that has only cargo and Node.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Whether allowed licences satisfy an SPDX expression: AND binds tighter than OR, WITH tightest. */
export function satisfies(expression, allowed) {
  const tokens = expression.replaceAll("/", " OR ").match(/[()]|[^\s()]+/g) ?? [];
  const take = (token) => tokens[0] === token && tokens.shift() !== undefined;

  function either() {
    let met = both();
    while (take("OR")) met = both() || met;
    return met;
  }
  function both() {
    let met = one();
    while (take("AND")) met = one() && met;
    return met;
  }
  function one() {
    if (take("(")) {
      const met = either();
      if (!take(")")) throw new Error(`"${expression}": a parenthesis is not closed`);
      return met;
    }
    const licence = tokens.shift();
    if (!/^[\w.+-]+$/.test(licence ?? "") || /^(AND|OR|WITH)$/.test(licence)) {
      throw new Error(`"${expression}" is not an SPDX expression`);
    }
    return allowed.has(take("WITH") ? `${licence} WITH ${tokens.shift()}` : licence);
  }

  const met = either();
  if (tokens.length > 0) throw new Error(`"${expression}" is not an SPDX expression`);
  return met;
}

/** The allowed licences and banned crates of deny.toml. Parses only these two lists, in the form used there. */
export function rules(toml) {
  const section = (name) => toml.replace(/#.*$/gm, "").split(/^\[/m).find((text) => text.startsWith(`${name}]`)) ?? "";
  const allow = section("licenses").match(/^allow = \[([^\]]*)\]/m)?.[1] ?? "";
  return {
    allowed: new Set([...allow.matchAll(/"([^"]+)"/g)].map(([, licence]) => licence)),
    banned: new Set([...section("bans").matchAll(/crate = "([^"]+)"/g)].map(([, name]) => name)),
  };
}

/** The fault of one package of `cargo metadata`, or undefined. */
export function complaint({ name, license, source }, { allowed, banned }) {
  if (banned.has(name)) return "is banned by deny.toml";
  if (!source?.startsWith("registry+")) return `comes from ${source ?? "a folder outside the workspace"}, not from the registry`;
  if (!license) return "names no licence";
  try {
    return satisfies(license, allowed) ? undefined : `is under ${license}, which deny.toml does not allow`;
  } catch (error) {
    return error.message;
  }
}

function main() {
  const root = new URL("..", import.meta.url);
  const read = rules(readFileSync(new URL("deny.toml", root), "utf8"));
  if (read.allowed.size === 0) throw new Error("no allowed licence was found in deny.toml: is its list still `allow = [...]`?");
  const words = ["metadata", "--format-version", "1", "--locked", "--all-features"];
  const metadata = JSON.parse(execFileSync("cargo", words, {
    cwd: root, maxBuffer: 1 << 30, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"],
  }));
  const ours = new Set(metadata.workspace_members);
  const crates = metadata.packages.filter(({ id }) => !ours.has(id));
  const complaints = crates
    .map((crate) => [crate, complaint(crate, read)])
    .filter(([, text]) => text)
    .map(([{ name, version }, text]) => `${name} ${version} ${text}`);
  complaints.forEach((text) => console.error(text));
  console.log(`${crates.length} crates checked, ${complaints.length} refused`);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main();
