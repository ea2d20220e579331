//! `did:key` for Ed25519: the seed's appendix A.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{Signature, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::SignatureError;

/// The multicodec prefix of an Ed25519 public key: the code 0xed as a varint.
const ED25519: [u8; 2] = [0xed, 0x01];
/// Longer texts are not decoded: base58 takes time that grows with the square of the length. Every kind of key that is
/// not RSA fits.
const TEXT_MAX: usize = 256;

/// An agent's identifier, `did:key:z6Mk…`, and the 32 bytes of the Ed25519 public key that it is.
///
/// **Invariant:** one key has one text, and one text one key. Whether the bytes are a key that somebody can sign with is
/// found out when a signature is checked: it takes longer than all the rest, and is nothing to know of a recipient.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DidKey {
    text: String,
    key: [u8; 32],
}

/// Why a text is no [`DidKey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DidKeyError {
    /// It does not begin with `did:key:`.
    #[error("it does not begin with did:key:")]
    Method,
    /// It has no `z` for base58-btc.
    #[error("its key is not in base58-btc, which begins with z")]
    Multibase,
    /// It is longer than any key that could be meant.
    #[error("it is longer than {TEXT_MAX} characters")]
    TooLong,
    /// What follows the `z` is not base58.
    #[error("what follows did:key:z is not base58")]
    Base58,
    /// A key of another kind, named by its multicodec code.
    #[error("its key is of the kind {code:#x}; only Ed25519 (0xed, written 0xed01) is supported")]
    Codec {
        /// As in the table of multicodec: 0xec is X25519, 0xe7 is secp256k1.
        code: u64,
    },
    /// An Ed25519 key of another length than 32 bytes.
    #[error("its Ed25519 key has {bytes} bytes, not 32")]
    Length {
        /// How many bytes follow the prefix.
        bytes: usize,
    },
}

impl DidKeyError {
    /// A stable word for it.
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

    /// The point that the key is, to check signatures with.
    pub fn verification_key(&self) -> Result<VerificationKey, SignatureError> {
        point(&self.key).map(VerificationKey).ok_or(SignatureError::NotAPoint)
    }

    /// Whether this key signed the message; see [`VerificationKey::verify`].
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> Result<(), SignatureError> {
        self.verification_key()?.verify(message, signature)
    }
}

/// The point of the curve that a [`DidKey`] is. To find it takes an eighth of a signature's check: whoever checks many
/// signatures of one agent keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationKey(VerifyingKey);

impl VerificationKey {
    /// Whether this key signed the message, checked strictly: RFC 8032 section 5.1.7 with canonical encodings only and
    /// no points of small order, so that all who check come to the same answer.
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> Result<(), SignatureError> {
        let verdict = self.0.verify_strict(message, &Signature::from_bytes(signature));
        verdict.map_err(|_| if self.0.is_weak() { SignatureError::WeakKey } else { SignatureError::Invalid })
    }

    /// Whether it is this agent's.
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
        // Base58 has one spelling for what does not begin with a zero byte.
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
