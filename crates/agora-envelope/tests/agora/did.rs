//! Tests of `did:key` identifiers: accepted, refused, and their keys.

use std::collections::HashSet;

use agora_envelope::{DidKey, DidKeyError, SignatureError, Signer};

/// The public key of RFC 8032's first test, in the form of the did:key specification.
const TEXT: &str = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
const PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fn bytes(hex: &str) -> [u8; 32] {
    hex::decode(hex).unwrap().try_into().unwrap()
}

fn encoded(bytes: &[u8]) -> String {
    format!("did:key:z{}", bs58::encode(bytes).into_string())
}

/// A signature by a key of small order that satisfies the bare equation: R neutral, S zero.
fn forged(key: &[u8; 32]) -> Result<(), SignatureError> {
    let mut signature = [0; 64];
    signature[0] = 1;
    DidKey::from_public_key(key).verify(b"mine", &signature)
}

fn refusal(text: &str) -> DidKeyError {
    text.parse::<DidKey>().unwrap_err()
}

#[test]
fn keys_and_texts_correspond_one_to_one() {
    let did: DidKey = TEXT.parse().unwrap();
    assert_eq!(hex::encode(did.public_key()), PUBLIC);
    assert_eq!(DidKey::from_public_key(&bytes(PUBLIC)), did.clone());
    assert_eq!((did.as_str(), did.to_string().as_str()), (TEXT, TEXT));
}

#[test]
fn the_seeds_of_the_specification_have_its_identifiers() {
    // The first two of did-method-key's own Ed25519 vectors.
    assert_eq!(Signer::from_seed(&[0; 32]).did().as_str(), "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp");
    let mut one = [0; 32];
    one[31] = 1;
    assert_eq!(Signer::from_seed(&one).did().as_str(), "did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG");
}

#[test]
fn other_methods_and_bases_are_refused() {
    for text in ["", "did:web:example.com", "did:keyz6Mk", "DID:KEY:z6Mk", " did:key:z6Mk", "z6Mktwupdm"] {
        assert_eq!(refusal(text), DidKeyError::Method, "{text}");
    }
    for text in ["did:key:", "did:key:uZG9n", "did:key:Z6Mk", "did:key:1.1:z6Mk", "did:key:6Mk"] {
        assert_eq!(refusal(text), DidKeyError::Multibase, "{text}");
    }
}

#[test]
fn texts_other_than_base58_are_refused() {
    // 0, O, I and l are not in the alphabet. A fragment identifies another resource.
    for text in ["did:key:z0", "did:key:zO", "did:key:zI", "did:key:zl", "did:key:z6Mk é"] {
        assert_eq!(refusal(text), DidKeyError::Base58, "{text}");
    }
    assert_eq!(refusal(&format!("{TEXT}#{}", &TEXT[8..])), DidKeyError::Base58);
    assert_eq!(refusal(&format!("{TEXT} ")), DidKeyError::Base58);
}

#[test]
fn other_key_types_are_refused_by_code() {
    let key = bytes(PUBLIC);
    for (prefix, code) in [
        (&[0xec, 0x01][..], 0xec),
        (&[0xe7, 0x01], 0xe7),
        (&[0xeb, 0x01], 0xeb),
        (&[0x80, 0x24], 0x1200),
        (&[0xed, 0x02], 0x16d),
        // The same code in a longer encoding.
        (&[0xed, 0x81, 0x00], 0xed),
        (&[0x00, 0xed, 0x01], 0x00),
    ] {
        let text = encoded(&[prefix, &key].concat());
        assert_eq!(refusal(&text), DidKeyError::Codec { code }, "{text}");
    }
    assert_eq!(refusal("did:key:z"), DidKeyError::Codec { code: 0 });
    assert_eq!(refusal(&encoded(&[0xff; 40])), DidKeyError::Codec { code: 0 });
}

#[test]
fn a_key_has_32_bytes() {
    let key = bytes(PUBLIC);
    for bytes in [0, 1, 31, 33] {
        let longer = [&key[..], &[7]].concat();
        let text = encoded(&[&[0xed, 0x01], &longer[..bytes]].concat());
        assert_eq!(refusal(&text), DidKeyError::Length { bytes });
    }
}

#[test]
fn a_long_text_is_not_decoded() {
    assert_eq!(refusal(&format!("did:key:z{}", "2".repeat(100_000))), DidKeyError::TooLong);
}

#[test]
fn bytes_that_are_no_point_verify_no_signature() {
    // y = 2 is not on the curve.
    let mut two = [0; 32];
    two[0] = 2;
    assert_eq!(forged(&two), Err(SignatureError::NotAPoint));
}

#[test]
fn non_canonical_points_verify_no_signature() {
    // The y-coordinates with two encodings in 255 bits are 0 to 18: p + y for them, with either sign.
    for y in 0..19_u8 {
        for sign in [0x7f, 0xff] {
            let mut spelling = [0xff; 32];
            (spelling[0], spelling[31]) = (0xed + y, sign);
            assert_eq!(forged(&spelling), Err(SignatureError::NotAPoint), "p + {y}");
        }
    }
}

#[test]
fn points_of_small_order_verify_no_signature() {
    // All eight, in their canonical encoding.
    for hex in [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ] {
        assert_eq!(forged(&bytes(hex)), Err(SignatureError::WeakKey), "{hex}");
    }
}

#[test]
fn identifiers_are_compared_and_sorted_as_texts() {
    let (one, other) = (Signer::from_seed(&[1; 32]), Signer::from_seed(&[2; 32]));
    let set = HashSet::from([one.did().clone(), one.did().to_string().parse().unwrap(), other.did().clone()]);
    assert_eq!(set.len(), 2);
    assert_eq!(one.did().cmp(other.did()), one.did().as_str().cmp(other.did().as_str()));
}

#[test]
fn an_identifier_serializes_as_its_text() {
    let did: DidKey = TEXT.parse().unwrap();
    assert_eq!(serde_json::to_value(&did).unwrap(), TEXT);
    assert_eq!(serde_json::from_value::<DidKey>(TEXT.into()).unwrap(), did);
    assert!(serde_json::from_value::<DidKey>("did:key:z6Mk".into()).is_err());
}
