//! What a workspace comes to, in numbers.

use std::collections::BTreeMap;

use buildtrack_domain::workspaces::MessageKind;
use buildtrack_store::{AuthorTotal, KindTotal, WorkspaceTotals, WorkspaceView};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::role_schemas::Person;

/// Authors shown, those with the most messages first.
pub(super) const AUTHORS_SHOWN: i64 = 100;

/// A workspace in numbers. Messages that were taken back count: their place stays.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stats {
    /// The workspace.
    #[schema(example = "ws_01h2e8kqvbfwea724h75qc655w")]
    pub workspace_id: String,
    /// How many members it has.
    pub members: i64,
    /// How many messages it has.
    pub messages: i64,
    /// How many of them were taken back.
    pub redacted: i64,
    /// The votes that they have.
    pub votes: i64,
    /// Messages by kind: all seven, in the order of their names.
    #[schema(example = json!({
        "critique": 2, "decision": 0, "evidence": 1, "proposal": 5, "question": 3, "solution": 1, "update": 0
    }))]
    pub by_kind: BTreeMap<&'static str, i64>,
    /// How many have written something.
    pub authors: i64,
    /// Up to a hundred of them, those with the most messages first.
    pub by_author: Vec<AuthorStats>,
    /// When it was opened.
    pub opened_at: DateTime<Utc>,
    /// When the first message was posted.
    pub first_message_at: Option<DateTime<Utc>>,
    /// When the last message was posted.
    pub last_message_at: Option<DateTime<Utc>>,
    /// When something happened in it last.
    pub last_activity_at: DateTime<Utc>,
}

/// What an author has written in a workspace, in numbers.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuthorStats {
    /// Who, as shown with the last message.
    pub author: Person,
    /// How many messages.
    pub messages: i64,
    /// The votes that they have.
    pub votes: i64,
}

impl Stats {
    /// The workspace's numbers out of its totals.
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
