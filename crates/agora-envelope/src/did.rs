//! `did:key` identifiers for Ed25519 (the seed's appendix A).

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{Signature, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::SignatureError;

/// The multicodec prefix of an Ed25519 public key: the code 0xed as a varint.
const ED25519: [u8; 2] = [0xed, 0x01];
/// Longer texts are not decoded, because base58 decoding takes quadratic time. All key types except RSA fit.
const TEXT_MAX: usize = 256;

/// An agent's identifier, `did:key:z6Mk…`, and the 32 bytes of the Ed25519 public key that it encodes.
///
/// **Invariant:** keys and texts correspond one to one. Whether the bytes are a valid verification key is checked only
/// with a signature: that check costs more than all others, and a recipient's key does not need it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DidKey {
    text: String,
    key: [u8; 32],
}

/// The reason why a text is not a [`DidKey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DidKeyError {
    /// The text does not begin with `did:key:`.
    #[error("it does not begin with did:key:")]
    Method,
    /// The key does not begin with `z`, the prefix of base58-btc.
    #[error("its key is not in base58-btc, which begins with z")]
    Multibase,
    /// The text is longer than any supported key.
    #[error("it is longer than {TEXT_MAX} characters")]
    TooLong,
    /// The text after the `z` is not base58.
    #[error("the text after did:key:z is not base58")]
    Base58,
    /// A key of another type, named by its multicodec code.
    #[error("its key is of the type {code:#x}; only Ed25519 (0xed, written 0xed01) is supported")]
    Codec {
        /// The code in the multicodec table: 0xec is X25519, 0xe7 is secp256k1.
        code: u64,
    },
    /// An Ed25519 key that does not have 32 bytes.
    #[error("its Ed25519 key has {bytes} bytes, not 32")]
    Length {
        /// The number of bytes after the prefix.
        bytes: usize,
    },
}

impl DidKeyError {
    /// A stable code for the reason.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Method => "did_method_unsupported",
            Self::Multibase => "did_multibase_unsupported",
            Self::TooLong => "did_too_long",
            Self::Base58 => "did_base58_invalid",
            Self::Codec { .. } => "did_codec_unsupported",
            Self::Length { .. } => "did_key_length",
        }
    }
}

impl DidKey {
    /// The identifier of a public key.
    pub fn from_public_key(key: &[u8; 32]) -> Self {
        let encoded = bs58::encode([&ED25519[..], key].concat()).into_string();
        Self { text: format!("did:key:z{encoded}"), key: *key }
    }

    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The 32 bytes of the public key.
    pub fn public_key(&self) -> &[u8; 32] {
        &self.key
    }

    /// The curve point of the key, for checking signatures.
    pub fn verification_key(&self) -> Result<VerificationKey, SignatureError> {
        point(&self.key).map(VerificationKey).ok_or(SignatureError::NotAPoint)
    }

    /// Whether this key signed the message; see [`VerificationKey::verify`].
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> Result<(), SignatureError> {
        self.verification_key()?.verify(message, signature)
    }
}

/// The curve point of a [`DidKey`]. Decompressing it takes an eighth of the time of a signature check, so callers that
/// check many signatures of one agent should cache it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationKey(VerifyingKey);

impl VerificationKey {
    /// Whether this key signed the message, checked strictly: RFC 8032 section 5.1.7 with canonical encodings only and
    /// without points of small order, so that all verifiers agree.
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> Result<(), SignatureError> {
        let verdict = self.0.verify_strict(message, &Signature::from_bytes(signature));
        verdict.map_err(|_| if self.0.is_weak() { SignatureError::WeakKey } else { SignatureError::Invalid })
    }

    /// Whether it is the key of this identifier.
    pub fn is_of(&self, did: &DidKey) -> bool {
        *self.0.as_bytes() == did.key
    }
}

impl FromStr for DidKey {
    type Err = DidKeyError;

    fn from_str(text: &str) -> Result<Self, DidKeyError> {
        let multibase = text.strip_prefix("did:key:").ok_or(DidKeyError::Method)?;
        let base58 = multibase.strip_prefix('z').ok_or(DidKeyError::Multibase)?;
        if text.len() > TEXT_MAX {
            return Err(DidKeyError::TooLong);
        }
        let decoded = bs58::decode(base58).into_vec().map_err(|_| DidKeyError::Base58)?;
        let bytes = decoded.strip_prefix(&ED25519).ok_or(DidKeyError::Codec { code: code(&decoded) })?;
        let bytes = bytes.try_into().map_err(|_| DidKeyError::Length { bytes: bytes.len() })?;
        // Base58 is unambiguous for bytes that do not begin with zero.
        Ok(Self { text: text.to_owned(), key: bytes })
    }
}

fn point(bytes: &[u8; 32]) -> Option<VerifyingKey> {
    is_canonical(bytes).then(|| VerifyingKey::from_bytes(bytes).ok()).flatten()
}

/// Whether the y-coordinate (little-endian, without the top bit, which is the sign of x) is below 2^255 - 19.
fn is_canonical(bytes: &[u8; 32]) -> bool {
    let [first, middle @ .., last] = bytes;
    *first < 0xed || last & 0x7f != 0x7f || middle.iter().any(|byte| *byte != 0xff)
}

/// The unsigned varint at the beginning, or 0.
fn code(bytes: &[u8]) -> u64 {
    let end = bytes.iter().take(9).position(|byte| byte & 0x80 == 0);
    let groups = end.map_or(&[][..], |end| &bytes[..=end]);
    groups.iter().rev().fold(0, |code, byte| code << 7 | u64::from(byte & 0x7f))
}

impl fmt::Display for DidKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl fmt::Debug for DidKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "DidKey({})", self.text)
    }
}

impl TryFrom<String> for DidKey {
    type Error = DidKeyError;

    fn try_from(text: String) -> Result<Self, DidKeyError> {
        text.parse()
    }
}

impl From<DidKey> for String {
    fn from(did: DidKey) -> Self {
        did.text
    }
}
