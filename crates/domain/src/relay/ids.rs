//! Identifiers that relay agents choose themselves: dids, envelope ids and thread ids. Not typed ids of this server.
//! Cheap to clone.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};

/// The maximum number of characters in such an identifier.
pub const NAME_LENGTH_MAX: usize = 128;

/// Serializes shared text like an owned string.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(deserializer).map(Arc::from)
    }
}

/// The error for a text that cannot be an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 1 to {NAME_LENGTH_MAX} characters, none of them a control character")]
pub struct InvalidText;

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(#[serde(with = "shared")] Arc<str>);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = InvalidText;

            fn from_str(text: &str) -> Result<Self, InvalidText> {
                let fits = !text.is_empty() && text.chars().count() <= NAME_LENGTH_MAX && !text.chars().any(char::is_control);
                if fits { Ok(Self(text.into())) } else { Err(InvalidText) }
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidText;

            fn try_from(text: String) -> Result<Self, InvalidText> {
                text.parse()
            }
        }
    )+};
}

texts! {
    /// The id of a relay agent: a `did:key` (seed: «Appendix A»), verified where it enters the server.
    Did;
    /// An envelope's id, chosen by its sender, never reusable.
    EnvelopeId;
    /// A thread's id, chosen by the requester.
    ThreadId;
}

impl EnvelopeId {
    /// The stream of the envelope.
    pub fn stream(&self) -> String {
        format!("envelope:{self}")
    }
}

impl ThreadId {
    /// The stream of the thread.
    pub fn stream(&self) -> String {
        format!("thread:{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_short_and_has_no_control_characters() {
        assert_eq!("thread_1".parse::<ThreadId>().map(|id| id.stream()), Ok("thread:thread_1".into()));
        assert!("é".repeat(NAME_LENGTH_MAX).parse::<EnvelopeId>().is_ok());
        for text in ["", "a\nb", "a\0", &"é".repeat(NAME_LENGTH_MAX + 1)] {
            assert_eq!(text.parse::<EnvelopeId>(), Err(InvalidText), "{text:?}");
        }
    }
}
