//! Any text given as a cursor is one of one kind, or none.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| buildtrack::fuzzing::cursor(text));
