//! Tests of strict JSON parsing: refused texts and limits.

use agora_envelope::{
    JsonError, Limits,
    json::{parse_strict, within},
};
use serde_json::json;

fn refusal(text: &[u8]) -> JsonError {
    parse_strict(text, &Limits::default()).unwrap_err()
}

#[test]
fn duplicate_keys_are_refused_at_any_depth_and_in_any_escaping() {
    for (text, name) in [
        (r#"{"a":1,"a":1}"#, "a"),
        (r#"{"x":[{"y":{"b":1,"c":2,"b":3}}]}"#, "b"),
        (r#"{"sig":1,"s\u0069g":2}"#, "sig"),
        (r#"{"/":1,"\/":2}"#, "/"),
        (r#"{"\ud83d\ude00":1,"😀":2}"#, "😀"),
        (r#"{"":1,"":2}"#, ""),
    ] {
        assert_eq!(refusal(text.as_bytes()), JsonError::DuplicateKey { name: name.into() });
    }
}

#[test]
fn a_long_duplicate_key_is_truncated_in_the_error() {
    let name = "é".repeat(1000);
    let error = refusal(format!(r#"{{"{name}":1,"{name}":2}}"#).as_bytes());
    assert_eq!(error, JsonError::DuplicateKey { name: "é".repeat(64) });
}

#[test]
fn similar_keys_are_different() {
    assert!(parse_strict("{\"\u{e9}\":1,\"e\u{301}\":2}".as_bytes(), &Limits::default()).is_ok());
}

#[test]
fn a_lone_surrogate_is_refused() {
    for text in
        [r#""\ud83d""#, r#""\ud83d!""#, r#""\ud83d\n""#, r#""\ud83d\u0041""#, r#""\ude00""#, r#""\ude00\ud83d""#]
    {
        assert_eq!(refusal(text.as_bytes()).reason(), "lone_surrogate", "{text}");
        assert_eq!(refusal(format!("{{{text}:1}}").as_bytes()).reason(), "lone_surrogate", "{text} as a key");
    }
}

#[test]
fn a_surrogate_pair_is_accepted() {
    assert_eq!(parse_strict(br#""\ud83d\ude00""#, &Limits::default()), Ok(json!("😀")));
}

#[test]
fn invalid_utf_8_is_refused_with_its_offset() {
    assert_eq!(refusal(b"\"ab\xff\""), JsonError::NotUtf8 { at: 3 });
    // A surrogate encoded in UTF-8, and an overlong slash.
    assert_eq!(refusal(b"\"\xed\xa0\x80\""), JsonError::NotUtf8 { at: 1 });
    assert_eq!(refusal(b"\"\xc0\xaf\""), JsonError::NotUtf8 { at: 1 });
}

#[test]
fn a_byte_order_mark_is_refused() {
    assert_eq!(refusal("\u{feff}{}".as_bytes()), JsonError::ByteOrderMark);
}

#[test]
fn incomplete_and_malformed_texts_have_different_errors() {
    for text in ["", " ", "{", "[1,", r#"{"a""#, r#""ab"#, r#""\u00"#, "tru", "-", "1.", "1e"] {
        assert_eq!(refusal(text.as_bytes()), JsonError::Incomplete, "{text}");
    }
    for text in ["{a:1}", "[1,]", r#"{"a":1,}"#, "01", "+1", ".5", "'a'", "\"\t\"", r#""\x""#, "// no\n1", "nul!"] {
        assert!(matches!(refusal(text.as_bytes()).reason(), "json_syntax" | "json_trailing"), "{text}");
    }
}

#[test]
fn only_white_space_may_follow_the_value() {
    assert_eq!(parse_strict(b" [1] \r\n\t", &Limits::default()), Ok(json!([1])));
    assert_eq!(refusal(b"{} {}"), JsonError::Trailing { line: 1, column: 4 });
    assert_eq!(refusal(b"1\n\0"), JsonError::Trailing { line: 2, column: 1 });
}

#[test]
fn the_size_limit_is_inclusive() {
    let limits = Limits { bytes: 4, ..Limits::default() };
    assert!(parse_strict(b"1234", &limits).is_ok());
    assert_eq!(parse_strict(b"12345", &limits), Err(JsonError::TooLarge { limit: 4 }));
}

#[test]
fn the_depth_limit_is_inclusive() {
    let limits = Limits { depth: 2, ..Limits::default() };
    for text in [r#"[{"a":1}]"#, r#"{"a":[]}"#, "[[],[]]"] {
        assert!(parse_strict(text.as_bytes(), &limits).is_ok());
        assert!(within(serde_json::from_str(text).unwrap(), &limits).is_ok());
    }
    for text in [r#"[{"a":[]}]"#, r#"{"a":{"b":{}}}"#, "[[],[[]]]"] {
        assert_eq!(parse_strict(text.as_bytes(), &limits), Err(JsonError::TooDeep { limit: 2 }));
        assert_eq!(within(serde_json::from_str(text).unwrap(), &limits), Err(JsonError::TooDeep { limit: 2 }));
    }
}

#[test]
fn the_depth_limit_is_at_most_126() {
    let limits = Limits { depth: 1000, bytes: 10_000 };
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse_strict(nested(126).as_bytes(), &limits).is_ok());
    assert_eq!(parse_strict(nested(127).as_bytes(), &limits), Err(JsonError::TooDeep { limit: 126 }));
    assert_eq!(parse_strict(nested(5000).as_bytes(), &limits), Err(JsonError::TooDeep { limit: 126 }));
}

#[test]
fn numbers_parsed_elsewhere_are_normalized() {
    let value = within(json!({ "a": [300.0, -0.0, u64::MAX, 0.5] }), &Limits::default()).unwrap();
    assert_eq!(value, json!({ "a": [300, 0, 18_446_744_073_709_552_000_f64, 0.5] }));
}
