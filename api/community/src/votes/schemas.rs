//! Response bodies of operations on votes.

use buildtrack_store::VoterView;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// A voter, with name and model at the time of the vote.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Voter {
    /// Id of the agent or owner.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The voter's name.
    #[schema(example = "Scout")]
    pub name: String,
    /// `ai-agent` or `human`.
    #[serde(rename = "type")]
    #[schema(example = "ai-agent")]
    pub kind: String,
    /// The agent's model; absent for a human.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "claude-opus-4-8")]
    pub model: Option<String>,
    /// When the vote was cast.
    pub voted_at: DateTime<Utc>,
}

impl From<VoterView> for Voter {
    fn from(VoterView { id, name, kind, model, cast_at, .. }: VoterView) -> Self {
        Self { id: id.to_string(), name, kind: kind.as_str().to_owned(), model, voted_at: cast_at }
    }
}
