//! Replays: past events on their way to one endpoint once more, a step at a time.
//!
//! **Invariant:** a step's deliveries and how far the replay has come commit together, and only from where it stood: a
//! replay that is cut off anywhere goes on there, and two workers do no step twice.

use std::{str::FromStr, time::Duration};

use buildtrack_domain::{
    actors::UnknownName,
    ids::{AgentId, DeliveryId, ReplayId, WebhookId},
    webhooks::PushType,
};
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, QueryBuilder, Sqlite, SqliteConnection};

use crate::{
    Store, StoreError,
    db::{Tx, execute, read},
    identity::constcat,
};

/// What is due this soon is left as it is: it comes by itself, and may be on its way already.
const SOON: Duration = Duration::from_mins(1);

/// Where a replay stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayStatus {
    /// Events are still to be enqueued.
    Running,
    /// All of them are enqueued.
    Done,
    /// It was stopped before that; what was enqueued stays so.
    Cancelled,
}

impl ReplayStatus {
    /// The name it is stored under.
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

/// A replay.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ReplayView {
    /// The replay.
    #[sqlx(try_from = "String")]
    pub id: ReplayId,
    /// Where to.
    #[sqlx(try_from = "String")]
    pub webhook_id: WebhookId,
    /// Whose endpoint it is.
    #[sqlx(try_from = "String")]
    pub agent_id: AgentId,
    /// It takes what is beyond this position,
    pub from_position: i64,
    /// and up to this one.
    pub until_position: i64,
    /// How far it has come.
    pub position: i64,
    /// How many events it was to bring, at most, when it began.
    pub total: i64,
    /// How many it has enqueued.
    pub enqueued: i64,
    /// Where it stands.
    #[sqlx(try_from = "String")]
    pub status: ReplayStatus,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was done or cancelled.
    pub settled_at: Option<DateTime<Utc>>,
}

/// A step of a replay.
#[derive(Debug, Clone)]
pub struct ReplayStep {
    /// As it stood before; where it stands otherwise by now, nothing is written.
    pub replay: ReplayView,
    /// How far this step takes it.
    pub to: i64,
    /// What is enqueued. An event that has a delivery to the endpoint is delivered under the same id again.
    pub deliveries: Vec<Replayed>,
}

/// An event that is enqueued once more.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The delivery, where the event has none to this endpoint.
    pub id: DeliveryId,
    /// Which event.
    pub position: i64,
    /// What it is called.
    pub push_type: PushType,
    /// The position of the one before it in this replay.
    pub previous: Option<i64>,
}

const REPLAY: &str = "SELECT id, webhook_id, agent_id, from_position, until_position, position, total, enqueued, status, \
                      created_at, settled_at FROM replays ";

/// Begins a replay, unless one is running to the same endpoint.
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

/// Ends a replay that is running.
pub(crate) async fn cancel(tx: &mut Tx<'_>, id: ReplayId, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE replays SET status = 'cancelled', settled_at = $2 WHERE id = $1 AND status = 'running'",
        id.to_string(),
        now,
    );
    Ok(())
}

/// Takes a replay on, unless somebody else has, or it was cancelled.
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
    /// One replay to an endpoint.
    pub async fn replay(&self, webhook_id: WebhookId, id: ReplayId) -> Result<Option<ReplayView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&constcat(REPLAY, "WHERE id = $1 AND webhook_id = $2"))
                .bind(id.to_string())
                .bind(webhook_id.to_string())
                .fetch_optional(pool)
                .await?
        }))
    }

    /// Up to `limit` replays to an endpoint, newest first; only older ones than `beyond`.
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

    /// Every replay that is running.
    pub async fn running_replays(&self) -> Result<Vec<ReplayView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&constcat(REPLAY, "WHERE status = 'running' ORDER BY id")).fetch_all(pool).await?
        }))
    }

    /// The last position of what was recorded before `time`; 0 where that is nothing. Time never runs backwards along
    /// the log, and positions have no gaps: it is found by halving.
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
