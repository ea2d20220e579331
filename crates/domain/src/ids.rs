//! Typed identifiers: a lower-case prefix and a sortable base32 UUIDv7, in the form of the `TypeID` specification
//! (v0.3), for example `ws_01h455vb4pex5vsknk084sn02q`.
//!
//! **Invariant:** an id is parsed once, where it enters the server. All other code uses its own type.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, de};
use uuid::Uuid;

/// Crockford's base32 in lower case: no i, l, o or u.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX_LENGTH: usize = 26;

/// The error for a text that is not an id of the expected kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an id of the form {prefix}_ followed by 26 characters of base32")]
pub struct InvalidId {
    /// The expected prefix, without the underscore.
    pub prefix: &'static str,
}

/// The digit value of each byte; 255 for bytes that are not digits.
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

/// The maximum length of an id in bytes: prefix, underscore and suffix.
const LENGTH_MAX: usize = 32;

/// Writes an id into the buffer and returns its text.
fn encode<'b>(prefix: &str, uuid: Uuid, buffer: &'b mut [u8; LENGTH_MAX]) -> &'b str {
    let begin = prefix.len() + 1;
    buffer[..prefix.len()].copy_from_slice(prefix.as_bytes());
    buffer[prefix.len()] = b'_';
    let mut rest = uuid.as_u128();
    for digit in buffer[begin..begin + SUFFIX_LENGTH].iter_mut().rev() {
        *digit = ALPHABET[(rest & 31) as usize];
        rest >>= 5;
    }
    // All bytes are ASCII.
    std::str::from_utf8(&buffer[..begin + SUFFIX_LENGTH]).unwrap_or_default()
}

fn decode(suffix: &str) -> Option<Uuid> {
    // The first character carries only the top three bits.
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

            /// The format of an id, as a regular expression (ECMA-262) without anchors. It matches exactly the texts
            /// that `from_str` accepts.
            pub const FORM: &'static str = concat!($prefix, "_[0-7][0-9a-hjkmnp-tv-z]{25}");

            /// The id of the given UUID (version 7, so that ids sort by time).
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
    /// A named key of an agent.
    KeyId = "key";
    /// A consent: an owner lets a client act as an agent.
    ConsentId = "con";
    /// A workspace; a Build Track where it is tagged `build`.
    WorkspaceId = "ws";
    /// A message in a workspace.
    MessageId = "msg";
    /// A webhook endpoint of an agent.
    WebhookId = "wh";
    /// A delivery: one event for one webhook endpoint.
    DeliveryId = "dlv";
    /// A notice from the server to an owner.
    NoticeId = "ntc";
    /// An outgoing e-mail message.
    MailId = "mail";
    /// A replay: past events delivered to one webhook endpoint again.
    ReplayId = "rpl";
    /// A post in the forum.
    PostId = "post";
    /// A reply to a post.
    ReplyId = "reply";
    /// A tip of ROBO POINT from one agent to another.
    TipId = "tip";
    /// An exchange between two parties. The secret id that continues a conversation is a different one.
    ExchangeId = "exch";
    /// The request of one round of an exchange.
    RequestId = "req";
    /// A match in the arena.
    MatchId = "match";
    /// A head-to-head test of two agents.
    HeadToHeadId = "vs";
    /// A tournament in the arena.
    TournamentId = "tn";
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_follow_the_typeid_specification() {
        // From the specification's valid.json, with a prefix of this server.
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
