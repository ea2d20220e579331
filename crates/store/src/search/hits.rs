//! What a query finds.

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    ids::WorkspaceId,
    search::{Query, Term},
    workspaces::MessageKind,
};
use chrono::{DateTime, Utc};
use serde_json::json;

use super::INDEXER;
use crate::{
    Store, StoreError,
    db::{Db, read},
    postgres, sqlite,
};

/// How many of what is found are put in order by how well they answer: the newest ones.
const RANKED: i64 = 1000;

/// What a query is written with on one database.
pub(crate) struct Dialect {
    /// What stands before the query.
    pub(crate) with: &'static str,
    /// The rows that have the words which are bound first, and a beginning of what else must be.
    pub(crate) matching: &'static str,
    /// The position by which they come in their order.
    pub(crate) position: &'static str,
    /// A JSON list of texts that is bound as `$N`, as rows of `value`.
    pub(crate) listed: &'static str,
    /// Where a text holds another: from 1, or 0.
    pub(crate) find: &'static str,
}

impl Dialect {
    /// The texts of the list that is bound in this place, as rows of `value`.
    pub(crate) fn listed(&self, place: u8) -> String {
        self.listed.replace("$N", &format!("${place}"))
    }
}

/// In which order it is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchSort {
    /// What answers best, first; of two that answer alike, the newer one. It is the newest thousand that are ordered.
    #[default]
    Relevance,
    /// Written last, first.
    Newest,
    /// Written first, first.
    Oldest,
}

/// What to look for.
#[derive(Debug, Clone)]
pub struct SearchFilter {
    /// The words.
    pub query: Query,
    /// Only of this type: `workspace`, `message`, `post` or `reply`.
    pub document_type: Option<&'static str>,
    /// Only this workspace and what is in it.
    pub workspace: Option<WorkspaceId>,
    /// Only by this author; of a workspace, its owner.
    pub author: Option<ActorId>,
    /// Only what has this tag, or stands in what has it.
    pub tag: Option<String>,
    /// Only messages of this kind.
    pub kind: Option<MessageKind>,
    /// Only what was written then or later.
    pub since: Option<DateTime<Utc>>,
    /// The order.
    pub sort: SearchSort,
    /// Only beyond this position.
    pub after: Option<i64>,
    /// Only before this position.
    pub before: Option<i64>,
    /// Without the first so many.
    pub skip: i64,
    /// At most so many.
    pub limit: i64,
}

/// Something that was found, as it is now.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct HitView {
    /// Where it began on the log.
    pub position: i64,
    /// The workspace, message, post or reply.
    pub id: String,
    /// Which of them it is.
    #[sqlx(rename = "type")]
    pub document_type: String,
    /// Where it stands, unless that is the forum.
    pub workspace_id: Option<String>,
    /// The post that it is or answers.
    pub post_id: Option<String>,
    /// What sort of message it is.
    pub kind: Option<String>,
    /// The name or title of it, or of what it stands in.
    pub title: String,
    /// Its text.
    pub text: String,
    /// Who wrote it.
    #[sqlx(try_from = "String")]
    pub author_id: ActorId,
    /// The author's name at that moment.
    pub author_name: String,
    /// `ai-agent` or `human`.
    #[sqlx(try_from = "String")]
    pub author_type: ActorKind,
    /// The author's model at that moment; a workspace does not say it.
    pub author_model: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// How well it answers: greater is better.
    pub score: i64,
}

/// How often it holds what is asked for, the less the longer it is; more where that stands in its title. In whole numbers,
/// so that both databases come to the same.
const SCORE: &str = "1000 * OFTEN / (OFTEN + 1 + length(document.words) / 1000) \
     + CASE WHEN FIND(document.words, listed.value) < FIND(document.words, '\n') THEN 500 ELSE 0 END";
const OFTEN: &str = "((length(document.words) - length(replace(document.words, listed.value, ''))) \
     / length(listed.value))";

const FILTER: &str = "AND (CAST($4 AS TEXT) IS NULL OR document.type = $4) \
     AND (CAST($5 AS TEXT) IS NULL OR document.workspace_id = $5) \
     AND (CAST($6 AS TEXT) IS NULL OR document.author_id = $6) \
     AND (CAST($7 AS TEXT) IS NULL \
     OR EXISTS (SELECT 1 FROM workspace_tags AS tags WHERE tag = $7 AND tags.workspace_id = document.workspace_id) \
     OR EXISTS (SELECT 1 FROM post_tags AS tags WHERE tag = $7 AND tags.post_id = document.post_id)) \
     AND (CAST($8 AS TEXT) IS NULL OR document.kind = $8) AND document.created_at >= $9 \
     AND document.position > $10 AND document.position < $11";

/// As it is now: the author and the words are nowhere else than in the read tables.
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

fn statement(dialect: &Dialect, sort: SearchSort) -> String {
    let Dialect { with, matching, position, find, .. } = dialect;
    let (wanted, unwanted) = (dialect.listed(2), dialect.listed(3));
    let score = SCORE.replace("OFTEN", OFTEN).replace("FIND", find);
    let (direction, order) = sort.order();
    format!(
        "{with}{SHOWN} (SELECT document.position, document.id, document.type, document.workspace_id, document.post_id, \
         document.kind, document.created_at, CAST((SELECT sum({score}) FROM {wanted}) AS BIGINT) AS score \
         FROM {matching} AND NOT EXISTS (SELECT 1 FROM {wanted} WHERE {find}(document.words, listed.value) = 0) \
         AND NOT EXISTS (SELECT 1 FROM {unwanted} WHERE {find}(document.words, listed.value) > 0) {FILTER} \
         ORDER BY {position} {direction} LIMIT $12) AS found {JOINED} {order} LIMIT $13 OFFSET $14"
    )
}

impl Store {
    /// What a query finds among what is indexed.
    pub async fn search(&self, filter: &SearchFilter) -> Result<Vec<HitView>, StoreError> {
        let (statement, words) = match &self.db {
            Db::Postgres { .. } => (statement(&postgres::SEARCH, filter.sort), postgres::matching(&filter.query)),
            Db::Sqlite { .. } => (statement(&sqlite::SEARCH, filter.sort), sqlite::matching(&filter.query)),
        };
        let looked_at = if filter.sort == SearchSort::Relevance { RANKED } else { filter.limit };
        let needles = |terms: &[Term]| json!(terms.iter().map(Term::needle).collect::<Vec<_>>()).to_string();
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&statement)
                .bind(&words)
                .bind(needles(filter.query.wanted()))
                .bind(needles(filter.query.unwanted()))
                .bind(filter.document_type)
                .bind(filter.workspace.map(|id| id.to_string()))
                .bind(filter.author.map(|author| author.to_string()))
                .bind(&filter.tag)
                .bind(filter.kind.map(MessageKind::as_str))
                .bind(filter.since.unwrap_or(DateTime::UNIX_EPOCH))
                .bind(filter.after.unwrap_or(0))
                .bind(filter.before.unwrap_or(i64::MAX))
                .bind(looked_at)
                .bind(filter.limit)
                .bind(filter.skip)
                .fetch_all(pool)
                .await?
        }))
    }

    /// The position up to which the log is indexed.
    pub async fn indexed_to(&self) -> Result<i64, StoreError> {
        self.consumer_position(INDEXER).await
    }
}
