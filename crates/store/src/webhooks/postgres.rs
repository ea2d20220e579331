//! Statements of webhooks that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use std::{collections::HashSet, sync::LazyLock};

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgExecutor};

use super::deliveries::{Attempt, DeliveryRow, NewDelivery, Outcome, Streak};
use super::{pushed_events::PushedRow, subscribers::SubscriberRow};
use crate::database::rows::read_rows;
use crate::{StoreError, audiences::AUDIENCES};

/// Locks the endpoints' progress rows until the end of the transaction. Locks in id order prevent deadlocks.
pub(crate) async fn lock_progress(connection: &mut PgConnection, webhooks: &[String]) -> Result<(), StoreError> {
    sqlx::query("SELECT FROM webhook_progress WHERE webhook_id = ANY($1) ORDER BY webhook_id FOR UPDATE")
        .bind(webhooks)
        .execute(connection)
        .await?;
    Ok(())
}

/// Inserts deliveries that do not exist yet. Returns each one's id with the position of the previous delivery of its endpoint.
pub(crate) async fn insert_deliveries(
    connection: &mut PgConnection,
    deliveries: &[&NewDelivery],
    now: DateTime<Utc>,
) -> Result<Vec<(String, Option<i64>)>, StoreError> {
    let (mut placed, unknown) = insert_known_deliveries(connection, deliveries, now).await?;
    if !unknown.is_empty() {
        // Insert the missing rows first, so that they can be locked: another process may be enqueueing for the same endpoint.
        sqlx::query("INSERT INTO webhook_progress (webhook_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING")
            .bind(&unknown)
            .execute(&mut *connection)
            .await?;
        let (rest, _) = insert_known_deliveries(connection, deliveries, now).await?;
        placed.extend(rest);
    }
    Ok(placed)
}

/// Inserts the deliveries of endpoints that have a progress row. Returns the other endpoints, sorted by id. Uses one round trip:
/// the statement locks the endpoints' rows in id order and reads them once locked. Each row sorts before its endpoint's new
/// deliveries, so that a window function finds the previous position.
///
/// PostgreSQL keeps the plan that it made while the tables were small. The row comparison lets it use no index but the one on
/// `(position, webhook_id)`, and `= ANY` finds the endpoints by their primary key: it reads neither all deliveries of an endpoint nor
/// all endpoints.
async fn insert_known_deliveries(
    connection: &mut PgConnection,
    deliveries: &[&NewDelivery],
    now: DateTime<Utc>,
) -> Result<(Vec<(String, Option<i64>)>, Vec<String>), StoreError> {
    let rows: Vec<(Option<String>, Option<i64>, Option<String>)> = sqlx::query_as(
        "WITH wanted AS MATERIALIZED (SELECT rows.* FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], \
         $5::text[], $6::timestamptz[]) WITH ORDINALITY AS rows (id, webhook_id, agent_id, position, type, next_at, place) \
         WHERE NOT EXISTS (SELECT FROM deliveries AS known \
         WHERE (known.position, known.webhook_id) >= (rows.position, rows.webhook_id) \
         AND (known.position, known.webhook_id) <= (rows.position, rows.webhook_id))), \
         before AS MATERIALIZED (SELECT webhook_id, last_position FROM webhook_progress \
         WHERE webhook_id = ANY(ARRAY(SELECT webhook_id FROM wanted)) ORDER BY webhook_id FOR UPDATE), \
         line AS MATERIALIZED (SELECT *, lag(position) OVER each AS previous, first_value(place) OVER each AS first \
         FROM (SELECT NULL AS id, webhook_id, NULL AS agent_id, last_position AS position, NULL AS type, \
         NULL::timestamptz AS next_at, 0::bigint AS place FROM before UNION ALL SELECT * FROM wanted) AS entries \
         WINDOW each AS (PARTITION BY webhook_id ORDER BY place)), \
         placed AS (INSERT INTO deliveries \
         (id, webhook_id, agent_id, position, type, status, attempts, next_at, created_at, previous) \
         SELECT id, webhook_id, agent_id, position, type, 'pending', 0, next_at, $7, previous FROM line \
         WHERE first = 0 AND place > 0 ORDER BY place ON CONFLICT (position, webhook_id) DO NOTHING \
         RETURNING id, previous), \
         moved AS (UPDATE webhook_progress SET last_position = last.position FROM \
         (SELECT DISTINCT ON (webhook_id) webhook_id, position FROM line WHERE first = 0 AND place > 0 \
         ORDER BY webhook_id, place DESC) AS last WHERE webhook_progress.webhook_id = last.webhook_id) \
         SELECT id, previous, NULL FROM placed UNION ALL \
         SELECT DISTINCT NULL, NULL::bigint, webhook_id FROM line WHERE first > 0",
    )
    .bind(deliveries.iter().map(|delivery| delivery.id.to_string()).collect::<Vec<_>>())
    .bind(deliveries.iter().map(|delivery| delivery.webhook_id.to_string()).collect::<Vec<_>>())
    .bind(deliveries.iter().map(|delivery| delivery.agent_id.to_string()).collect::<Vec<_>>())
    .bind(deliveries.iter().map(|delivery| delivery.position).collect::<Vec<_>>())
    .bind(deliveries.iter().map(|delivery| delivery.push_type.as_str()).collect::<Vec<_>>())
    .bind(deliveries.iter().map(|delivery| delivery.next_at).collect::<Vec<_>>())
    .bind(now)
    .fetch_all(connection)
    .await?;
    let mut unknown: Vec<_> = rows.iter().filter_map(|(_, _, webhook_id)| webhook_id.clone()).collect();
    unknown.sort();
    let placed = rows.into_iter().filter_map(|(id, previous, _)| Some((id?, previous)));
    Ok((placed.collect(), unknown))
}

