//! Tests of envelopes with a valid signature and a faulty field.

use agora_envelope::{DidKey, DidKeyError, EnvelopeError, IDENTIFIER_MAX, SignatureError, UnknownType};
use serde_json::{Value, json};

use crate::cast::{alice, parse, request, request_with};

fn refusal(pointer: &str, value: Option<Value>) -> EnvelopeError {
    parse(&request_with(pointer, value)).unwrap_err()
}

#[test]
fn a_missing_required_field_is_named() {
    for (pointer, field) in [
        ("/version", "version"),
        ("/id", "id"),
        ("/ts", "ts"),
        ("/type", "type"),
        ("/sender", "sender"),
        ("/sender/id", "sender.id"),
        ("/recipient/id", "recipient.id"),
        ("/payload", "payload"),
        ("/thread/id", "thread.id"),
    ] {
        assert_eq!(refusal(pointer, None), EnvelopeError::Missing { field });
    }
    assert_eq!(parse(&request()).unwrap_err(), EnvelopeError::Missing { field: "sig" });
}

#[test]
fn optional_fields_may_be_omitted() {
    for pointer in ["/recipient", "/thread", "/meta", "/meta/ttl", "/sender/name"] {
        assert!(parse(&request_with(pointer, None)).is_ok(), "{pointer}");
    }
}

#[test]
fn a_value_of_another_type_is_refused_and_so_is_null() {
    for (pointer, field) in [
        ("/version", "version"),
        ("/id", "id"),
        ("/ts", "ts"),
        ("/type", "type"),
        ("/sender/id", "sender.id"),
        ("/recipient/id", "recipient.id"),
        ("/thread/id", "thread.id"),
    ] {
        for value in [json!(null), json!(1), json!({})] {
            assert_eq!(refusal(pointer, Some(value)), EnvelopeError::WrongType { field, expected: "a string" });
        }
    }
    for field in ["sender", "recipient", "payload", "thread", "meta"] {
        for value in [json!(null), json!("a"), json!([])] {
            let error = refusal(&format!("/{field}"), Some(value));
            assert_eq!(error, EnvelopeError::WrongType { field, expected: "an object" });
        }
    }
}

#[test]
fn only_version_1_0_is_accepted() {
    for version in ["1", "1.0.0", "1.1", "2.0", "v1.0", "1.0 ", ""] {
        assert_eq!(refusal("/version", Some(json!(version))), EnvelopeError::Version);
    }
}

#[test]
fn only_the_six_types_are_accepted() {
    for kind in ["REQUEST", "OFFER", "ACCEPT", "RESULT", "ERROR", "CANCEL"] {
        assert_eq!(parse(&request_with("/type", Some(json!(kind)))).unwrap().kind().as_str(), kind);
    }
    for kind in ["", "request", "HELLO", "REVOKE", "ESCROW_HELD", "REQUEST\n"] {
        assert_eq!(refusal("/type", Some(json!(kind))), EnvelopeError::Type(UnknownType));
    }
}

#[test]
fn an_identifier_has_a_bounded_length() {
    for (pointer, field) in [("/id", "id"), ("/thread/id", "thread.id")] {
        for fine in ["a".to_owned(), "é".repeat(IDENTIFIER_MAX), "req_mh8x9k2f 0.1/ß😀".to_owned()] {
            assert!(parse(&request_with(pointer, Some(json!(fine)))).is_ok(), "{fine}");
        }
        assert_eq!(refusal(pointer, Some(json!(""))), EnvelopeError::Empty { field });
        let long = json!("é".repeat(IDENTIFIER_MAX + 1));
        assert_eq!(refusal(pointer, Some(long)), EnvelopeError::TooLong { field, max: IDENTIFIER_MAX });
        for control in ["a\0", "\n", "\u{7f}", "\u{85}"] {
            assert_eq!(refusal(pointer, Some(json!(control))), EnvelopeError::ControlCharacter { field });
        }
    }
}

