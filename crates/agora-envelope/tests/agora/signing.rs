//! Signing anything as envelopes are signed.

use agora_envelope::{MessageType, NotAnObject, SignatureError, UnknownType, verify_object};
use serde_json::json;

use crate::cast::{alice, bob, request};

#[test]
fn what_was_signed_is_verified_by_its_signer_alone() {
    let signed = alice().sign(json!({ "z": 1, "a": [0.5, "é"] })).unwrap();
    assert_eq!(verify_object(alice().did(), &signed), Ok(()));
    assert_eq!(verify_object(bob().did(), &signed), Err(SignatureError::Invalid));
}

#[test]
fn signing_leaves_everything_else_as_it_was() {
    let mut signed = alice().sign(request()).unwrap();
    signed.as_object_mut().unwrap().remove("sig");
    assert_eq!(signed, request());
}

#[test]
fn signing_anew_replaces_the_signature() {
    let signed = alice().sign(request()).unwrap();
    assert_eq!(alice().sign(signed.clone()), Ok(signed.clone()));
    assert_ne!(bob().sign(signed.clone()).unwrap()["sig"], signed["sig"]);
}

#[test]
fn an_object_with_nothing_in_it_can_be_signed() {
    let signed = alice().sign(json!({})).unwrap();
    assert_eq!(verify_object(alice().did(), &signed), Ok(()));
    assert_eq!(alice().did().verify(b"{}", &alice().sign_bytes(b"{}")), Ok(()));
}

#[test]
fn the_signature_is_left_out_wherever_its_name_is_sorted() {
    for object in [json!({ "a": 1, "z": 1 }), json!({ "z": 1 }), json!({ "a": 1 }), json!({ "a": { "sig": "no" } })] {
        assert_eq!(verify_object(alice().did(), &alice().sign(object).unwrap()), Ok(()));
    }
}

#[test]
fn only_objects_are_signed() {
    for value in [json!(null), json!([]), json!("a")] {
        assert_eq!(alice().sign(value), Err(NotAnObject));
    }
}

#[test]
fn what_has_no_signature_is_told_so() {
    for value in [json!([]), json!({}), json!({ "sig": 1 })] {
        assert_eq!(verify_object(alice().did(), &value), Err(SignatureError::Missing));
    }
    assert_eq!(verify_object(alice().did(), &json!({ "sig": "AAAA" })), Err(SignatureError::Length { bytes: 3 }));
}

#[test]
fn a_signer_keeps_its_secret() {
    assert_eq!(format!("{:?}", alice()), format!("Signer({})", alice().did()));
}

#[test]
fn types_are_written_in_capitals_everywhere() {
    for kind in MessageType::ALL {
        assert_eq!(kind.as_str().parse(), Ok(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
        assert_eq!(kind.as_str().to_lowercase().parse::<MessageType>(), Err(UnknownType));
    }
}
