//! Tests of parsed envelopes: their fields, canonical form, wrapping, batches and limits.

use agora_envelope::{Envelope, EnvelopeError, JsonError, Limits, MessageType, SignatureError};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use crate::cast::{alice, bob, parse, request, request_with};

fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[test]
fn an_envelope_has_its_fields() {
    let signed = alice().sign(request()).unwrap();
    let envelope = parse(&signed).unwrap();
    assert_eq!(envelope.verify(), Ok(()));
    assert_eq!(envelope.id(), "msg_01jqk7z8x8r9q3z5v2w4y6u8");
    assert_eq!(envelope.ts(), time("2026-02-02T15:30:00Z"));
    assert_eq!(envelope.kind(), MessageType::Request);
    assert_eq!((envelope.sender(), envelope.recipient()), (alice().did(), Some(bob().did())));
    assert_eq!(envelope.thread_id(), Some("thread_01jqk7za"));
    assert_eq!(envelope.payload()["intent"], "translation.en_zh");
    assert_eq!(envelope.ttl(), Some(300));
    assert_eq!(envelope.value(), &signed);
}

#[test]
fn omitted_fields_are_none() {
    let least = json!({
        "version": "1.0", "id": "1", "ts": "2026-02-02T15:30:00Z", "type": "CANCEL", "sender": { "id": alice().did() },
        "payload": {},
    });
    let envelope = parse(&alice().sign(least).unwrap()).unwrap();
    assert_eq!(envelope.verify(), Ok(()));
    assert_eq!((envelope.recipient(), envelope.thread_id(), envelope.ttl()), (None, None, None));
}

#[test]
fn the_canonical_form_is_the_whole_and_the_signed_bytes_omit_sig() {
    let envelope = parse(&alice().sign(request()).unwrap()).unwrap();
    assert_eq!(envelope.canonical(), agora_envelope::jcs::canonicalize(envelope.value()));
    assert_eq!(envelope.signed_bytes(), agora_envelope::jcs::canonicalize(&request()).into_bytes());
    assert_eq!(alice().did().verify(&envelope.signed_bytes(), envelope.signature()), Ok(()));
    assert_eq!(Envelope::parse(envelope.canonical().as_bytes(), &Limits::default()), Ok(envelope));
}

#[test]
fn order_and_white_space_do_not_change_an_envelope() {
    let envelope = parse(&alice().sign(request()).unwrap()).unwrap();
    let spaced = serde_json::to_string_pretty(envelope.value()).unwrap();
    let spaced =
        Envelope::parse(spaced.replace("\"ttl\": 300", "\"ttl\": 3.0e2").as_bytes(), &Limits::default()).unwrap();
    assert_eq!(spaced, envelope);
    assert_eq!(spaced.verify(), Ok(()));
}

#[test]
fn padding_is_accepted_and_removed() {
    let signed = alice().sign(request()).unwrap();
    let mut padded = signed.clone();
    padded["sig"] = format!("{}==", signed["sig"].as_str().unwrap()).into();
    let (padded, plain) = (parse(&padded).unwrap(), parse(&signed).unwrap());
    assert_eq!(padded.verify(), Ok(()));
    assert_eq!((padded.canonical(), padded.value()), (plain.canonical(), &signed));
}

#[test]
fn an_unknown_field_is_signed_too() {
    let mut signed = request_with("/x_extension", Some(json!({ "deep": [1, 2] })));
    assert_eq!(parse(&signed).unwrap().verify(), Ok(()));
    signed["x_extension"]["deep"][1] = json!(3);
    assert_eq!(parse(&signed).unwrap().verify(), Err(SignatureError::Invalid.into()));
}

#[test]
fn top_level_names_are_sorted_like_nested_ones() {
    let mut envelope = request();
    for name in ["\u{fb33}", "\u{1f600}", "", "sih", "sif"] {
        envelope[name] = json!(name);
    }
    let envelope = parse(&alice().sign(envelope).unwrap()).unwrap();
    assert_eq!(envelope.canonical(), agora_envelope::jcs::canonicalize(envelope.value()));
    assert_eq!(envelope.verify(), Ok(()));
}

#[test]
fn a_signature_by_another_key_is_refused() {
    let forged = bob().sign(request()).unwrap();
    assert_eq!(parse(&forged).unwrap().verify(), Err(SignatureError::Invalid.into()));
}

