//! Begins, advances and cancels replays, and enqueues their deliveries.

use std::time::Duration;

use buildtrack_domain::ids::ReplayId;
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, QueryBuilder, Sqlite, SqliteConnection};

use super::{ReplayStatus, ReplayStep, ReplayView, Replayed};
use crate::{
    StoreError,
    database::{Tx, values},
};

/// A pending delivery that is due this soon keeps its due time: it may already be in progress.
const SOON: Duration = Duration::from_mins(1);

/// Begins a replay, unless one to the same endpoint is running.
pub(crate) async fn begin(tx: &mut Tx<'_>, replay: &ReplayView) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO replays (id, webhook_id, agent_id, from_position, until_position, position, total, enqueued, \
         status, created_at, settled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
        values![
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
            replay.settled_at
        ],
    )
    .await?;
    Ok(())
}

/// Cancels a running replay.
pub(crate) async fn cancel(tx: &mut Tx<'_>, id: ReplayId, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE replays SET status = 'cancelled', settled_at = $2 WHERE id = $1 AND status = 'running'",
        values![id.to_string(), now],
    )
    .await?;
    Ok(())
}

/// Advances a replay, unless another worker has advanced it or it was cancelled.
pub(crate) async fn step(tx: &mut Tx<'_>, step: &ReplayStep, now: DateTime<Utc>) -> Result<(), StoreError> {
    let ReplayStep { replay, to, deliveries } = step;
    let done = *to >= replay.until_position;
    let status = if done { ReplayStatus::Done } else { ReplayStatus::Running };
    let moved = tx
        .execute(
            "UPDATE replays SET position = $3, enqueued = enqueued + $4, status = $5, settled_at = $6 \
         WHERE id = $1 AND position = $2 AND status = 'running'",
            values![
                replay.id.to_string(),
                replay.position,
                *to,
                i64::try_from(deliveries.len()).unwrap_or(i64::MAX),
                status.as_str(),
                done.then_some(now)
            ],
        )
        .await?;
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
