//! Fuzz target: addresses of webhooks and `X-Forwarded-For` headers. Any text is parsed or refused, without a panic.

#![no_main]

use buildtrack_domain::targets::{TARGET_MAX, check_target};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for allow_private in [true, false] {
        if let Ok(url) = check_target(text, allow_private) {
            assert!(["http", "https"].contains(&url.scheme()) && text.len() <= TARGET_MAX);
        }
    }
    buildtrack::fuzzing::forwarded_hop(text);
});