#[test]
fn a_signature_of_non_canonical_json_is_refused() {
    // Signed in its original form instead of the canonical form.
    let mut envelope = request();
    let text = serde_json::to_string_pretty(&envelope).unwrap();
    envelope["sig"] = json!(base64url(&alice().sign_bytes(text.as_bytes())));
    assert_eq!(parse(&envelope).unwrap().verify(), Err(SignatureError::Invalid.into()));
}

fn base64url(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

#[test]
fn a_time_less_than_five_minutes_away_is_accepted() {
    let envelope = parse(&alice().sign(request()).unwrap()).unwrap();
    let almost = TimeDelta::milliseconds(299_999);
    for now in [envelope.ts() - almost, envelope.ts(), envelope.ts() + almost] {
        assert_eq!(envelope.check_time(now), Ok(()));
    }
    let five = TimeDelta::minutes(5);
    assert_eq!(envelope.check_time(envelope.ts() - five), Err(EnvelopeError::TimeOutOfWindow { ahead: five }));
    assert_eq!(envelope.check_time(envelope.ts() + five), Err(EnvelopeError::TimeOutOfWindow { ahead: -five }));
}

#[test]
fn the_error_states_the_distance_of_a_time() {
    let envelope = parse(&alice().sign(request()).unwrap()).unwrap();
    let late = envelope.check_time(time("2026-02-02T15:36:40Z")).unwrap_err();
    assert_eq!(late.to_string(), "ts is 400 s behind the receiver's clock; less than 300 s is allowed");
    assert_eq!(late.reason(), "timestamp_out_of_window");
    let early = envelope.check_time(time("2026-02-02T15:20:00Z")).unwrap_err();
    assert_eq!(early.to_string(), "ts is 600 s ahead of the receiver's clock; less than 300 s is allowed");
}

#[test]
fn the_extreme_times_are_refused() {
    for ts in ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00+23:59"] {
        let envelope = parse(&request_with("/ts", Some(json!(ts)))).unwrap();
        let error = envelope.check_time(time("2026-02-02T15:30:00Z")).unwrap_err();
        assert_eq!(error.reason(), "timestamp_out_of_window");
    }
}

