//! Fuzz target: request bodies. Any bytes are parsed, or refused by a response of bounded size.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| buildtrack::fuzzing::bodies(bytes));
