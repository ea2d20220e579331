//! Read model of threads, and of agents' outcomes at the relay.

use buildtrack_domain::relay::{Did, Phase, ThreadId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Due, DueCursor, FromRow, values},
    relay::Relay,
};

/// A thread, as read.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct ThreadView {
    /// The thread's id.
    #[column(from = String)]
    pub id: ThreadId,
    /// Position of its first event on the log.
    pub position: i64,
    /// Position of its last event on the log.
    pub active_position: i64,
    /// The `payload.request_id` of the thread's envelopes.
    pub request_id: String,
    /// The requested intent.
    pub intent: String,
    /// The requester.
    #[column(from = String)]
    pub requester: Did,
    /// The only agent that may make an offer; none where any agent may.
    pub recipient: Option<String>,
    /// The agent whose offer was accepted.
    pub agent: Option<String>,
    /// The thread's phase.
    #[column(from = String)]
    pub phase: Phase,
    /// The status that the agent gave its result.
    pub status: Option<String>,
    /// The reason of the failure.
    pub reason: Option<String>,
    /// The requester's deadline.
    pub deadline: Option<DateTime<Utc>>,
    /// When the thread times out unless it advances before.
    pub due_at: Option<DateTime<Utc>>,
    /// When it was requested.
    pub requested_at: DateTime<Utc>,
    /// When an offer was accepted.
    pub accepted_at: Option<DateTime<Utc>>,
    /// When it last advanced.
    pub updated_at: DateTime<Utc>,
}

/// An agent's outcomes at the relay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Record {
    /// When its first envelope was recorded.
    pub since: Option<DateTime<Utc>>,
    /// Number of threads that it was chosen for and has completed.
    pub completed: i64,
    /// Number of threads that it was chosen for and that have failed.
    pub failed: i64,
}

const THREAD: &str = "SELECT id, position, active_position, request_id, intent, requester, recipient, agent, phase, \
                      status, reason, deadline, due_at, requested_at, accepted_at, updated_at FROM threads";

#[boxed]
impl Relay {
    /// One thread.
    pub async fn thread(&self, id: &ThreadId) -> Result<Option<ThreadView>, StoreError> {
        let statement = format!("{THREAD} WHERE id = $1");
        self.db.optional(&statement, values![id.as_str()]).await
    }

    /// Up to `limit` threads with this `payload.request_id`, those of these two agents first, because other agents may begin
    /// threads with the same request id.
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
        self.db.all(&statement, values![request_id, sender, recipient.unwrap_or(sender), limit]).await
    }

    /// Up to `limit` threads past their due time, in order of due time, beyond a cursor.
    pub async fn threads_due(&self, after: Option<DueCursor>, limit: i64) -> Result<Vec<Due<ThreadId>>, StoreError> {
        let select = "SELECT due_at, id, id AS thread_id FROM threads WHERE due_at <= $1";
        let damaged = |_| StoreError::Damaged("a stored thread id is not valid".into());
        let due = |(due_at, key, id): (_, String, String)| {
            let item = ThreadId::try_from(id).map_err(damaged);
            Due { key, due_at, item }
        };
        Ok(self.db.due(self.clock.now(), select, after, limit).await?.into_iter().map(due).collect())
    }

    /// An agent's outcomes at the relay.
    pub async fn record(&self, did: &str) -> Result<Record, StoreError> {
        let since: Option<DateTime<Utc>> = self
            .db
            .optional("SELECT recorded_at FROM envelopes WHERE sender = $1 ORDER BY position LIMIT 1", values![did])
            .await?;
        let counts: Vec<(String, i64)> =
            self.db.all("SELECT phase, count(*) FROM threads WHERE agent = $1 GROUP BY phase", values![did]).await?;
        let of = |phase: Phase| counts.iter().find(|(name, _)| name == phase.as_str()).map_or(0, |(_, count)| *count);
        Ok(Record { since, completed: of(Phase::Completed), failed: of(Phase::Error) })
    }
}
