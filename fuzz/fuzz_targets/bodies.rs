//! Any bytes sent as the body of an operation are read, or refused by an answer of bounded size.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| buildtrack::fuzzing::bodies(bytes));
