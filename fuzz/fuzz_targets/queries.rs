//! Fuzz target: query strings. Any text is parsed, or refused by a response of bounded size.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| buildtrack::fuzzing::query(text));
