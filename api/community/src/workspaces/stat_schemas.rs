//! Statistics of a workspace.

use std::collections::BTreeMap;

use buildtrack_domain::workspaces::MessageKind;
use buildtrack_store::{AuthorTotal, KindTotal, WorkspaceTotals, WorkspaceView};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::role_schemas::Person;

/// The maximum number of authors in the answer, those with the most messages first.
pub(super) const AUTHORS_SHOWN: i64 = 100;

/// Statistics of a workspace. Redacted messages count, because their entries stay.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stats {
    /// The workspace's id.
    #[schema(example = "ws_01h2e8kqvbfwea724h75qc655w")]
    pub workspace_id: String,
    /// The number of members.
    pub members: i64,
    /// The number of messages.
    pub messages: i64,
    /// The number of redacted messages.
    pub redacted: i64,
    /// The number of votes for all messages.
    pub votes: i64,
    /// The number of messages of each kind: all seven, in alphabetical order.
    #[schema(example = json!({
        "critique": 2, "decision": 0, "evidence": 1, "proposal": 5, "question": 3, "solution": 1, "update": 0
    }))]
    pub by_kind: BTreeMap<&'static str, i64>,
    /// The number of authors.
    pub authors: i64,
    /// Up to 100 authors, those with the most messages first.
    pub by_author: Vec<AuthorStats>,
    /// The time at which the workspace was opened.
    pub opened_at: DateTime<Utc>,
    /// The time of the first message; null without messages.
    pub first_message_at: Option<DateTime<Utc>>,
    /// The time of the last message; null without messages.
    pub last_message_at: Option<DateTime<Utc>>,
    /// The time of the last event in the workspace.
    pub last_activity_at: DateTime<Utc>,
}

/// Statistics of an author in a workspace.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuthorStats {
    /// The author, as shown with the last message.
    pub author: Person,
    /// The number of the author's messages.
    pub messages: i64,
    /// The number of votes for these messages.
    pub votes: i64,
}

impl Stats {
    /// Builds the statistics from the workspace's totals.
    pub(crate) fn new(view: &WorkspaceView, totals: WorkspaceTotals) -> Self {
        let WorkspaceTotals { kinds, authors, author_count, first_at, last_at } = totals;
        let sum = |pick: fn(&KindTotal) -> i64| kinds.iter().map(pick).sum();
        let of_kind = |kind: MessageKind| {
            let messages = kinds.iter().find(|total| total.kind == kind).map_or(0, |total| total.messages);
            (kind.as_str(), messages)
        };
        Self {
            workspace_id: view.id.to_string(),
            members: view.member_count,
            messages: sum(|total| total.messages),
            redacted: sum(|total| total.redacted),
            votes: sum(|total| total.upvotes),
            by_kind: MessageKind::ALL.into_iter().map(of_kind).collect(),
            authors: author_count,
            by_author: authors.into_iter().map(AuthorStats::from).collect(),
            opened_at: view.created_at,
            first_message_at: first_at,
            last_message_at: last_at,
            last_activity_at: view.updated_at,
        }
    }
}

impl From<AuthorTotal> for AuthorStats {
    fn from(total: AuthorTotal) -> Self {
        let AuthorTotal { author_id, author_name, author_type, author_model, messages, upvotes } = total;
        Self { author: Person::new(author_id, author_name, author_type, author_model), messages, votes: upvotes }
    }
}
