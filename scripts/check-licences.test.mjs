import assert from "node:assert/strict";
import { test } from "node:test";
import { complaint, rules, satisfies } from "./check-licences.mjs";

const allowed = new Set(["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Zlib"]);
const registry = "registry+index";

test("an alternative needs one allowed licence, a conjunction needs all", () => {
  for (const [expression, met] of [
    ["MIT", true],
    ["GPL-3.0-or-later", false],
    ["MIT OR GPL-3.0-only", true],
    ["MIT/GPL-3.0", true],
    ["MIT AND GPL-3.0-only", false],
    ["GPL-2.0-only AND MIT OR Zlib", true],
    ["GPL-2.0-only AND (MIT OR Zlib)", false],
    ["(GPL-2.0-only OR MIT) AND Zlib", true],
    ["Apache-2.0 WITH LLVM-exception", true],
    ["MIT WITH LLVM-exception", false],
    ["AGPL-3.0-only OR (LGPL-2.1-or-later AND MIT)", false],
  ]) assert.equal(satisfies(expression, allowed), met, expression);
});

test("an invalid SPDX expression is an error", () => {
  for (const text of ["", "MIT OR", "(MIT", "MIT)", "MIT Zlib", "AND MIT"]) assert.throws(() => satisfies(text, allowed), text);
});

test("only the two lists of deny.toml are read, without comments", () => {
  const toml = `[licenses]\n# not "GPL-3.0"\nallow = [\n  "MIT", # rather than "GPL-2.0"\n  "Zlib",\n]\n[bans]\nallow = ["serde"]\ndeny = [{ crate = "bad", reason = "x" }]\n`;
  assert.deepEqual(rules(toml), { allowed: new Set(["MIT", "Zlib"]), banned: new Set(["bad"]) });
});

test("a crate is refused for its name, its source or its licence", () => {
  const lists = { allowed, banned: new Set(["bad"]) };
  assert.equal(complaint({ name: "good", license: "MIT", source: registry }, lists), undefined);
  for (const crate of [
    { name: "bad", license: "MIT", source: registry },
    { name: "forked", license: "MIT", source: "git+somewhere" },
    { name: "outside", license: "MIT", source: null },
    { name: "silent", license: null, source: registry },
    { name: "copyleft", license: "AGPL-3.0-only", source: registry },
    { name: "garbled", license: "MIT AND", source: registry },
  ]) assert.ok(complaint(crate, lists), crate.name);
});