/// Records outcomes of attempts. A delivery that was cancelled meanwhile stays cancelled and stores no response. A delivery whose
/// event was redacted meanwhile stores no response either, even if it is pending again.
pub(crate) async fn record_outcomes(connection: &mut PgConnection, outcomes: &[Outcome]) -> Result<(), StoreError> {
    let readable = write_outcomes(connection, outcomes).await?;
    let attempts: Vec<_> = outcomes
        .iter()
        .filter_map(|outcome| Some((outcome.delivery_id.to_string(), outcome.attempt.as_ref()?)))
        .collect();
    insert_attempts(connection, &attempts, &readable).await
}

/// Updates pending deliveries. Returns those whose event still has data.
async fn write_outcomes(connection: &mut PgConnection, outcomes: &[Outcome]) -> Result<HashSet<String>, StoreError> {
    let number = |outcome: &Outcome| outcome.attempt.as_ref().map(|attempt| attempt.number);
    // The concatenation keeps PostgreSQL from using the index of pending deliveries, which would scan all of them.
    let settled: Vec<(String, bool)> = sqlx::query_as(
        "UPDATE deliveries SET status = outcome.status, attempts = coalesce(outcome.number, attempts), \
         next_at = outcome.next_at, settled_at = outcome.settled_at, step = outcome.step, \
         expires_at = coalesce(outcome.expires_at, deliveries.expires_at) FROM unnest($1::text[], $2::text[], \
         $3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::bigint[], $7::timestamptz[]) \
         AS outcome (id, status, number, next_at, settled_at, step, expires_at) \
         WHERE deliveries.id = outcome.id AND deliveries.status || '' = 'pending' RETURNING deliveries.id, \
         EXISTS (SELECT FROM events WHERE events.position = deliveries.position AND data IS NOT NULL)",
    )
    .bind(outcomes.iter().map(|outcome| outcome.delivery_id.to_string()).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.status.as_str()).collect::<Vec<_>>())
    .bind(outcomes.iter().map(number).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.next_at).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.settled_at).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.step).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.expires_at).collect::<Vec<_>>())
    .fetch_all(connection)
    .await?;
    Ok(settled.into_iter().filter_map(|(id, readable)| readable.then_some(id)).collect())
}