#[test]
fn a_time_must_follow_rfc_3339() {
    for fine in [
        "2026-02-02T15:30:00.000Z",
        "2026-02-02T15:30:00Z",
        "2026-02-02T16:30:00+01:00",
        "2026-02-02T10:00:00.000000-05:30",
        "2026-02-02t15:30:00z",
    ] {
        let envelope = parse(&request_with("/ts", Some(json!(fine)))).unwrap();
        assert_eq!(envelope.ts(), parse(&alice().sign(request()).unwrap()).unwrap().ts(), "{fine}");
    }
    for wrong in [
        "",
        "now",
        "2026-02-02",
        "2026-02-02T15:30:00",
        "2026-02-30T15:30:00Z",
        "2026-02-02T24:00:00Z",
        "2026-06-30T23:59:60Z",
        "20260202T153000Z",
        "+002026-02-02T15:30:00Z",
        "Mon, 02 Feb 2026 15:30:00 GMT",
        "1770046200",
    ] {
        assert_eq!(refusal("/ts", Some(json!(wrong))), EnvelopeError::Timestamp, "{wrong}");
    }
}

#[test]
fn sender_and_recipient_must_be_did_keys() {
    for (pointer, field) in [("/sender/id", "sender.id"), ("/recipient/id", "recipient.id")] {
        let agent = refusal(pointer, Some(json!("ag_01jqk7z8")));
        assert_eq!(agent, EnvelopeError::Did { field, error: DidKeyError::Method });
        let x25519 = json!("did:key:z6LShs9GGnqk85isEBzzshkuVWrVKsRp24GnDuHk8QWkARMW");
        assert_eq!(
            refusal(pointer, Some(x25519)),
            EnvelopeError::Did { field, error: DidKeyError::Codec { code: 0xec } }
        );
    }
}

#[test]
fn an_invalid_key_is_refused_at_verification() {
    let mut two = [0; 32];
    two[0] = 2;
    let envelope = parse(&request_with("/sender/id", Some(json!(DidKey::from_public_key(&two))))).unwrap();
    let error = envelope.verify().unwrap_err();
    assert_eq!((error.reason(), error.field()), ("did_key_not_a_point", Some("sender.id")));
}

#[test]
fn a_ttl_is_a_whole_number_of_seconds() {
    for (ttl, seconds) in [
        (json!(0), 0),
        (json!(300), 300),
        (json!(300.0), 300),
        (json!(9_007_199_254_740_991_u64), 9_007_199_254_740_991),
    ] {
        assert_eq!(parse(&request_with("/meta/ttl", Some(ttl))).unwrap().ttl(), Some(seconds));
    }
    for ttl in [json!(-1), json!(0.5), json!("300"), json!(null), json!(9_007_199_254_740_992_u64), json!(u64::MAX)] {
        let expected = "a whole number of seconds";
        assert_eq!(refusal("/meta/ttl", Some(ttl)), EnvelopeError::WrongType { field: "meta.ttl", expected });
    }
}

#[test]
fn a_signature_must_be_64_bytes_in_base64url() {
    let signed = alice().sign(request()).unwrap();
    let with = |sig: String| {
        let mut signed = signed.clone();
        signed["sig"] = sig.into();
        parse(&signed).unwrap_err()
    };
    let sig = signed["sig"].as_str().unwrap();
    assert_eq!(with(String::new()), SignatureError::Length { bytes: 0 }.into());
    assert_eq!(with(sig[..84].into()), SignatureError::Length { bytes: 63 }.into());
    assert_eq!(with(format!("AAAA{sig}")), SignatureError::Length { bytes: 67 }.into());
    // The alphabet of plain base64, white space, hex, and nonzero trailing bits.
    for wrong in [format!("+{}", &sig[1..]), format!("/{}", &sig[1..]), format!("{sig}\n"), format!("{}B", &sig[..85])]
    {
        assert_eq!(with(wrong), SignatureError::Encoding.into());
    }
    assert_eq!(with("ab".repeat(64)), SignatureError::Length { bytes: 96 }.into());
}

#[test]
fn every_error_has_a_code_and_names_its_field() {
    for (error, reason, field) in [
        (refusal("/id", None), "field_missing", Some("id")),
        (refusal("/id", Some(json!(1))), "field_type", Some("id")),
        (refusal("/version", Some(json!("2"))), "version_unsupported", Some("version")),
        (refusal("/type", Some(json!("X"))), "type_unknown", Some("type")),
        (refusal("/ts", Some(json!("X"))), "timestamp_invalid", Some("ts")),
        (refusal("/sender/id", Some(json!("X"))), "did_method_unsupported", Some("sender.id")),
        (parse(&json!([])).unwrap_err(), "not_an_object", None),
        (parse(&json!({ "version": "1.0", "sig": "AA" })).unwrap_err(), "signature_length", Some("sig")),
    ] {
        assert_eq!((error.reason(), error.field()), (reason, field));
        assert!(error.to_string().is_ascii() && error.to_string().len() > 10, "{error}");
    }
}
