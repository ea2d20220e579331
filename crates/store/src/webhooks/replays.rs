//! Replays: deliver past events to one endpoint again, step by step.
//!
//! **Invariant:** a step's deliveries and the replay's new position commit together, and only if the replay is at the step's start.
//! An interrupted replay continues where it stopped, and two workers cannot run the same step.

use std::{str::FromStr, time::Duration};

use buildtrack_domain::{
    actors::UnknownName,
    ids::{AgentId, DeliveryId, ReplayId, WebhookId},
    webhooks::PushType,
};
use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection, QueryBuilder, Row, Sqlite, SqliteConnection};

use crate::{
    Store, StoreError,
    database::{Tx, columns::constcat, execute, read},
};

/// A pending delivery that is due this soon keeps its due time: it may already be in progress.
const SOON: Duration = Duration::from_mins(1);

/// A replay's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayStatus {
    /// Some events are not enqueued yet.
    Running,
    /// All events are enqueued.
    Done,
    /// The replay was cancelled. Deliveries that it had enqueued remain.
    Cancelled,
}

impl ReplayStatus {
    /// The stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
        }
    }
}

impl FromStr for ReplayStatus {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let all = [Self::Running, Self::Done, Self::Cancelled];
        all.into_iter().find(|status| status.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for ReplayStatus {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
    }
}

/// A stored replay.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ReplayView {
    /// The replay's id.
    #[sqlx(try_from = "String")]
    pub id: ReplayId,
    /// The endpoint.
    #[sqlx(try_from = "String")]
    pub webhook_id: WebhookId,
    /// The agent that owns the endpoint.
    #[sqlx(try_from = "String")]
    pub agent_id: AgentId,
    /// The replay covers events after this position.
    pub from_position: i64,
    /// The last position that the replay covers.
    pub until_position: i64,
    /// The last position that the replay has processed.
    pub position: i64,
    /// An upper bound for the number of events, counted at the start.
    pub total: i64,
    /// Number of events enqueued so far.
    pub enqueued: i64,
    /// The status.
    #[sqlx(try_from = "String")]
    pub status: ReplayStatus,
    /// When the replay began.
    pub created_at: DateTime<Utc>,
    /// When the replay finished or was cancelled.
    pub settled_at: Option<DateTime<Utc>>,
}

/// A step of a replay.
#[derive(Debug, Clone)]
pub struct ReplayStep {
    /// The replay before the step. If its position has changed since, nothing is written.
    pub replay: ReplayView,
    /// The position that this step reaches.
    pub to: i64,
    /// The events to enqueue. If an event already has a delivery to the endpoint, it is delivered again under the same id.
    pub deliveries: Vec<Replayed>,
}

/// An event to enqueue again.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The id of the new delivery, used if the event has none to this endpoint.
    pub id: DeliveryId,
    /// The event's position.
    pub position: i64,
    /// The type sent with the push.
    pub push_type: PushType,
    /// The position of the previous event of this replay.
    pub previous: Option<i64>,
}

const REPLAY: &str = "SELECT id, webhook_id, agent_id, from_position, until_position, position, total, enqueued, status, \
                      created_at, settled_at FROM replays ";

/// Begins a replay, unless one to the same endpoint is running.
pub(crate) async fn begin(tx: &mut Tx<'_>, replay: &ReplayView) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO replays (id, webhook_id, agent_id, from_position, until_position, position, total, enqueued, \
         status, created_at, settled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
        replay.id.to_string(),
        replay.webhook_id.to_string(),
        replay.agent_id.to_string(),
        replay.from_position,
        replay.until_position,
        replay.position,
        replay.total,
        replay.enqueued,
        replay.status.as_str(),
        replay.created_at,
        replay.settled_at,
    );
    Ok(())
}

/// Cancels a running replay.
pub(crate) async fn cancel(tx: &mut Tx<'_>, id: ReplayId, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE replays SET status = 'cancelled', settled_at = $2 WHERE id = $1 AND status = 'running'",
        id.to_string(),
        now,
    );
    Ok(())
}

/// Advances a replay, unless another worker has advanced it or it was cancelled.
pub(crate) async fn step(tx: &mut Tx<'_>, step: &ReplayStep, now: DateTime<Utc>) -> Result<(), StoreError> {
    let ReplayStep { replay, to, deliveries } = step;
    let done = *to >= replay.until_position;
    let status = if done { ReplayStatus::Done } else { ReplayStatus::Running };
    let moved = execute!(
        tx,
        "UPDATE replays SET position = $3, enqueued = enqueued + $4, status = $5, settled_at = $6 \
         WHERE id = $1 AND position = $2 AND status = 'running'",
        replay.id.to_string(),
        replay.position,
        *to,
        i64::try_from(deliveries.len()).unwrap_or(i64::MAX),
        status.as_str(),
        done.then_some(now),
    );
    if moved == 0 || deliveries.is_empty() {
        return Ok(());
    }
    match tx {
        Tx::Postgres(connection) => enqueue_postgres(connection, replay, deliveries, now).await,
        Tx::Sqlite(script) => enqueue_sqlite(script.connection().await?, replay, deliveries, now).await,
    }
}

