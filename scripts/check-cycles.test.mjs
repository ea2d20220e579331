import assert from "node:assert/strict";
import { test } from "node:test";
import { arrows, cycles, complaints, imports, paths } from "./check-cycles.mjs";

const joined = (files) => cycles(arrows(new Map(Object.entries(files))));

test("a use tree is expanded to its paths", () => {
  assert.deepEqual(paths("crate::{\n    a,\n    b::{self, C as D},\n}"), ["crate::a", "crate::b::self", "crate::b::C"]);
});

test("imports and paths in code are found, comments and texts are not", () => {
  const text = 'use crate::a::B; // use crate::c::D;\nuse std::io;\nfn f() { crate::e::g("crate::h::i"); }\n//! [`crate::j`]\n';
  assert.deepEqual(imports("x.rs", text), [["a", "B"], ["e", "g"]]);
});

test("super counts from the module of the file", () => {
  assert.deepEqual(imports("x/y.rs", "use super::{Z, super::w::V};"), [["x", "Z"], ["w", "V"]]);
  assert.deepEqual(imports("x/mod.rs", "use super::w::V;"), [["w", "V"]]);
  assert.deepEqual(imports("x.rs", "use super::w::V;"), [["w", "V"]]);
});

test("modules that import each other are a cycle, over any number of files", () => {
  const files = {
    "http/mod.rs": "use crate::openapi::PUBLISHED;",
    "openapi.rs": "use crate::forum;",
    "forum/mod.rs": "mod posts;",
    "forum/posts.rs": "use crate::http::Problem;",
    "search.rs": "use crate::http::Problem;",
  };
  assert.deepEqual(joined(files), [["forum", "http", "openapi"]]);
  assert.deepEqual(joined({ ...files, "http/mod.rs": "" }), []);
});

test("a name that lib.rs exports leads to its module", () => {
  const files = { "lib.rs": "pub use a::Name;", "a.rs": "use crate::b::C;", "b.rs": "use crate::Name;" };
  assert.deepEqual(joined(files), [["a", "b"]]);
});

test("lib.rs, main.rs, tests in files of their own, and a module's own files tie nothing", () => {
  const files = {
    "lib.rs": "mod a; mod b; use crate::a::X;",
    "main.rs": "use crate::b::Y;",
    "a/mod.rs": "use crate::a::c::X;",
    "a/c.rs": "use super::Z;",
    "a/tests.rs": "use crate::b::Y;",
    "a/tests/big.rs": "use crate::b::Y;",
    "b.rs": "use crate::a::X;",
  };
  assert.deepEqual(joined(files), []);
});

test("the base imports no other module", () => {
  const files = new Map([["http.rs", "use crate::forum::Post;"], ["forum.rs", ""]]);
  assert.deepEqual(complaints(files, { base: "http" }), ["http imports modules above it", "    http → forum  (http.rs: forum::Post)"]);
  assert.deepEqual(complaints(files, { base: "forum" }), []);
  assert.deepEqual(complaints(new Map([["http.rs", "use crate::b;"], ["b.rs", "use crate::http;"]])), [
    "a cycle of imports joins b, http",
    "    b → http  (b.rs: http)",
    "    http → b  (http.rs: b)",
  ]);
});

test("modules that gather all others may be left out", () => {
  const files = new Map([["a.rs", "use crate::all::X;"], ["all.rs", "use crate::{a::Y, b::Z};"], ["b.rs", "use crate::a::Y;"]]);
  assert.equal(complaints(files).length, 5);
  assert.deepEqual(complaints(files, { without: ["all"] }), []);
});
