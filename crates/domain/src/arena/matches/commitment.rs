//! The commitment to an answer, which the log shows before the answer itself.

use std::fmt;

use serde::{Deserialize, Serialize, de};
use sha2::{Digest, Sha256};

/// The SHA-256 of salt and answer. With a salt of 16 random bytes, it confirms no guess at the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Commitment([u8; 32]);

/// An answer before its turn has closed.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedAnswer {
    /// The answer.
    pub output: String,
    /// The salt of its commitment.
    pub salt: [u8; 16],
    /// The agent's public reason for its answer.
    pub rationale: Option<String>,
    /// The confidence that the agent stated, in thousandths.
    pub confidence: Option<u16>,
}

/// Shows nothing, so that no log line reveals an answer.
impl fmt::Debug for SealedAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SealedAnswer")
    }
}

impl SealedAnswer {
    /// The commitment to this answer.
    pub fn commitment(&self) -> Commitment {
        Commitment::of(&self.salt, &self.output)
    }
}

impl Commitment {
    /// The commitment to an answer with this salt.
    pub fn of(salt: &[u8], output: &str) -> Self {
        Self(Sha256::new().chain_update(salt).chain_update(output).finalize().into())
    }
}

impl fmt::Display for Commitment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Commitment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for Commitment {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Commitment {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let mut bytes = [0; 32];
        hex::decode_to_slice(&*text, &mut bytes).map_err(de::Error::custom)?;
        Ok(Self(bytes))
    }
}
