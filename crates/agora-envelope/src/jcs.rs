//! The canonical form of RFC 8785 (JCS): what is signed.

use std::ops::Range;

use serde_json::{Map, Value};

/// The canonical form of a value: no spaces, members sorted by the UTF-16 code units of their names, and numbers as
/// ECMAScript writes doubles. Integers beyond 2^53 are rounded to the nearest double, as `JSON.parse` does.
pub fn canonicalize(value: &Value) -> String {
    #[expect(
        clippy::expect_used,
        reason = "a Value has finite numbers and textual names only, and a Vec takes every write"
    )]
    serde_jcs::to_string(value).expect("a Value has a canonical form")
}

/// The canonical form of an object, and where in it a member stands, together with one comma. Without that range it is
/// the canonical form of the rest. Empty where there is no such member.
pub(crate) fn with_member(object: &Map<String, Value>, name: &str) -> (String, Range<usize>) {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    let mut text = String::from("{");
    let mut range = 0..0;
    for (index, (key, value)) in members.into_iter().enumerate() {
        let start = text.len();
        if index > 0 {
            text.push(',');
        }
        text.push_str(&canonicalize(&Value::from(key.as_str())));
        text.push(':');
        text.push_str(&canonicalize(value));
        if key == name {
            range = start..text.len();
        }
    }
    // The first member has its comma behind it.
    if range.start == 1 && object.len() > 1 {
        range.end += 1;
    }
    text.push('}');
    (text, range)
}

/// The text without the range.
pub(crate) fn without(text: &str, range: &Range<usize>) -> Vec<u8> {
    [&text.as_bytes()[..range.start], &text.as_bytes()[range.end..]].concat()
}
