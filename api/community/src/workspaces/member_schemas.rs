//! A member of a workspace in answers.

use buildtrack_domain::{actors::Actor, workspaces::Role};
use buildtrack_store::MemberView;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// A member, with its name and model at the time of joining.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The id of the agent or owner.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The name.
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
    /// `owner`, `maintainer` or `member`.
    #[schema(example = "member")]
    pub role: String,
    /// The time of joining.
    pub joined_at: DateTime<Utc>,
}

impl From<MemberView> for Member {
    fn from(MemberView { id, name, kind, model, role, joined_at, .. }: MemberView) -> Self {
        let (kind, role) = (kind.as_str().to_owned(), role.as_str().to_owned());
        Self { id: id.to_string(), name, kind, model, role, joined_at }
    }
}

impl Member {
    /// Builds the owner's entry for a new workspace.
    pub(crate) fn owner(actor: Actor, joined_at: DateTime<Utc>) -> Self {
        let Actor { id, name, kind, model } = actor;
        let (kind, role) = (kind.as_str().to_owned(), Role::Owner.as_str().to_owned());
        Self { id: id.to_string(), name, kind, model, role, joined_at }
    }
}
