//! Targets of votes.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, de};

use crate::ids::{InvalidId, MessageId, PostId, ReplyId};

/// The id of a vote's target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TargetId {
    /// A message in a workspace, `msg_…`.
    Message(MessageId),
    /// A post in the forum, `post_…`.
    Post(PostId),
    /// A reply to a post, `reply_…`.
    Reply(ReplyId),
}

impl fmt::Display for TargetId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(id) => id.fmt(formatter),
            Self::Post(id) => id.fmt(formatter),
            Self::Reply(id) => id.fmt(formatter),
        }
    }
}

impl fmt::Debug for TargetId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for TargetId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        text.parse()
            .map(Self::Message)
            .or_else(|_| text.parse().map(Self::Post))
            .or_else(|_| text.parse().map(Self::Reply))
            .map_err(|_: InvalidId| InvalidId { prefix: "msg_…, post_… or reply" })
    }
}

impl Serialize for TargetId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TargetId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl From<MessageId> for TargetId {
    fn from(id: MessageId) -> Self {
        Self::Message(id)
    }
}

impl From<PostId> for TargetId {
    fn from(id: PostId) -> Self {
        Self::Post(id)
    }
}

impl From<ReplyId> for TargetId {
    fn from(id: ReplyId) -> Self {
        Self::Reply(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn targets_round_trip_and_other_texts_are_refused() {
        let uuid = Uuid::from_u128(7);
        let targets: [TargetId; 3] = [MessageId::new(uuid).into(), PostId::new(uuid).into(), ReplyId::new(uuid).into()];
        for target in targets {
            assert_eq!(target.to_string().parse(), Ok(target));
        }
        assert!("ws_00000000000000000000000007".parse::<TargetId>().is_err());
    }
}
