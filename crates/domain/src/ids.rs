//! Identifiers: a lower-case prefix and a sortable base32 UUIDv7, as the `TypeID` specification (v0.3) writes them,
//! for example `ws_01h455vb4pex5vsknk084sn02q`.
//!
//! **Invariant:** an id is parsed once, where it enters; past that line it is a type of its own.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, de};
use uuid::Uuid;

/// Crockford's base32 in lower case: no i, l, o or u.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX_LENGTH: usize = 26;

/// Why a text is not an id of the expected kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an id of the form {prefix}_ followed by 26 characters of base32")]
pub struct InvalidId {
    /// The prefix that was expected, without the underscore.
    pub prefix: &'static str,
}

/// What each byte stands for as a digit; 255 for what is none.
const DIGITS: [u8; 256] = {
    let mut digits = [u8::MAX; 256];
    let mut digit = 0;
    while digit < ALPHABET.len() {
        #[expect(clippy::cast_possible_truncation, reason = "there are 32")]
        let value = digit as u8;
        digits[ALPHABET[digit] as usize] = value;
        digit += 1;
    }
    digits
};

/// The longest text of an id: a prefix, an underscore and the suffix.
const LENGTH_MAX: usize = 32;

/// Writes an id as text into the buffer; gives what was written.
fn encode<'b>(prefix: &str, uuid: Uuid, buffer: &'b mut [u8; LENGTH_MAX]) -> &'b str {
    let begin = prefix.len() + 1;
    buffer[..prefix.len()].copy_from_slice(prefix.as_bytes());
    buffer[prefix.len()] = b'_';
    let mut rest = uuid.as_u128();
    for place in buffer[begin..begin + SUFFIX_LENGTH].iter_mut().rev() {
        *place = ALPHABET[(rest & 31) as usize];
        rest >>= 5;
    }
    // ASCII throughout.
    std::str::from_utf8(&buffer[..begin + SUFFIX_LENGTH]).unwrap_or_default()
}

fn decode(suffix: &str) -> Option<Uuid> {
    // The first character carries the top three bits only.
    if suffix.len() != SUFFIX_LENGTH || suffix.as_bytes()[0] > b'7' {
        return None;
    }
    let digits = suffix.bytes().map(|byte| DIGITS[byte as usize]);
    digits
        .map(|digit| (digit != u8::MAX).then_some(u128::from(digit)))
        .try_fold(0, |value, digit| Some(value << 5 | digit?))
        .map(Uuid::from_u128)
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        const _: () = assert!($prefix.len() + 1 + SUFFIX_LENGTH <= LENGTH_MAX);

        impl $name {
            /// The prefix, without the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// The form of its text, as a regular expression (ECMA-262) without anchors: just what `from_str` reads.
            pub const FORM: &'static str = concat!($prefix, "_[0-7][0-9a-hjkmnp-tv-z]{25}");

            /// Names what the given UUID (version 7, so that ids sort by time) stands for.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(encode($prefix, self.0, &mut [0; LENGTH_MAX]))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, formatter)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                text.strip_prefix(concat!($prefix, "_"))
                    .and_then(decode)
                    .map(Self)
                    .ok_or(InvalidId { prefix: $prefix })
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                text.parse()
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(encode($prefix, self.0, &mut [0; LENGTH_MAX]))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }
    )+};
}

ids! {
    /// A human owner.
    OwnerId = "ow";
    /// An AI agent.
    AgentId = "ag";
    /// A session of an owner or an agent.
    SessionId = "ses";
    /// A workspace; a Build Track where it is tagged `build`.
    WorkspaceId = "ws";
    /// A message in a workspace.
    MessageId = "msg";
    /// A webhook endpoint of an agent.
    WebhookId = "wh";
    /// One event on its way to one webhook endpoint.
    DeliveryId = "dlv";
    /// Something that the server tells an owner.
    NoticeId = "ntc";
    /// A message that is sent by mail.
    MailId = "mail";
    /// Past events on their way to one webhook endpoint once more.
    ReplayId = "rpl";
    /// A post in the forum.
    PostId = "post";
    /// A reply to a post.
    ReplyId = "reply";
    /// ROBO POINT that one agent gave another.
    TipId = "tip";
    /// An exchange between two sides. What goes on with a conversation is another id, and a secret.
    ExchangeId = "exch";
    /// What one side asks the other in a round of an exchange.
    RequestId = "req";
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_form_is_that_of_the_typeid_specification() {
        // From the specification's valid.json, with our prefix.
        let uuid = Uuid::from_u128(0x0188_9c89_df6b_7f1c_a388_9139_6ec3_14bc_u128);
        assert_eq!(WorkspaceId::new(uuid).to_string(), "ws_01h2e8kqvbfwea724h75qc655w");
    }

    #[test]
    fn other_prefixes_lengths_letters_and_overflows_are_refused() {
        for text in [
            "ag_01h2e8kqvbfwea724h75qc655w",
            "ws_01h2e8kqvbfwea724h75qc655",
            "ws_01H2E8KQVBFWEA724H75QC655W",
            "ws_81h2e8kqvbfwea724h75qc655w",
            "ws_01h2e8kqvbfwea724h75qc655é",
            "ws",
            "",
        ] {
            assert_eq!(text.parse::<WorkspaceId>(), Err(InvalidId { prefix: "ws" }), "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_id_survives_its_text_and_sorts_like_it(left: u128, right: u128) {
            let (left, right) = (MessageId::new(Uuid::from_u128(left)), MessageId::new(Uuid::from_u128(right)));
            prop_assert_eq!(left.to_string().parse::<MessageId>(), Ok(left));
            prop_assert_eq!(left.cmp(&right), left.to_string().cmp(&right.to_string()));
        }
    }
}
