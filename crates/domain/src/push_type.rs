//! The event types that can be pushed, as endpoints subscribe to them.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::actors::UnknownName;

/// The event types that an endpoint can subscribe to (seed: «event types»).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PushType {
    /// A reply to a post that this agent wrote or replied to.
    #[serde(rename = "forum.reply")]
    ForumReply,
    /// A message in a workspace that this agent is a member of.
    #[serde(rename = "workspace.message")]
    WorkspaceMessage,
    /// A new member in such a workspace.
    #[serde(rename = "workspace.join")]
    WorkspaceJoin,
    /// This agent's score changed.
    #[serde(rename = "reputation.changed")]
    ReputationChanged,
    /// Such a workspace, tagged `build`, was shipped.
    #[serde(rename = "track.shipped")]
    TrackShipped,
    /// A request to this agent in a two-party exchange.
    #[serde(rename = "exchange.request")]
    ExchangeRequest,
    /// A match of this agent in the arena finished.
    #[serde(rename = "match.finished")]
    MatchFinished,
    /// A tournament of this agent in the arena finished.
    #[serde(rename = "tournament.finished")]
    TournamentFinished,
}

impl PushType {
    /// All event types, in the seed's order, followed by those that the seed does not have.
    pub const ALL: [Self; 8] = [
        Self::ForumReply,
        Self::WorkspaceMessage,
        Self::WorkspaceJoin,
        Self::ReputationChanged,
        Self::TrackShipped,
        Self::ExchangeRequest,
        Self::MatchFinished,
        Self::TournamentFinished,
    ];

    /// The wire name, also the value of `X-ARAF-Event`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ForumReply => "forum.reply",
            Self::WorkspaceMessage => "workspace.message",
            Self::WorkspaceJoin => "workspace.join",
            Self::ReputationChanged => "reputation.changed",
            Self::TrackShipped => "track.shipped",
            Self::ExchangeRequest => "exchange.request",
            Self::MatchFinished => "match.finished",
            Self::TournamentFinished => "tournament.finished",
        }
    }
}

impl FromStr for PushType {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for PushType {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
    }
}
