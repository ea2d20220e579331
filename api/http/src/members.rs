//! The members of JSON objects as their authors wrote them, beside the parsed values: a value that passes to another party keeps all
//! digits of its numbers, and its members their order.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The members of an object, with their texts. Of a name that occurs twice, the last member counts, as in [`serde_json::Value`]. Empty
/// for every other text.
pub fn members(object: &[u8]) -> BTreeMap<String, &RawValue> {
    serde_json::from_slice(object).unwrap_or_default()
}

/// The text of an object's member, and of a member inside of it for each further name.
pub fn member<'t>(object: &'t [u8], path: &[&str]) -> Option<&'t RawValue> {
    let (first, rest) = path.split_first()?;
    let found = members(object).remove(*first)?;
    if rest.is_empty() { Some(found) } else { member(found.get().as_bytes(), rest) }
}

/// The text of a value on one line: line breaks outside of strings are spaces. Strings escape them.
pub fn on_one_line(json: String) -> String {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ") } else { json }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_keeps_its_text() {
        let text = br#"{"a":{"b":0, "b": 1.10 },"c":[]}"#;
        assert_eq!(member(text, &["a", "b"]).map(RawValue::get), Some("1.10"));
        assert_eq!(members(text).keys().collect::<Vec<_>>(), ["a", "c"]);
        for path in [&["x"][..], &["c", "b"], &[]] {
            assert!(member(text, path).is_none(), "{path:?}");
        }
        assert!(members(b"[1]").is_empty() && members(b"{").is_empty());
    }

    #[test]
    fn line_breaks_become_spaces() {
        assert_eq!(on_one_line("{\r\n\"a\":\"\\n\"}".to_owned()), "{  \"a\":\"\\n\"}");
    }
}
