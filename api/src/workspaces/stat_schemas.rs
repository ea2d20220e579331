//! What a workspace comes to, in numbers.

use std::collections::{BTreeMap, HashMap};

use buildtrack_domain::{actors::ActorId, workspaces::MessageKind};
use buildtrack_store::{Tally, WorkspaceView};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::role_schemas::Person;

/// Authors shown, those with the most messages first.
const AUTHORS_SHOWN: usize = 100;

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
    /// Up to a hundred of them: who has written most, first.
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

/// What somebody has written in a workspace, in numbers.
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
    /// The workspace's numbers out of what its messages come to, in the order of the log.
    pub(crate) fn new(view: &WorkspaceView, tallies: Vec<Tally>) -> Self {
        let sum = |pick: fn(&Tally) -> i64| tallies.iter().map(pick).sum();
        let of_kind = |kind: MessageKind| {
            let messages = tallies.iter().filter(|tally| tally.kind == kind).map(|tally| tally.messages);
            (kind.as_str(), messages.sum())
        };
        let (messages, redacted, votes) =
            (sum(|tally| tally.messages), sum(|tally| tally.redacted), sum(|tally| tally.upvotes));
        let by_kind = MessageKind::ALL.into_iter().map(of_kind).collect();
        let first_message_at = tallies.iter().map(|tally| tally.first_at).min();
        let last_message_at = tallies.iter().map(|tally| tally.last_at).max();
        let mut by_author = authors(tallies);
        let authors = i64::try_from(by_author.len()).unwrap_or(i64::MAX);
        by_author.truncate(AUTHORS_SHOWN);
        Self {
            workspace_id: view.id.to_string(),
            members: view.member_count,
            messages,
            redacted,
            votes,
            by_kind,
            authors,
            by_author,
            opened_at: view.created_at,
            first_message_at,
            last_message_at,
            last_activity_at: view.updated_at,
        }
    }
}

/// Each author once, as shown last, who has written most first; of two who have written as much, who wrote last comes
/// last.
fn authors(tallies: Vec<Tally>) -> Vec<AuthorStats> {
    let mut authors = Vec::<AuthorStats>::new();
    let mut places = HashMap::<ActorId, usize>::new();
    for tally in tallies {
        let author = Person::new(tally.author_id, tally.author_name, tally.author_type, tally.author_model);
        let place = *places.entry(tally.author_id).or_insert(authors.len());
        match authors.get_mut(place) {
            Some(known) => {
                let (messages, votes) = (known.messages + tally.messages, known.votes + tally.upvotes);
                *known = AuthorStats { author, messages, votes };
            }
            None => authors.push(AuthorStats { author, messages: tally.messages, votes: tally.upvotes }),
        }
    }
    authors.sort_by_key(|author| std::cmp::Reverse(author.messages));
    authors
}
