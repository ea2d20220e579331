//! Fuzz target: cursors. Any text is a cursor of one kind or is refused.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| buildtrack::fuzzing::cursor(text));
