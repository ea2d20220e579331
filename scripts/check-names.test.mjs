import assert from "node:assert/strict";
import { test } from "node:test";
import { complaints, names, retired } from "./check-names.mjs";

test("names in code are found with their lines, comments, texts and lifetimes are not", () => {
  const text = `// told
let place = "told {kept}"; /* kept */
fn f<'told>(c: char) -> r#"kept"# { 'x'; b"told"; told_to(r"place", 1_u64) }
`;
  assert.deepEqual(names(text), [["let", 2], ["place", 2], ["fn", 3], ["f", 3], ["c", 3], ["char", 3], ["told_to", 3]]);
});

test("a retired word is a whole part of a name", () => {
  for (const name of ["place", "PLACES", "told_to", "_place", "ToldAt", "is_kept", "keeps_place", "take_back_from_post", "KEPT_MAX"]) assert.ok(retired(name), name);
  for (const name of ["placeholder", "replace", "misplaced", "Placing", "placed", "untold", "bearer", "bookkeeping"]) assert.ok(!retired(name), name);
});

test("a name is refused outside the files that may use it", () => {
  assert.deepEqual(complaints("crates/store/src/arena/ladder.rs", "pub place: i64,"), []);
  assert.deepEqual(complaints("crates/store/src/locations/mod.rs", "\npub place: i64,"), ["crates/store/src/locations/mod.rs:2: place"]);
});
