//! Fuzz target: mentions. Any text mentions at most 20 different names, each after an `@`.

#![no_main]

use buildtrack_domain::{
    mentions::{MENTIONS_MAX, mentions},
    near_duplicates::Fingerprint,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let found = mentions(text);
    assert!(found.len() <= MENTIONS_MAX && found.len() <= text.matches('@').count());
    assert_eq!(Fingerprint::of(text), Fingerprint::of(text));
});