async fn insert_attempts(
    connection: &mut PgConnection,
    attempts: &[(String, &Attempt)],
    readable: &HashSet<String>,
) -> Result<(), StoreError> {
    if attempts.is_empty() {
        return Ok(());
    }
    let response = |(id, attempt): &(String, &Attempt)| attempt.response.clone().filter(|_| readable.contains(id));
    sqlx::query(
        "INSERT INTO attempts (delivery_id, number, started_at, duration_ms, status_code, error, response) \
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::text[], \
         $7::text[]) ON CONFLICT (delivery_id, number) DO NOTHING",
    )
    .bind(attempts.iter().map(|(id, _)| &**id).collect::<Vec<_>>())
    .bind(attempts.iter().map(|(_, attempt)| attempt.number).collect::<Vec<_>>())
    .bind(attempts.iter().map(|(_, attempt)| attempt.started_at).collect::<Vec<_>>())
    .bind(attempts.iter().map(|(_, attempt)| attempt.duration_ms).collect::<Vec<_>>())
    .bind(attempts.iter().map(|(_, attempt)| attempt.status_code).collect::<Vec<_>>())
    .bind(attempts.iter().map(|(_, attempt)| attempt.error.as_deref()).collect::<Vec<_>>())
    .bind(attempts.iter().map(response).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

/// Records since when endpoints have been failing, if that changes.
pub(crate) async fn note_streaks(connection: &mut PgConnection, streaks: &[Streak]) -> Result<(), StoreError> {
    sqlx::query(
        // A success that closes an open breaker increments `resets`, so that every process notices.
        "WITH changed AS MATERIALIZED (SELECT known.webhook_id, since, anew, fails, status, error \
         FROM webhook_progress AS known \
         JOIN unnest($1::text[], $2::timestamptz[], $3::boolean[], $4::bigint[], $5::bigint[], $6::text[]) \
         AS streak (webhook_id, since, anew, fails, status, error) USING (webhook_id) \
         WHERE known.webhook_id = ANY($1) \
         AND (since IS NOT NULL OR failing_since IS NOT NULL OR open_until IS NOT NULL OR failures > 0) \
         ORDER BY known.webhook_id FOR UPDATE OF known) \
         UPDATE webhook_progress SET \
         failing_since = CASE WHEN anew OR failing_since IS NULL THEN since ELSE failing_since END, \
         failures = CASE WHEN anew THEN fails ELSE failures + fails END, \
         last_status = CASE WHEN since IS NULL THEN last_status ELSE status END, \
         last_error = CASE WHEN since IS NULL THEN last_error ELSE error END, \
         resets = CASE WHEN anew AND open_until IS NOT NULL THEN resets + 1 ELSE resets END, \
         open_until = CASE WHEN anew THEN NULL ELSE open_until END \
         FROM changed WHERE webhook_progress.webhook_id = changed.webhook_id",
    )
    .bind(streaks.iter().map(|streak| streak.webhook_id.to_string()).collect::<Vec<_>>())
    .bind(streaks.iter().map(|streak| streak.since).collect::<Vec<_>>())
    .bind(streaks.iter().map(|streak| streak.anew).collect::<Vec<_>>())
    .bind(streaks.iter().map(|streak| streak.failures).collect::<Vec<_>>())
    .bind(streaks.iter().map(|streak| streak.last_status).collect::<Vec<_>>())
    .bind(streaks.iter().map(|streak| streak.last_error.as_deref()).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

/// Locks up to `limit` due deliveries, and returns their ids and endpoints, except those of the endpoints in `except`. Skips rows
/// that another process is leasing.
pub(crate) async fn due(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    limit: i64,
    except: &[String],
) -> Result<Vec<(String, String)>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT id, webhook_id FROM deliveries WHERE status = 'pending' AND next_at <= $1 AND webhook_id <> ALL($3) \
         ORDER BY next_at, position LIMIT $2 FOR UPDATE SKIP LOCKED",
    )
    .bind(now)
    .bind(limit)
    .bind(except)
    .fetch_all(connection)
    .await?)
}

/// Leases those of these deliveries that are due, until `until`.
pub(crate) async fn lease(
    connection: &mut PgConnection,
    ids: &[String],
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Vec<DeliveryRow>, StoreError> {
    Ok(read_rows(sqlx::query(
        // The concatenation as in `write_outcomes`.
        "UPDATE deliveries SET next_at = $3, waits_for = NULL \
         WHERE id = ANY($1) AND status || '' = 'pending' AND next_at <= $2 \
         RETURNING id, webhook_id, agent_id, position, type, attempts, step, previous, expires_at, \
         (SELECT resets FROM webhook_progress WHERE webhook_progress.webhook_id = deliveries.webhook_id) AS resets, \
         (SELECT open_until FROM webhook_progress WHERE webhook_progress.webhook_id = deliveries.webhook_id) AS open_until",
    )
    .bind(ids)
    .bind(now)
    .bind(until)
    .fetch_all(connection)
    .await?)?)
}

/// Releases leased deliveries: they become due at `at`. `waits_for` records the reason.
pub(crate) async fn release_deliveries(
    connection: &mut PgConnection,
    ids: &[String],
    at: DateTime<Utc>,
    waits_for: Option<&str>,
) -> Result<(), StoreError> {
    // The concatenation as in `write_outcomes`.
    sqlx::query(
        "UPDATE deliveries SET next_at = CASE WHEN $3::text = 'breaker' AND NOT EXISTS (SELECT 1 FROM webhook_progress \
         WHERE webhook_progress.webhook_id = deliveries.webhook_id AND open_until IS NOT NULL) THEN created_at ELSE $2 END, \
         waits_for = $3 \
         WHERE id = ANY($1) AND status || '' = 'pending'",
    )
        .bind(ids)
        .bind(at)
        .bind(waits_for)
        .execute(connection)
        .await?;
    Ok(())
}

/// The endpoints of recipients of these audiences since a position, ordered by endpoint id.
pub(crate) async fn subscribers<'c>(
    executor: impl PgExecutor<'c>,
    audiences: &[String],
    since: i64,
) -> Result<Vec<SubscriberRow>, StoreError> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT audience, recipient, began, ended, webhooks.id AS webhook_id, webhooks.agent_id, events, filter \
             FROM {AUDIENCES} JOIN webhooks ON webhooks.agent_id = recipient AND url IS NOT NULL AND disabled_reason IS NULL \
             JOIN agents ON agents.id = recipient AND agents.active \
             WHERE audience = ANY($1) AND (ended IS NULL OR ended > $2) ORDER BY webhooks.id"
        )
    });
    Ok(read_rows(sqlx::query(&STATEMENT).bind(audiences).bind(since).fetch_all(executor).await?)?)
}

pub(crate) async fn insert_pushed_events(connection: &mut PgConnection, rows: &[PushedRow]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO pushed_events (position, audience, type, actor_id) \
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[])",
    )
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.audience).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.push_type.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.actor_id.as_deref()).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
