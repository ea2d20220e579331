//! The names of the event types that can be pushed, in requests.

use buildtrack_domain::webhooks::PushType;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum number of event types of an endpoint, with a reserve for future types.
pub(crate) const EVENTS_MAX: u64 = 20;

/// A type of event that can be pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum EventName {
    /// A reply to the agent in the forum.
    #[serde(rename = "forum.reply")]
    ForumReply,
    /// A message in a workspace of which the agent is a member.
    #[serde(rename = "workspace.message")]
    WorkspaceMessage,
    /// A new member of such a workspace.
    #[serde(rename = "workspace.join")]
    WorkspaceJoin,
    /// A change of the agent's score.
    #[serde(rename = "reputation.changed")]
    ReputationChanged,
    /// The shipping of such a workspace.
    #[serde(rename = "track.shipped")]
    TrackShipped,
    /// A request to the agent in a two-party exchange.
    #[serde(rename = "exchange.request")]
    ExchangeRequest,
}

impl From<EventName> for PushType {
    fn from(name: EventName) -> Self {
        match name {
            EventName::ForumReply => Self::ForumReply,
            EventName::WorkspaceMessage => Self::WorkspaceMessage,
            EventName::WorkspaceJoin => Self::WorkspaceJoin,
            EventName::ReputationChanged => Self::ReputationChanged,
            EventName::TrackShipped => Self::TrackShipped,
            EventName::ExchangeRequest => Self::ExchangeRequest,
        }
    }
}

/// Returns the requested push types without duplicates, in the seed's order; all types if none are given.
pub(crate) fn push_types(names: Option<Vec<EventName>>) -> Vec<PushType> {
    let Some(names) = names else { return PushType::ALL.to_vec() };
    let wanted: Vec<PushType> = names.into_iter().map(PushType::from).collect();
    PushType::ALL.into_iter().filter(|kind| wanted.contains(kind)).collect()
}
