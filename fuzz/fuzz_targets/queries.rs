//! Any query string is read, or refused by an answer of bounded size.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| buildtrack::fuzzing::query(text));
