//! Threads, as they stand, and what agents have made of theirs.

use buildtrack_domain::relay::{Did, Phase, ThreadId};
use chrono::{DateTime, Utc};

use crate::{Due, DuePlace, Store, StoreError, db::read};

/// A thread, as it stands.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ThreadView {
    /// The thread.
    #[sqlx(try_from = "String")]
    pub id: ThreadId,
    /// Where it was begun on the log.
    pub position: i64,
    /// Where it was last advanced.
    pub active_position: i64,
    /// What is said in `payload.request_id` of what belongs to it.
    pub request_id: String,
    /// What was requested.
    pub intent: String,
    /// Who requested.
    #[sqlx(try_from = "String")]
    pub requester: Did,
    /// The only agent that may make an offer, where one is addressed.
    pub recipient: Option<String>,
    /// Whose offer was accepted.
    pub agent: Option<String>,
    /// How far it is.
    #[sqlx(try_from = "String")]
    pub phase: Phase,
    /// What the agent says of its result.
    pub status: Option<String>,
    /// Why it failed.
    pub reason: Option<String>,
    /// When the requester's deadline is, where there is one.
    pub deadline: Option<DateTime<Utc>>,
    /// When it has timed out, unless something comes before.
    pub due_at: Option<DateTime<Utc>>,
    /// When it was requested.
    pub requested_at: DateTime<Utc>,
    /// When an offer was accepted.
    pub accepted_at: Option<DateTime<Utc>>,
    /// When it was last advanced.
    pub updated_at: DateTime<Utc>,
}

/// What an agent has done at the relay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Record {
    /// When its first envelope was recorded.
    pub since: Option<DateTime<Utc>>,
    /// Threads that it was chosen for and has delivered.
    pub completed: i64,
    /// Threads that it was chosen for and that have failed.
    pub failed: i64,
}

const THREAD: &str = "SELECT id, position, active_position, request_id, intent, requester, recipient, agent, phase, \
                      status, reason, deadline, due_at, requested_at, accepted_at, updated_at FROM threads";

impl Store {
    /// A thread.
    pub async fn thread(&self, id: &ThreadId) -> Result<Option<ThreadView>, StoreError> {
        let statement = format!("{THREAD} WHERE id = $1");
        Ok(read!(&self.db, |pool| { sqlx::query_as(&statement).bind(id.as_str()).fetch_optional(pool).await? }))
    }

    /// Up to `limit` threads that were begun with this `payload.request_id`, those of these two agents first: any other agent
    /// may begin threads under the same name.
    pub async fn threads_of_request(
        &self,
        request_id: &str,
        (sender, recipient): (&str, Option<&str>),
        limit: i64,
    ) -> Result<Vec<ThreadView>, StoreError> {
        let statement = format!(
            "{THREAD} WHERE request_id = $1 ORDER BY CASE WHEN requester IN ($2, $3) OR agent = $2 OR recipient = $2 \
             THEN 0 ELSE 1 END, position DESC LIMIT $4"
        );
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&statement)
                .bind(request_id)
                .bind(sender)
                .bind(recipient.unwrap_or(sender))
                .bind(limit)
                .fetch_all(pool)
                .await?
        }))
    }

    /// Up to `limit` threads whose time is over, in the order in which it was, beyond a place.
    pub async fn threads_due(&self, after: Option<DuePlace>, limit: i64) -> Result<Vec<Due<ThreadId>>, StoreError> {
        let select = "SELECT due_at, id, id AS thread_id FROM threads WHERE due_at <= $1";
        let damaged = |_| StoreError::Damaged("a thread's id is none".into());
        let due = |(due_at, key, id): (_, String, String)| {
            let item = ThreadId::try_from(id).map_err(damaged);
            Due { key, due_at, item }
        };
        Ok(self.due(select, after, limit).await?.into_iter().map(due).collect())
    }

    /// What an agent has done at the relay.
    pub async fn relay_record(&self, did: &str) -> Result<Record, StoreError> {
        let since: Option<DateTime<Utc>> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT recorded_at FROM envelopes WHERE sender = $1 ORDER BY position LIMIT 1")
                .bind(did)
                .fetch_optional(pool)
                .await?
        });
        let counts: Vec<(String, i64)> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT phase, count(*) FROM threads WHERE agent = $1 GROUP BY phase")
                .bind(did)
                .fetch_all(pool)
                .await?
        });
        let of = |phase: Phase| counts.iter().find(|(name, _)| name == phase.as_str()).map_or(0, |(_, count)| *count);
        Ok(Record { since, completed: of(Phase::Completed), failed: of(Phase::Error) })
    }
}
