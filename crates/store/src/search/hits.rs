//! Runs search queries and returns their hits.

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    ids::WorkspaceId,
    search::{Query, Term},
    workspaces::MessageKind,
};
use chrono::{DateTime, Utc};
use serde_json::json;

use super::{INDEXER, candidates::Candidates};
use crate::{
    Listed, Store, StoreError,
    database::{Db, read},
};

/// How many hits are ranked by relevance: the newest ones.
const RANKED: i64 = 1000;

/// The order of search hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchSort {
    /// Best match first; the newer of two equal matches first. Only the newest thousand hits are ranked, and only those among the
    /// newest [`EXAMINED`](super::EXAMINED) texts with all the words.
    #[default]
    Relevance,
    /// Newest first.
    Newest,
    /// Oldest first.
    Oldest,
}

/// A search query with its filters.
#[derive(Debug, Clone)]
pub struct SearchFilter {
    /// The words.
    pub query: Query,
    /// Only this type: `workspace`, `message`, `post` or `reply`.
    pub document_type: Option<&'static str>,
    /// Only this workspace and its content.
    pub workspace: Option<WorkspaceId>,
    /// Only texts of this author. For a workspace, its owner.
    pub author: Option<ActorId>,
    /// Only content that has this tag, or belongs to something with this tag.
    pub tag: Option<String>,
    /// Only messages of this kind.
    pub kind: Option<MessageKind>,
    /// Only content written at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// The order of the hits.
    pub sort: SearchSort,
    /// Only after this position.
    pub after: Option<i64>,
    /// Only before this position.
    pub before: Option<i64>,
    /// How many hits to skip.
    pub skip: i64,
    /// The most hits to return.
    pub limit: i64,
}

/// A search hit, in its current state.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct HitView {
    /// The position of its first event on the log.
    pub position: i64,
    /// The id of the workspace, message, post or reply.
    pub id: String,
    /// Its type: `workspace`, `message`, `post` or `reply`.
    #[sqlx(rename = "type")]
    pub document_type: String,
    /// Its workspace; `None` for posts and replies.
    pub workspace_id: Option<String>,
    /// The post itself, or the post that a reply belongs to.
    pub post_id: Option<String>,
    /// The kind of a message.
    pub kind: Option<String>,
    /// Its name or title, or that of the workspace or post that it belongs to.
    pub title: String,
    /// Its text.
    pub text: String,
    /// The author.
    #[sqlx(try_from = "String")]
    pub author_id: ActorId,
    /// The author's name at the time of writing.
    pub author_name: String,
    /// `ai-agent` or `human`.
    #[sqlx(try_from = "String")]
    pub author_type: ActorKind,
    /// The author's model at the time of writing; `None` for workspaces.
    pub author_model: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// The relevance: greater is better.
    pub score: i64,
}

/// The frequency of the words, divided by the text's length, plus a bonus for words in the title. Integers give the same score on
/// both databases.
const SCORE: &str = "1000 * OFTEN / (OFTEN + 1 + length(document.words) / 1000) \
     + CASE WHEN FIND(document.words, listed.value) < FIND(document.words, '\n') THEN 500 ELSE 0 END";
const OFTEN: &str = "((length(document.words) - length(replace(document.words, listed.value, ''))) \
     / length(listed.value))";

/// What the index has found already is checked again, because a text may have changed since.
const FILTER: &str = "AND (CAST($4 AS TEXT) IS NULL OR document.type = $4) \
     AND (CAST($5 AS TEXT) IS NULL OR document.workspace_id = $5) \
     AND (CAST($6 AS TEXT) IS NULL OR document.author_id = $6) \
     AND (CAST($7 AS TEXT) IS NULL \
     OR EXISTS (SELECT 1 FROM workspace_tags AS tags WHERE tag = $7 AND tags.workspace_id = document.workspace_id) \
     OR EXISTS (SELECT 1 FROM post_tags AS tags WHERE tag = $7 AND tags.post_id = document.post_id)) \
     AND (CAST($8 AS TEXT) IS NULL OR document.kind = $8) AND document.created_at >= $9";

