import assert from "node:assert/strict";
import { test } from "node:test";

import { find, render, shown, value } from "./limits.mjs";

const BOUNDS = `
/// Bytes of a body. // const BODY_MAX: usize = 1;
pub(crate) const BODY_MAX: usize = 320 * 1024; // more than a text
const LINE_MAX: u64 = BODY_MAX as u64 + 2;
pub const WINDOW: TimeDelta = TimeDelta::minutes(10);
const TIMEOUT: Duration = Duration::from_secs(CPU_SECONDS);
const CPU_SECONDS: u64 = 5;
const SHARES: (u64, u64) = (30, 1_000);
const LIMITS: Limits = Limits { timeout: Duration::from_secs(5), body_max: 16 * 1024 };
struct Bounds { waiting_bytes: usize, head: u64, idle: u64 }
impl Default for Bounds {
    fn default() -> Self {
        Self { waiting_bytes: 16 << 20, head: 10, idle: 90, agents: NonZeroU32::MIN.saturating_add(99), floor: ByteSize(8 << 30) }
    }
}
fn for_tests() -> Bounds { Bounds { idle: 3, ..Bounds::default() } }
`.replace(/\/\/.*$/gm, "");

const bound = (name, unit) => shown(find(BOUNDS, name), unit);

test("a constant is shown in the largest unit of which it is a multiple", () => {
  assert.equal(bound("BODY_MAX", "bytes"), "320 KiB");
  assert.equal(bound("BODY_MAX"), "327 680");
  assert.equal(bound("WINDOW"), "10 min");
  assert.equal(bound("CPU_SECONDS", "seconds"), "5 s");
  assert.equal(shown({ number: 1500n }, "bytes"), "1500 bytes");
  assert.equal(shown({ number: 0n }, "bytes"), "0 bytes");
});

test("lengths of time change their unit where readers expect it", () => {
  const of = (expression) => shown(value(expression, ""));
  const shownAs = {
    "Duration::from_millis(500)": "500 ms",
    "Duration::from_secs(60)": "60 s",
    "std::time::Duration::from_secs(120)": "2 min",
    "TimeDelta::hours(48)": "48 h",
    "Duration::from_hours(30 * 24)": "30 days",
    "chrono::TimeDelta::microseconds(1)": "1 µs",
  };
  for (const [expression, text] of Object.entries(shownAs)) assert.equal(of(expression), text);
});

test("expressions name constants of their file", () => {
  assert.equal(bound("LINE_MAX"), "327 682");
  assert.equal(bound("TIMEOUT"), "5 s");
});

test("elements of tuples and fields have values", () => {
  assert.equal(bound("SHARES.1"), "1000");
  assert.equal(bound("LIMITS.timeout"), "5 s");
  assert.equal(bound("LIMITS.body_max", "bytes"), "16 KiB");
  assert.equal(bound("waiting_bytes", "bytes"), "16 MiB");
  assert.equal(bound("agents"), "100");
  assert.equal(bound("floor", "bytes"), "8 GiB");
});

test("a field with several values needs the name of what it is in", () => {
  assert.throws(() => find(BOUNDS, "idle"), /its field idle has 2 values/);
  assert.equal(bound("default.idle", "seconds"), "90 s");
  assert.equal(bound("for_tests.idle"), "3");
});

test("a page has the values of its references, and nothing of the note before it", () => {
  const read = (file) => ({ "a.rs": BOUNDS, "b.py": "# KEY_MIN = 1\nKEY_MIN = 24\nNEXT = 2\n", "c.js": "const SHOWN = 300; // kept" })[file];
  const source = "<!--\nHow to edit it.\n-->\n\n# Limits\n| body of `/a/{id}` | {a.rs BODY_MAX bytes} | {b.py KEY_MIN} | {c.js SHOWN} |\n";
  assert.deepEqual(render(source, read), { rendered: "# Limits\n| body of `/a/{id}` | 320 KiB | 24 | 300 |\n", wrong: [] });
});

test("a reference without a value is reported and stays", () => {
  const { rendered, wrong } = render("{a.rs GONE} {a.rs BODY_MAX parsecs} {a.rs TEXT}", () => `${BOUNDS}const TEXT: &str = "a";`);
  assert.equal(rendered, "{a.rs GONE} {a.rs BODY_MAX parsecs} {a.rs TEXT}");
  assert.match(wrong[0], /it has no GONE/);
  assert.match(wrong[1], /parsecs is no unit/);
  assert.match(wrong[2], /no sum of whole numbers/);
});
