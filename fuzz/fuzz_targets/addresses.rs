//! Any text given as the address of a webhook, or in `X-Forwarded-For`, is read or refused, and never fails.

#![no_main]

use buildtrack_domain::webhooks::{TARGET_MAX, check_target};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for allow_private in [true, false] {
        if let Ok(url) = check_target(text, allow_private) {
            assert!(["http", "https"].contains(&url.scheme()) && text.len() <= TARGET_MAX);
        }
    }
    buildtrack::fuzzing::forwarded_hop(text);
});
