//! Whatever is sent as the body of an operation: it is read, or refused by an answer of bounded size.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| buildtrack::fuzzing::bodies(bytes));
