//! Tests of signing arbitrary objects like envelopes.

use agora_envelope::{MessageType, NotAnObject, SignatureError, UnknownType, verify_object};
use serde_json::json;

use crate::cast::{alice, bob, request};

#[test]
fn a_signature_verifies_only_with_its_signers_key() {
    let signed = alice().sign(json!({ "z": 1, "a": [0.5, "é"] })).unwrap();
    assert_eq!(verify_object(alice().did(), &signed), Ok(()));
    assert_eq!(verify_object(bob().did(), &signed), Err(SignatureError::Invalid));
}

#[test]
fn signing_changes_no_other_member() {
    let mut signed = alice().sign(request()).unwrap();
    signed.as_object_mut().unwrap().remove("sig");
    assert_eq!(signed, request());
}

#[test]
fn signing_again_replaces_the_signature() {
    let signed = alice().sign(request()).unwrap();
    assert_eq!(alice().sign(signed.clone()), Ok(signed.clone()));
    assert_ne!(bob().sign(signed.clone()).unwrap()["sig"], signed["sig"]);
}

#[test]
fn an_empty_object_can_be_signed() {
    let signed = alice().sign(json!({})).unwrap();
    assert_eq!(verify_object(alice().did(), &signed), Ok(()));
    assert_eq!(alice().did().verify(b"{}", &alice().sign_bytes(b"{}")), Ok(()));
}

#[test]
fn sig_is_excluded_at_any_sorted_position() {
    for object in [json!({ "a": 1, "z": 1 }), json!({ "z": 1 }), json!({ "a": 1 }), json!({ "a": { "sig": "no" } })] {
        assert_eq!(verify_object(alice().did(), &alice().sign(object).unwrap()), Ok(()));
    }
}

#[test]
fn only_objects_can_be_signed() {
    for value in [json!(null), json!([]), json!("a")] {
        assert_eq!(alice().sign(value), Err(NotAnObject));
    }
}

#[test]
fn an_unsigned_value_is_refused_as_such() {
    for value in [json!([]), json!({}), json!({ "sig": 1 })] {
        assert_eq!(verify_object(alice().did(), &value), Err(SignatureError::Missing));
    }
    assert_eq!(verify_object(alice().did(), &json!({ "sig": "AAAA" })), Err(SignatureError::Length { bytes: 3 }));
}

#[test]
fn a_signer_does_not_reveal_its_secret() {
    assert_eq!(format!("{:?}", alice()), format!("Signer({})", alice().did()));
}

#[test]
fn types_serialize_in_capitals() {
    for kind in MessageType::ALL {
        assert_eq!(kind.as_str().parse(), Ok(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
        assert_eq!(kind.as_str().to_lowercase().parse::<MessageType>(), Err(UnknownType));
    }
}
