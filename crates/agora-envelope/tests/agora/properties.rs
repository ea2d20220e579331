//! Property tests of envelopes.

use agora_envelope::{Envelope, JsonError, Limits, jcs::canonicalize, json::parse_strict};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::cast::{alice, request_with};

fn any_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1000..1000_i64).prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |double| double.is_finite()).prop_map(Value::from),
        (-1e22..1e22).prop_map(Value::from),
    ]
}

/// Any text, often with characters that must be escaped or that UTF-16 sorts differently from UTF-8.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-c\\\\\"/\u{0}\n\u{1f}\u{7f}\u{e9}\u{ffff}\u{fb33}\u{1f600}]{0,4}"]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any_number(),
        any_text().prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..6).prop_map(|members| Map::from_iter(members).into()),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Value> {
    prop::collection::vec((any_text(), any_json()), 0..6).prop_map(|members| Map::from_iter(members).into())
}

fn read(value: &Value) -> Value {
    parse_strict(value.to_string().as_bytes(), &Limits::default()).unwrap()
}

/// Every location in a value, as a JSON pointer.
fn pointers(value: &Value, here: &str) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (escaped(name), value)).collect(),
        _ => Vec::new(),
    };
    let inner = inner.into_iter().flat_map(|(name, value)| pointers(value, &format!("{here}/{name}")));
    std::iter::once(here.to_owned()).chain(inner).collect()
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

proptest! {
    #[test]
    fn any_signed_object_is_verified(payload in any_object(), extra in any_object()) {
        let (Value::Object(mut members), Value::Object(known)) = (extra, request_with("/payload", Some(payload))) else {
            unreachable!("both are objects")
        };
        members.extend(known);
        let signed = alice().sign(members.into()).unwrap();
        let envelope = Envelope::parse(signed.to_string().as_bytes(), &Limits::default()).unwrap();
        prop_assert_eq!(envelope.verify(), Ok(()));
        prop_assert_eq!(envelope.canonical(), canonicalize(&signed));
        prop_assert_eq!(Envelope::from_value(signed, &Limits::default()).unwrap(), envelope);
    }

    #[test]
    fn any_change_invalidates_the_signature(payload in any_object(), index in any::<prop::sample::Index>(), other in any_json()) {
        let signed = read(&request_with("/payload", Some(payload)));
        let pointers = pointers(&signed, "");
        let mut changed = signed.clone();
        *changed.pointer_mut(&pointers[index.index(pointers.len())]).unwrap() = other;
        prop_assume!(read(&changed) != signed);
        let envelope = Envelope::from_value(changed, &Limits::default());
        prop_assert!(envelope.and_then(|envelope| envelope.verify()).is_err());
    }

    #[test]
    fn adding_or_removing_a_member_invalidates_the_signature(payload in any_object(), index in any::<prop::sample::Index>(), name in any_text()) {
        let signed = read(&request_with("/payload", Some(payload)));
        let objects: Vec<_> = pointers(&signed, "").into_iter().filter(|it| signed.pointer(it).unwrap().is_object()).collect();
        let mut changed = signed.clone();
        let object = changed.pointer_mut(&objects[index.index(objects.len())]).unwrap().as_object_mut().unwrap();
        let first = object.keys().next().cloned();
        match first {
            Some(first) if object.contains_key(&name) || name.len() % 2 == 0 => object.remove(&first),
            _ => object.insert(name, json!(null)),
        };
        let envelope = Envelope::from_value(changed, &Limits::default());
        prop_assert!(envelope.and_then(|envelope| envelope.verify()).is_err());
    }

    #[test]
    fn the_canonical_form_parses_to_the_same_value(value in any_json()) {
        let canonical = canonicalize(&value);
        let again = parse_strict(canonical.as_bytes(), &Limits::default()).unwrap();
        prop_assert_eq!(&again, &read(&value));
        prop_assert_eq!(canonicalize(&again), canonical);
    }

    #[test]
    fn the_canonical_form_equals_the_one_of_serde_jcs(value in any_json()) {
        prop_assert_eq!(canonicalize(&value), serde_jcs::to_string(&value).unwrap());
    }

    #[test]
    fn a_canonical_number_parses_to_the_same_double(double in any::<f64>().prop_filter("finite", |it| it.is_finite())) {
        let text = canonicalize(&json!(double));
        // Adding 0 turns -0 into 0.
        prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), (double + 0.0).to_bits());
    }

    #[test]
    fn parsing_any_bytes_does_not_panic(bytes in any::<Vec<u8>>()) {
        let _ = Envelope::parse_wrapped(&bytes, &Limits::default());
        let _ = String::from_utf8_lossy(&bytes).parse::<agora_envelope::DidKey>();
    }

    #[test]
    fn a_modified_byte_is_refused_or_changes_nothing(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let signed = alice().sign(request_with("/payload", Some(json!({ "n": 1.5, "t": "\u{1f600}\"" })))).unwrap();
        let mut text = signed.to_string().into_bytes();
        let at = at.index(text.len());
        prop_assume!(text[at] != byte);
        text[at] = byte;
        // A modified text that still parses and verifies has the same content.
        if let Ok(envelope) = Envelope::parse(&text, &Limits::default()) && envelope.verify().is_ok() {
            prop_assert_eq!(envelope.value(), &signed);
        }
    }

    #[test]
    fn parsing_text_like_json_does_not_panic(text in "[\\[\\]{}:,\"\\\\u0-9a-f.eE+ -]{0,64}") {
        if let Err(JsonError::TooLarge { .. } | JsonError::TooDeep { .. } | JsonError::NotUtf8 { .. }) =
            parse_strict(text.as_bytes(), &Limits { bytes: 64, depth: 64 })
        {
            prop_assert!(false, "{} is within the limits", text);
        }
    }
}
