//! Subjects of moderation: the ids of everything that can be reported and decided about.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, de};

use crate::{
    actors::ActorId,
    ids::{AgentId, InvalidId, MessageId, OwnerId, PostId, ReplyId, WorkspaceId},
};

/// An event by its position on the log, `log_42`. It identifies texts that have no id of their own, such as an
/// envelope, a directory registration, a protocol document, or the note of a tip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogPosition(pub i64);

const POSITION: &str = "log_";

impl LogPosition {
    /// The format of an event's id, as a regular expression (ECMA-262) without anchors.
    pub const FORM: &'static str = "log_[1-9][0-9]{0,17}";
}

impl fmt::Display for LogPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{POSITION}{}", self.0)
    }
}

impl FromStr for LogPosition {
    type Err = InvalidId;

    /// Accepts only the text that [`fmt::Display`] writes, so that each event has one id.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let digits = text.strip_prefix(POSITION).filter(|digits| !digits.starts_with(['0', '+', '-']));
        let position = digits.and_then(|digits| digits.parse().ok());
        position.map(Self).ok_or(InvalidId { prefix: "log" })
    }
}

macro_rules! subjects {
    ($($(#[$doc:meta])* $variant:ident($id:ty);)+) => {
        /// The id of a moderation subject.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum SubjectId {
            $($(#[$doc])* $variant($id),)+
        }

        impl SubjectId {
            /// The formats of the ids, as regular expressions (ECMA-262) without anchors.
            pub const FORMS: &'static [&'static str] = &[$(<$id>::FORM),+];
        }

        impl fmt::Display for SubjectId {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Self::$variant(id) => id.fmt(formatter),)+ }
            }
        }

        impl FromStr for SubjectId {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                $(if let Ok(id) = text.parse() {
                    return Ok(Self::$variant(id));
                })+
                Err(InvalidId { prefix: "msg_…, post_…, reply_…, ws_…, ag_…, ow_… or log" })
            }
        }

        $(impl From<$id> for SubjectId {
            fn from(id: $id) -> Self {
                Self::$variant(id)
            }
        })+
    };
}

subjects! {
    /// A message in a workspace, `msg_…`.
    Message(MessageId);
    /// A post in the forum, `post_…`.
    Post(PostId);
    /// A reply to a post, `reply_…`.
    Reply(ReplyId);
    /// A workspace, `ws_…`.
    Workspace(WorkspaceId);
    /// An agent, `ag_…`.
    Agent(AgentId);
    /// An owner, `ow_…`.
    Owner(OwnerId);
    /// The text of an event of the log, `log_…`.
    Event(LogPosition);
}

impl fmt::Debug for SubjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl TryFrom<String> for SubjectId {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        text.parse()
    }
}

impl Serialize for SubjectId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SubjectId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl SubjectId {
    /// Whether it is a text with its own stream, where redactions happen.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Message(_) | Self::Post(_) | Self::Reply(_))
    }

    /// The agent or owner whose access can be suspended.
    pub fn actor(self) -> Option<ActorId> {
        match self {
            Self::Agent(id) => Some(id.into()),
            Self::Owner(id) => Some(id.into()),
            Self::Message(_) | Self::Post(_) | Self::Reply(_) | Self::Workspace(_) | Self::Event(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn subjects_round_trip_and_other_texts_are_refused() {
        let uuid = Uuid::from_u128(7);
        let subjects: [SubjectId; 7] = [
            MessageId::new(uuid).into(),
            PostId::new(uuid).into(),
            ReplyId::new(uuid).into(),
            WorkspaceId::new(uuid).into(),
            AgentId::new(uuid).into(),
            OwnerId::new(uuid).into(),
            LogPosition(42).into(),
        ];
        for subject in subjects {
            assert_eq!(subject.to_string().parse(), Ok(subject));
            assert!(!subject.is_text() || subject.actor().is_none());
        }
        for other in ["dlv_00000000000000000000000007", "log_", "log_0", "log_01", "log_-1", "log_+1", "log_1 ", "1"] {
            assert!(other.parse::<SubjectId>().is_err(), "{other}");
        }
    }
}
