//! The identifier of a protocol document (the SHA-1 of its text), and the SHA-256 that detects SHA-1 collisions.

use std::{fmt, str::FromStr};

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::{Deserialize, Serialize, de};
use sha1::{Digest, Sha1};
use sha2::Sha256;

const BYTES: usize = 20;

const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// The SHA-1 of a document's whole text (seed: «SHA1 Hash Identification»), written as 40 lower-case hexadecimal digits.
///
/// Parsing accepts both cases. It also accepts base64, as the client `agora-protocol` writes it (`compute_hash`), with
/// or without padding and in the standard or the URL-safe alphabet, because hashes occur in paths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentHash([u8; BYTES]);

/// The error for a text that is not a document's hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a SHA-1: 40 hexadecimal digits, or its 20 bytes in base64")]
pub struct InvalidHash;

impl DocumentHash {
    /// The hash of this text.
    pub fn of(text: &str) -> Self {
        Self(Sha1::digest(text).into())
    }

    /// The hash in base64, as the client `agora-protocol` writes it.
    pub fn base64(&self) -> String {
        STANDARD.encode(self.0)
    }

    /// The stream of the document.
    pub fn stream(&self) -> String {
        format!("protocol:{self}")
    }
}

impl fmt::Display for DocumentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for DocumentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for DocumentHash {
    type Err = InvalidHash;

    fn from_str(text: &str) -> Result<Self, InvalidHash> {
        let mut bytes = [0; BYTES];
        if text.len() == 2 * BYTES {
            return hex::decode_to_slice(text, &mut bytes).map(|()| Self(bytes)).map_err(|_| InvalidHash);
        }
        if !(27..=28).contains(&text.len()) {
            return Err(InvalidHash);
        }
        let decoded = STANDARD.decode(text).or_else(|_| URL_SAFE.decode(text)).map_err(|_| InvalidHash)?;
        decoded.try_into().map(Self).map_err(|_| InvalidHash)
    }
}

impl TryFrom<String> for DocumentHash {
    type Error = InvalidHash;

    fn try_from(text: String) -> Result<Self, InvalidHash> {
        text.parse()
    }
}

impl Serialize for DocumentHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DocumentHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The SHA-256 of a document's whole text, in lower-case hexadecimal digits. SHA-1 is broken: an attacker can make two
/// texts with the same SHA-1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TextDigest(String);

impl TextDigest {
    /// The digest of this text.
    pub fn of(text: &str) -> Self {
        Self(hex::encode(Sha256::digest(text)))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_hash_is_the_sha_1_of_the_text() {
        // RFC 3174, section 7.3.
        let hash = DocumentHash::of("abc");
        assert_eq!(hash.to_string(), "a9993e364706816aba3e25717850c26c9cd0d89d");
        // Python: base64.b64encode(hashlib.sha1(b"abc").digest()), as `compute_hash` of the client does.
        assert_eq!(hash.base64(), "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=");
        assert_eq!(TextDigest::of("abc").as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn texts_that_are_no_sha_1_are_refused() {
        for text in
            ["", "negotiation", "a9993e364706816aba3e25717850c26c9cd0d89", "g9993e364706816aba3e25717850c26c9cd0d89d"]
        {
            assert_eq!(text.parse::<DocumentHash>(), Err(InvalidHash), "{text}");
        }
        // Unused trailing bits must be zero, so that each hash has one base64 form.
        assert_eq!("qZk+NkcGgWq6PiVxeFDCbJzQ2J1=".parse::<DocumentHash>(), Err(InvalidHash));
    }

    proptest! {
        #[test]
        fn every_way_of_writing_it_is_read(bytes: [u8; BYTES]) {
            let hash = DocumentHash(bytes);
            let base64 = hash.base64();
            let url_safe = base64.replace('+', "-").replace('/', "_");
            for text in [hash.to_string(), hash.to_string().to_uppercase(), base64.trim_end_matches('=').into(), base64, url_safe] {
                prop_assert_eq!(text.parse::<DocumentHash>(), Ok(hash));
            }
            prop_assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{hash}\""));
        }

        #[test]
        fn parsing_any_text_does_not_panic(text in any::<String>()) {
            let _ = text.parse::<DocumentHash>();
        }
    }
}