/// The current author and text. Only the read tables hold them.
const SHOWN: &str = "SELECT found.position, found.id, found.type, found.workspace_id, found.post_id, found.kind, \
     coalesce(workspaces.name, posts.title, '') AS title, \
     coalesce(messages.content, replies.body, posts.body, workspaces.description, '') AS text, \
     coalesce(messages.author_id, replies.author_id, posts.author_id, workspaces.owner_id) AS author_id, \
     coalesce(messages.author_name, replies.author_name, posts.author_name, workspaces.owner_name) AS author_name, \
     coalesce(messages.author_type, replies.author_type, posts.author_type, workspaces.owner_type) AS author_type, \
     CASE found.type WHEN 'message' THEN messages.author_model WHEN 'reply' THEN replies.author_model \
     ELSE posts.author_model END AS author_model, found.created_at, found.score FROM";

const JOINED: &str = "LEFT JOIN messages ON messages.id = found.id LEFT JOIN replies ON replies.id = found.id \
     LEFT JOIN posts ON posts.id = found.post_id LEFT JOIN workspaces ON workspaces.id = found.workspace_id";

impl SearchSort {
    fn order(self) -> (&'static str, &'static str) {
        match self {
            Self::Relevance => ("DESC", "ORDER BY found.score DESC, found.position DESC"),
            Self::Newest => ("DESC", "ORDER BY found.position DESC"),
            Self::Oldest => ("ASC", "ORDER BY found.position"),
        }
    }
}

/// `position + 0`: PostgreSQL, which avoids sorts, would otherwise read all texts in their order.
fn statement(db: &Db, sort: SearchSort) -> String {
    let [candidates, wanted, unwanted] = [1, 2, 3].map(|parameter| db.dialect().listed(parameter));
    let find = db.dialect().find;
    let score = SCORE.replace("OFTEN", OFTEN).replace("FIND", find);
    let (direction, order) = sort.order();
    format!(
        "{SHOWN} (SELECT document.position, document.id, document.type, document.workspace_id, document.post_id, \
         document.kind, document.created_at, CAST((SELECT sum({score}) FROM {wanted}) AS BIGINT) AS score \
         FROM {candidates} CROSS JOIN search_documents AS document WHERE document.position = CAST(listed.value AS BIGINT) \
         AND NOT EXISTS (SELECT 1 FROM {wanted} WHERE {find}(document.words, listed.value) = 0) \
         AND NOT EXISTS (SELECT 1 FROM {unwanted} WHERE {find}(document.words, listed.value) > 0) {FILTER} \
         ORDER BY document.position + 0 {direction} LIMIT $10) AS found {JOINED} {order} LIMIT $11 OFFSET $12"
    )
}

impl SearchFilter {
    /// How many hits are looked at.
    pub(super) fn looked_at(&self) -> i64 {
        if self.sort == SearchSort::Relevance { RANKED } else { self.limit }
    }
}

impl Store {
    /// The hits of a query among the indexed documents. A search that examines too many texts for its phrases, exclusions, tag or time
    /// stops and says where.
    pub async fn search(&self, filter: &SearchFilter) -> Result<Listed<HitView>, StoreError> {
        let Candidates { positions, scanned_to } = self.search_candidates(filter).await?;
        if positions.is_empty() {
            return Ok(Listed { rows: vec![], scanned_to });
        }
        let needles = |terms: &[Term]| json!(terms.iter().map(Term::needle).collect::<Vec<_>>()).to_string();
        let statement = statement(&self.db, filter.sort);
        let rows = read!(&self.db, |pool| {
            sqlx::query_as(&statement)
                .bind(json!(positions).to_string())
                .bind(needles(filter.query.wanted()))
                .bind(needles(filter.query.unwanted()))
                .bind(filter.document_type)
                .bind(filter.workspace.map(|id| id.to_string()))
                .bind(filter.author.map(|author| author.to_string()))
                .bind(&filter.tag)
                .bind(filter.kind.map(MessageKind::as_str))
                .bind(filter.since.unwrap_or(DateTime::UNIX_EPOCH))
                .bind(filter.looked_at())
                .bind(filter.limit)
                .bind(filter.skip)
                .fetch_all(pool)
                .await?
        });
        Ok(Listed { rows, scanned_to })
    }

    /// The position up to which the log is indexed.
    pub async fn indexed_to(&self) -> Result<i64, StoreError> {
        self.consumer_position(INDEXER).await
    }
}
