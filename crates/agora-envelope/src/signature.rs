//! `sig`: 64 bytes in base64url.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use crate::{DidKey, jcs};

/// Written without padding, read with or without it. Stray bits at the end are refused, so that a signature has one
/// text but for its padding.
const BASE64URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_encode_padding(false).with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Why a signature does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// There is none: what was to be verified is no object with the text `sig`.
    #[error("there is no sig")]
    Missing,
    /// It is not base64url.
    #[error("sig is not base64url")]
    Encoding,
    /// It is base64url of something else.
    #[error("sig has {bytes} bytes, not the 64 of an Ed25519 signature")]
    Length {
        /// How many bytes it has.
        bytes: usize,
    },
    /// The 32 bytes of the sender's identifier are no point of the curve, or a second spelling of one.
    #[error("the sender's key is not the encoding of a point of the curve")]
    NotAPoint,
    /// The sender's key is a point of small order, for which anybody can sign.
    #[error("the sender's key is a point of small order, for which anybody can sign")]
    WeakKey,
    /// It was not made by this key for this message.
    #[error("sig is not the sender's signature of this object in canonical form (RFC 8785) without sig")]
    Invalid,
}

impl SignatureError {
    /// A stable word for it.
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

/// Checks the `sig` of any object that is signed as envelopes are, such as [`crate::Signer::sign`] gives it, whatever
/// its other members.
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
