//! The signature field `sig`: 64 bytes in base64url.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use crate::{DidKey, jcs};

/// Written without padding, accepted with or without it. Nonzero trailing bits are refused, so that a signature has one
/// text apart from padding.
const BASE64URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_encode_padding(false).with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The reason why a signature is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The value is not an object with a text `sig`.
    #[error("sig is missing")]
    Missing,
    /// The signature is not base64url.
    #[error("sig is not base64url")]
    Encoding,
    /// The signature does not have 64 bytes.
    #[error("sig has {bytes} bytes, not the 64 of an Ed25519 signature")]
    Length {
        /// The number of bytes.
        bytes: usize,
    },
    /// The 32 bytes of the sender's identifier are not a curve point, or a non-canonical encoding of one.
    #[error("the sender's key is not the canonical encoding of a curve point")]
    NotAPoint,
    /// The sender's key is a point of small order, for which any party can forge signatures.
    #[error("the sender's key is a point of small order, for which any party can forge signatures")]
    WeakKey,
    /// This key did not sign this message.
    #[error("sig is not the sender's signature of this object in canonical form (RFC 8785) without sig")]
    Invalid,
}

impl SignatureError {
    /// A stable code for the reason.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Missing => "signature_missing",
            Self::Encoding => "signature_encoding",
            Self::Length { .. } => "signature_length",
            Self::NotAPoint => "did_key_not_a_point",
            Self::WeakKey => "did_key_weak",
            Self::Invalid => "signature_invalid",
        }
    }
}

/// Checks the `sig` of an object that is signed like an envelope, for example by [`crate::Signer::sign`], with any
/// other members.
pub fn verify_object(signer: &DidKey, object: &Value) -> Result<(), SignatureError> {
    let members = object.as_object().ok_or(SignatureError::Missing)?;
    let signature = decode(members.get("sig").and_then(Value::as_str).ok_or(SignatureError::Missing)?)?;
    let (text, sig) = jcs::with_member(members, "sig");
    signer.verify(&jcs::without(&text, &sig), &signature)
}

pub(crate) fn encode(signature: &[u8; 64]) -> String {
    BASE64URL.encode(signature)
}

pub(crate) fn decode(text: &str) -> Result<[u8; 64], SignatureError> {
    let bytes = BASE64URL.decode(text).map_err(|_| SignatureError::Encoding)?;
    bytes.try_into().map_err(|bytes: Vec<u8>| SignatureError::Length { bytes: bytes.len() })
}
