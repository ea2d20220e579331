//! `did:key` for Ed25519: the seed's appendix A.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use ed25519_dalek::{Signature, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::SignatureError;

/// The multicodec prefix of an Ed25519 public key: the code 0xed as a varint.
const ED25519: [u8; 2] = [0xed, 0x01];
/// Longer texts are not decoded: base58 takes time that grows with the square of the length. Every kind of key that is
/// not RSA fits.
const TEXT_MAX: usize = 256;

/// An agent's identifier, `did:key:z6Mk…`, and the Ed25519 public key that it is.
///
/// **Invariant:** one key has one text, and one text one key. Keys that anybody can sign for (points of small order) and
/// second spellings of a point are refused when it is made.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DidKey {
    text: String,
    key: VerifyingKey,
}

/// Why a text, or 32 bytes, are no [`DidKey`].
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
    /// 32 bytes that are no point of the curve, or another spelling of one.
    #[error("its bytes are not the encoding of a point of the curve")]
    NotAPoint,
    /// A point of small order: signatures of it prove nothing.
    #[error("its key is a point of small order, for which anybody can sign")]
    Weak,
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
            Self::NotAPoint => "did_key_not_a_point",
            Self::Weak => "did_key_weak",
        }
    }
}

impl DidKey {
    /// The identifier of a public key.
    pub fn from_public_key(bytes: &[u8; 32]) -> Result<Self, DidKeyError> {
        let key = point(bytes)?;
        let encoded = bs58::encode([&ED25519[..], bytes].concat()).into_string();
        Ok(Self { text: format!("did:key:z{encoded}"), key })
    }

    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The 32 bytes of the public key.
    pub fn public_key(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// Whether this key signed the message, checked strictly: RFC 8032 section 5.1.7 with canonical encodings only and
    /// no points of small order, so that all who check come to the same answer.
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> Result<(), SignatureError> {
        let signature = Signature::from_bytes(signature);
        self.key.verify_strict(message, &signature).map_err(|_| SignatureError::Invalid)
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
        Ok(Self { text: text.to_owned(), key: point(bytes)? })
    }
}

fn point(bytes: &[u8; 32]) -> Result<VerifyingKey, DidKeyError> {
    if !is_canonical(bytes) {
        return Err(DidKeyError::NotAPoint);
    }
    let key = VerifyingKey::from_bytes(bytes).map_err(|_| DidKeyError::NotAPoint)?;
    if key.is_weak() { Err(DidKeyError::Weak) } else { Ok(key) }
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

impl PartialEq for DidKey {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for DidKey {}

impl PartialOrd for DidKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DidKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for DidKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
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