#[test]
fn an_envelope_may_be_wrapped() {
    let signed = alice().sign(request()).unwrap();
    for text in [
        signed.to_string(),
        json!({ "envelope": signed }).to_string(),
        json!({ "a": 1, "envelope": signed }).to_string(),
    ] {
        let envelope = Envelope::parse_wrapped(text.as_bytes(), &Limits::default()).unwrap();
        assert_eq!(envelope.value(), &signed);
    }
    let twice = json!({ "envelope": { "envelope": signed } }).to_string();
    let error = Envelope::parse_wrapped(twice.as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!(error, EnvelopeError::Missing { field: "version" });
}

#[test]
fn a_field_named_envelope_is_not_a_wrapper() {
    let signed = request_with("/envelope", Some(json!({ "a": 1 })));
    let envelope = Envelope::parse_wrapped(signed.to_string().as_bytes(), &Limits::default()).unwrap();
    assert_eq!(envelope.verify(), Ok(()));
}

#[test]
fn envelopes_of_a_batch_are_parsed_separately() {
    let signed = alice().sign(request()).unwrap();
    let mut unsigned = signed.clone();
    unsigned.as_object_mut().unwrap().remove("sig");
    let batch = json!({ "envelopes": [signed, unsigned, 1, signed], "unknown member": 1 }).to_string();
    let read = Envelope::parse_batch(batch.as_bytes(), &Limits::default(), 64).unwrap();
    let known: Vec<_> = read.iter().map(|envelope| envelope.as_ref().map(Envelope::verify)).collect();
    let missing = EnvelopeError::Missing { field: "sig" };
    assert_eq!(known, [Ok(Ok(())), Err(&missing), Err(&EnvelopeError::NotAnObject), Ok(Ok(()))]);

    let missing = EnvelopeError::Missing { field: "envelopes" };
    let wrong = EnvelopeError::WrongType { field: "envelopes", expected: "an array" };
    let empty = EnvelopeError::BatchSize { count: 0, max: 64 };
    let cases = [
        ("[]", EnvelopeError::NotAnObject),
        ("{}", missing),
        (r#"{"envelopes":{}}"#, wrong),
        (r#"{"envelopes":[]}"#, empty),
    ];
    for (text, error) in cases {
        assert_eq!(Envelope::parse_batch(text.as_bytes(), &Limits::default(), 64), Err(error), "{text}");
    }
}

#[test]
fn a_batch_has_at_most_so_many_envelopes() {
    let batch = json!({ "envelopes": vec![0; 3] }).to_string();
    let read = |max| Envelope::parse_batch(batch.as_bytes(), &Limits::default(), max).map(|read| read.len());
    assert_eq!(read(3), Ok(3));
    assert_eq!(read(2), Err(EnvelopeError::BatchSize { count: 3, max: 2 }));
}

#[test]
fn the_limits_apply_to_each_envelope_of_a_batch() {
    let signed = alice().sign(request()).unwrap();
    let (depth, bytes) = (3, parse(&signed).unwrap().canonical().len());
    let batch = json!({ "envelopes": [signed, signed, signed] }).to_string();
    let read = |limits| {
        Envelope::parse_batch(batch.as_bytes(), &limits, 64).map(|read| read.iter().filter(|it| it.is_ok()).count())
    };
    assert_eq!(read(Limits { bytes, depth }), Ok(3));
    assert_eq!(read(Limits { bytes: bytes - 1, depth }), Ok(0));
    assert!(matches!(read(Limits { bytes, depth: depth - 1 }), Err(EnvelopeError::Json(JsonError::TooDeep { .. }))));
}

#[test]
fn a_cached_key_verifies_only_its_owners_signatures() {
    let envelope = parse(&alice().sign(request()).unwrap()).unwrap();
    let [hers, his] = [alice(), bob()].map(|signer| signer.did().verification_key().unwrap());
    assert_eq!(envelope.verify_with(&hers), Ok(()));
    assert_eq!(envelope.verify_with(&his), Err(SignatureError::Invalid.into()));
    let mut forged = envelope.value().clone();
    forged["payload"]["intent"] = json!("another");
    assert_eq!(parse(&forged).unwrap().verify_with(&hers), Err(SignatureError::Invalid.into()));
}

#[test]
fn a_wrapper_must_contain_an_envelope() {
    for (text, error) in [
        ("[]", EnvelopeError::NotAnObject),
        (r#"{"envelope":"a"}"#, EnvelopeError::NotAnObject),
        (r#"{"envelope":null}"#, EnvelopeError::NotAnObject),
        ("{}", EnvelopeError::Missing { field: "version" }),
        (r#"{"envelope":{},"envelope":{}}"#, JsonError::DuplicateKey { name: "envelope".into() }.into()),
    ] {
        assert_eq!(Envelope::parse_wrapped(text.as_bytes(), &Limits::default()), Err(error));
    }
}

#[test]
fn a_wrapper_does_not_count_as_depth() {
    let signed = request_with("/payload", Some(json!({ "a": { "b": 1 } })));
    let (exact, less) = (Limits { depth: 3, ..Limits::default() }, Limits { depth: 2, ..Limits::default() });
    let texts = [signed.to_string(), json!({ "envelope": signed }).to_string()];
    for text in texts.iter().map(String::as_bytes) {
        assert!(Envelope::parse_wrapped(text, &exact).is_ok());
        let error = Envelope::parse_wrapped(text, &less).unwrap_err();
        assert_eq!(error.reason(), "too_deep");
    }
}

#[test]
fn the_size_limit_applies_to_canonical_numbers() {
    let signed = request_with("/payload", Some(json!({ "a": vec![1e20; 100] })));
    let text = signed.to_string();
    let limits = Limits { bytes: text.len() + 100, ..Limits::default() };
    assert_eq!(Envelope::parse(text.as_bytes(), &limits), Err(JsonError::TooLarge { limit: limits.bytes }.into()));
    assert!(Envelope::parse(text.as_bytes(), &Limits::default()).is_ok());
}

#[test]
fn a_value_parsed_elsewhere_has_the_same_limits() {
    let signed = alice().sign(request()).unwrap();
    let bytes = parse(&signed).unwrap().canonical().len();
    assert!(Envelope::from_value(signed.clone(), &Limits { bytes, depth: 3 }).is_ok());
    let error = Envelope::from_value(signed.clone(), &Limits { bytes: bytes - 1, depth: 3 }).unwrap_err();
    assert_eq!(error, JsonError::TooLarge { limit: bytes - 1 }.into());
    let error = Envelope::from_value(signed, &Limits { bytes, depth: 2 }).unwrap_err();
    assert_eq!(error, JsonError::TooDeep { limit: 2 }.into());
}
