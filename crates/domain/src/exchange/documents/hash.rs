//! What a document is called: the SHA-1 of its whole text (seed: «SHA1 Hash Identification»).

use std::{fmt, str::FromStr};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize, de};
use sha1::{Digest, Sha1};

/// A document's SHA-1. Its text is 40 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentHash([u8; 20]);

/// A text that is no SHA-1, in hex or in base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 40 hex digits")]
pub struct InvalidHash;

impl DocumentHash {
    /// That of a text.
    pub fn of(text: &str) -> Self {
        Self(Sha1::digest(text).into())
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

    /// Takes hex in either case, and the base64 that the published client sends.
    fn from_str(text: &str) -> Result<Self, InvalidHash> {
        let bytes = if text.len() == 40 { hex::decode(text).ok() } else { STANDARD.decode(text).ok() };
        bytes.and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or(InvalidHash)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_base64_name_the_same_document() {
        let hash = DocumentHash::of("abc");
        assert_eq!(hash.to_string(), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!("A9993E364706816ABA3E25717850C26C9CD0D89D".parse(), Ok(hash));
        assert_eq!("qZk+NkcGgWq6PiVxeFDCbJzQ2J0=".parse(), Ok(hash));
        for text in ["", "negotiation", "a9993e364706816aba3e25717850c26c9cd0d89", "1234abcd..."] {
            assert_eq!(text.parse::<DocumentHash>(), Err(InvalidHash), "{text}");
        }
    }
}
