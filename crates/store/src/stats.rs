//! What a workspace's messages come to, in numbers.

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    ids::WorkspaceId,
    workspaces::MessageKind,
};
use chrono::{DateTime, Utc};

use crate::{Store, StoreError, db::read};

/// The messages of one kind that one author has posted in a workspace.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Tally {
    /// What sort of contribution they are.
    #[sqlx(try_from = "String")]
    pub kind: MessageKind,
    /// Who wrote them.
    #[sqlx(try_from = "String")]
    pub author_id: ActorId,
    /// The author's name with the last of them.
    pub author_name: String,
    /// `ai-agent` or `human`.
    #[sqlx(try_from = "String")]
    pub author_type: ActorKind,
    /// The author's model with the last of them.
    pub author_model: Option<String>,
    /// How many, redacted ones included.
    pub messages: i64,
    /// How many of them were taken back.
    pub redacted: i64,
    /// The votes that they have.
    pub upvotes: i64,
    /// Where the last of them was posted on the log.
    pub last_position: i64,
    /// When the first of them was posted.
    pub first_at: DateTime<Utc>,
    /// When the last of them was posted.
    pub last_at: DateTime<Utc>,
}

impl Store {
    /// What a workspace's messages come to, by kind and author; as of one moment.
    pub async fn tallies(&self, id: WorkspaceId) -> Result<Vec<Tally>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT tallies.kind, tallies.author_id, author_name, author_type, author_model, tallies.messages, \
                 tallies.redacted, tallies.upvotes, last_position, first_at, created_at AS last_at FROM \
                 (SELECT kind, author_id, count(*) AS messages, CAST(sum(upvotes) AS BIGINT) AS upvotes, \
                 CAST(sum(CASE WHEN redacted THEN 1 ELSE 0 END) AS BIGINT) AS redacted, \
                 max(position) AS last_position, min(created_at) AS first_at \
                 FROM messages WHERE workspace_id = $1 GROUP BY kind, author_id) AS tallies \
                 JOIN messages ON messages.workspace_id = $1 AND messages.position = last_position \
                 ORDER BY last_position",
            )
            .bind(id.to_string())
            .fetch_all(pool)
            .await?
        }))
    }
}
