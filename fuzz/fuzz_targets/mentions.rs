//! Whatever is written in a text: it mentions so many at most, and each mention stands in it.

#![no_main]

use buildtrack_domain::{
    mentions::{MENTIONS_MAX, mentions},
    repeats::Fingerprint,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let found = mentions(text);
    assert!(found.len() <= MENTIONS_MAX && found.len() <= text.matches('@').count());
    assert_eq!(Fingerprint::of(text), Fingerprint::of(text));
});
