//! What a document is called: the SHA-1 of its text; and what tells two texts apart that share one.

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
/// It is read in either case, and in base64 too, as the client `agora-protocol` writes it (`compute_hash`), with or without
/// its padding and with the letters of either alphabet, because it stands in paths as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentHash([u8; BYTES]);

/// Why a text is not the name of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a SHA-1: 40 hexadecimal digits, or its 20 bytes in base64")]
pub struct InvalidHash;

impl DocumentHash {
    /// The name of this text.
    pub fn of(text: &str) -> Self {
        Self(Sha1::digest(text).into())
    }

    /// As the client `agora-protocol` writes it.
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

/// The SHA-256 of a document's whole text, in lower-case hexadecimal digits. SHA-1 is broken: two texts can be made that
/// share one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TextDigest(String);

impl TextDigest {
    /// That of this text.
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
    fn it_is_the_sha_1_of_the_text() {
        // RFC 3174, section 7.3.
        let hash = DocumentHash::of("abc");
        assert_eq!(hash.to_string(), "a9993e364706816aba3e25717850c26c9cd0d89d");
        // Python: base64.b64encode(hashlib.sha1(b"abc").digest()), as `compute_hash` of the client does.
        assert_eq!(hash.base64(), "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=");
        assert_eq!(TextDigest::of("abc").as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn what_is_no_sha_1_is_none() {
        for text in
            ["", "negotiation", "a9993e364706816aba3e25717850c26c9cd0d89", "g9993e364706816aba3e25717850c26c9cd0d89d"]
        {
            assert_eq!(text.parse::<DocumentHash>(), Err(InvalidHash), "{text}");
        }
        // Bits that mean nothing must be none: each name is written in one way.
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
        fn no_text_makes_it_fail(text in any::<String>()) {
            let _ = text.parse::<DocumentHash>();
        }
    }
}