const AGAIN: &str = " ON CONFLICT (position, webhook_id) DO UPDATE SET status = 'pending', step = 0, \
                     settled_at = NULL, expires_at = NULL, waits_for = NULL, next_at = CASE WHEN deliveries.status = 'pending' \
                     AND deliveries.next_at <= ";

async fn enqueue_postgres(
    connection: &mut PgConnection,
    replay: &ReplayView,
    rows: &[Replayed],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let statement = format!(
        "INSERT INTO deliveries (id, webhook_id, agent_id, position, type, status, attempts, next_at, created_at, \
         previous) SELECT id, $5, $6, position, type, 'pending', 0, $7, $7, previous \
         FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) AS rows (id, position, type, previous){AGAIN}$8 \
         THEN deliveries.next_at ELSE excluded.next_at END"
    );
    sqlx::query(&statement)
        .bind(rows.iter().map(|row| row.id.to_string()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.push_type.as_str()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.previous).collect::<Vec<_>>())
        .bind(replay.webhook_id.to_string())
        .bind(replay.agent_id.to_string())
        .bind(now)
        .bind(now + SOON)
        .execute(connection)
        .await?;
    Ok(())
}

async fn enqueue_sqlite(
    connection: &mut SqliteConnection,
    replay: &ReplayView,
    rows: &[Replayed],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    for chunk in rows.chunks(64) {
        QueryBuilder::<Sqlite>::new(
            "INSERT INTO deliveries (id, webhook_id, agent_id, position, type, status, attempts, next_at, created_at, \
             previous) ",
        )
        .push_values(chunk, |mut row, replayed| {
            row.push_bind(replayed.id.to_string())
                .push_bind(replay.webhook_id.to_string())
                .push_bind(replay.agent_id.to_string())
                .push_bind(replayed.position)
                .push_bind(replayed.push_type.as_str())
                .push_bind("pending")
                .push_bind(0_i64)
                .push_bind(now)
                .push_bind(now)
                .push_bind(replayed.previous);
        })
        .push(AGAIN)
        .push_bind(now + SOON)
        .push(" THEN deliveries.next_at ELSE excluded.next_at END")
        .build()
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

impl Store {
    /// One of an endpoint's replays.
    pub async fn replay(&self, webhook_id: WebhookId, id: ReplayId) -> Result<Option<ReplayView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&constcat(REPLAY, "WHERE id = $1 AND webhook_id = $2"))
                .bind(id.to_string())
                .bind(webhook_id.to_string())
                .fetch_optional(pool)
                .await?
        }))
    }

    /// Up to `limit` replays to an endpoint, newest first, older than `beyond`.
    pub async fn replays(
        &self,
        webhook_id: WebhookId,
        beyond: Option<ReplayId>,
        limit: i64,
    ) -> Result<Vec<ReplayView>, StoreError> {
        let last = || format!("{}_{}", ReplayId::PREFIX, "z".repeat(26));
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&constcat(REPLAY, "WHERE webhook_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"))
                .bind(webhook_id.to_string())
                .bind(beyond.map_or_else(last, |id| id.to_string()))
                .bind(limit)
                .fetch_all(pool)
                .await?
        }))
    }

    /// All running replays, each with its key. An unreadable replay does not keep others from being returned.
    pub async fn running_replays(&self) -> Result<Vec<(String, Result<ReplayView, StoreError>)>, StoreError> {
        let statement = constcat(REPLAY, "WHERE status = 'running' ORDER BY id");
        Ok(read!(&self.db, |pool| {
            let rows = sqlx::query(&statement).fetch_all(pool).await?;
            let read =
                |row| (Row::try_get(row, "id").unwrap_or_default(), ReplayView::from_row(row).map_err(Into::into));
            rows.iter().map(read).collect()
        }))
    }

    /// The position of the last event recorded before `time`; 0 if there is none. Uses binary search, because times on the log
    /// never decrease and positions have no gaps.
    pub async fn position_before(&self, time: DateTime<Utc>) -> Result<i64, StoreError> {
        let (mut before, mut after) = (0, self.tail.head() + 1);
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            let recorded_at: Option<DateTime<Utc>> = read!(&self.db, |pool| {
                sqlx::query_scalar("SELECT recorded_at FROM events WHERE position = $1")
                    .bind(middle)
                    .fetch_optional(pool)
                    .await?
            });
            if recorded_at.is_some_and(|recorded_at| recorded_at < time) {
                before = middle;
            } else {
                after = middle;
            }
        }
        Ok(before)
    }
}
