//! Fuzz target: search queries. Any text is a query of bounded size or is refused.

#![no_main]

use buildtrack_domain::search::{Need, Query, STEMS_MAX, TERMS_MAX, document};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(query) = Query::parse(text) {
        let terms = query.wanted().len() + query.unwanted().len();
        assert!(!query.wanted().is_empty() && terms <= TERMS_MAX);
    }
    assert!(Need::of(text).needles().len() <= STEMS_MAX);
    drop(document(text, &[text]));
});
