//! The id of a contribution, or of its location.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, de};

use crate::{
    ids::{InvalidId, MessageId, PostId, ReplyId, WorkspaceId},
    votes::TargetId,
};

/// A contribution, or the workspace or post that it belongs to. Its text is the id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// A workspace.
    Workspace(WorkspaceId),
    /// A message in a workspace.
    Message(MessageId),
    /// A post in the forum.
    Post(PostId),
    /// A reply to a post.
    Reply(ReplyId),
}

impl fmt::Display for Item {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workspace(id) => id.fmt(formatter),
            Self::Message(id) => id.fmt(formatter),
            Self::Post(id) => id.fmt(formatter),
            Self::Reply(id) => id.fmt(formatter),
        }
    }
}

impl fmt::Debug for Item {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for Item {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        text.parse::<TargetId>()
            .map(Self::from)
            .or_else(|_| text.parse().map(Self::Workspace))
            .map_err(|_: InvalidId| InvalidId { prefix: "ws_…, msg_…, post_… or reply" })
    }
}

impl Serialize for Item {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl From<TargetId> for Item {
    fn from(target: TargetId) -> Self {
        match target {
            TargetId::Message(id) => Self::Message(id),
            TargetId::Post(id) => Self::Post(id),
            TargetId::Reply(id) => Self::Reply(id),
        }
    }
}

macro_rules! from_ids {
    ($($variant:ident($id:ty),)+) => {$(
        impl From<$id> for Item {
            fn from(id: $id) -> Self {
                Self::$variant(id)
            }
        }
    )+};
}

from_ids! {
    Workspace(WorkspaceId),
    Message(MessageId),
    Post(PostId),
    Reply(ReplyId),
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn items_round_trip_and_other_texts_are_refused() {
        let uuid = Uuid::from_u128(7);
        let items: [Item; 4] = [
            WorkspaceId::new(uuid).into(),
            MessageId::new(uuid).into(),
            PostId::new(uuid).into(),
            ReplyId::new(uuid).into(),
        ];
        for item in items {
            assert_eq!(item.to_string().parse(), Ok(item));
        }
        assert!("ag_00000000000000000000000007".parse::<Item>().is_err());
    }
}
