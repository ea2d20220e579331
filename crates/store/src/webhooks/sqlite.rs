//! Statements of webhooks that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use buildtrack_domain::ids::WebhookId;
use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::{QueryBuilder, SqliteConnection, SqlitePool};

use super::deliveries::{Attempt, DeliveryRow, NewDelivery, Outcome, Streak};
use super::{pushed_events::PushedRow, subscribers::SubscriberRow};
use crate::{
    StoreError,
    audiences::AUDIENCES,
    database::{
        rows::read_rows,
        sqlite::{Row, Script, chunks, push_rows},
    },
};

/// Inserts deliveries that do not exist yet. Returns each one's id with the position of the previous delivery of its endpoint.
pub(crate) async fn insert_deliveries(
    script: &mut Script<'_>,
    deliveries: &[&NewDelivery],
    now: DateTime<Utc>,
) -> Result<Vec<(String, Option<i64>)>, StoreError> {
    let key = |delivery: &NewDelivery| (delivery.position, delivery.webhook_id.to_string());
    let wanted: Vec<_> = deliveries.iter().map(|delivery| key(delivery)).collect();
    let known = known_deliveries(script.connection().await?, &wanted).await?;
    let new = deliveries.iter().zip(wanted).filter(|(_, key)| !known.contains(key));
    let mut placed: Vec<_> = new.map(|(delivery, _)| Placed { delivery, previous: None }).collect();
    if placed.is_empty() {
        return Ok(vec![]);
    }
    let last = placed.iter().map(|placed| (placed.delivery.webhook_id, placed.delivery.position)).collect();
    let before = move_last_positions(script.connection().await?, &last).await?;
    let mut behind: HashMap<WebhookId, i64> = HashMap::new();
    for Placed { delivery, previous } in &mut placed {
        let earlier = || before.get(&delivery.webhook_id.to_string()).copied().flatten();
        *previous = behind.insert(delivery.webhook_id, delivery.position).or_else(earlier);
    }
    insert_rows(script, &placed, now).await?;
    Ok(placed.iter().map(|placed| (placed.delivery.id.to_string(), placed.previous)).collect())
}

/// A delivery to insert, with the position of the previous delivery of its endpoint.
struct Placed<'d> {
    delivery: &'d NewDelivery,
    previous: Option<i64>,
}

/// Those of these deliveries (position and endpoint) that already exist.
async fn known_deliveries(
    connection: &mut SqliteConnection,
    wanted: &[(i64, String)],
) -> Result<HashSet<(i64, String)>, StoreError> {
    let rows: Vec<(i64, String)> = sqlx::query_as(
        "SELECT position, webhook_id FROM json_each($1) \
         JOIN deliveries ON position = value ->> 0 AND webhook_id = value ->> 1",
    )
    .bind(json!(wanted).to_string())
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().collect())
}

/// Advances the endpoints' last positions and returns the previous ones. SQLite has one writer, so no lock is needed.
async fn move_last_positions(
    connection: &mut SqliteConnection,
    last: &HashMap<WebhookId, i64>,
) -> Result<HashMap<String, Option<i64>>, StoreError> {
    let rows: Vec<(String, i64)> = last.iter().map(|(id, position)| (id.to_string(), *position)).collect();
    let rows = json!(rows).to_string();
    let before: Vec<(String, Option<i64>)> = sqlx::query_as(
        "SELECT webhook_id, last_position FROM json_each($1) JOIN webhook_progress ON webhook_id = value ->> 0",
    )
    .bind(&rows)
    .fetch_all(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO webhook_progress (webhook_id, last_position) SELECT value ->> 0, value ->> 1 FROM json_each($1) \
         WHERE true ON CONFLICT (webhook_id) DO UPDATE SET last_position = excluded.last_position",
    )
    .bind(&rows)
    .execute(connection)
    .await?;
    Ok(before.into_iter().collect())
}

async fn insert_rows(script: &mut Script<'_>, rows: &[Placed<'_>], now: DateTime<Utc>) -> Result<(), StoreError> {
    let into = "deliveries (id, webhook_id, agent_id, position, type, status, attempts, next_at, created_at, previous)";
    let bind = |row: &mut Row<'_>, Placed { delivery, previous }: &Placed<'_>| {
        row.push_bind(delivery.id.to_string())
            .push_bind(delivery.webhook_id.to_string())
            .push_bind(delivery.agent_id.to_string())
            .push_bind(delivery.position)
            .push_bind(delivery.push_type.as_str())
            .push_bind("pending")
            .push_bind(0_i64)
            .push_bind(delivery.next_at)
            .push_bind(now)
            .push_bind(*previous);
    };
    script.insert(into, 10, rows, bind, " ON CONFLICT (position, webhook_id) DO NOTHING").await
}

/// Records outcomes of attempts. A delivery that was cancelled meanwhile stays cancelled and stores no response. A delivery whose
/// event was redacted meanwhile stores no response either, even if it is pending again.
pub(crate) async fn record_outcomes(script: &mut Script<'_>, outcomes: &[Outcome]) -> Result<(), StoreError> {
    for chunk in chunks(outcomes) {
        let readable = write_outcomes(script.connection().await?, chunk).await?;
        let attempts: Vec<_> = chunk
            .iter()
            .filter_map(|outcome| Some((outcome.delivery_id.to_string(), outcome.attempt.as_ref()?)))
            .collect();
        insert_attempts(script, &attempts, &readable).await?;
    }
    Ok(())
}

/// Updates pending deliveries. Returns those whose event still has data.
async fn write_outcomes(
    connection: &mut SqliteConnection,
    outcomes: &[Outcome],
) -> Result<HashSet<String>, StoreError> {
    let mut query = QueryBuilder::new("WITH outcome (id, status, number, next_at, settled_at, step, expires_at) AS (");
    push_rows(&mut query, 7, outcomes, |row, outcome| {
        row.push_bind(outcome.delivery_id.to_string())
            .push_bind(outcome.status.as_str())
            .push_bind(outcome.attempt.as_ref().map(|attempt| attempt.number))
            .push_bind(outcome.next_at)
            .push_bind(outcome.settled_at)
            .push_bind(outcome.step)
            .push_bind(outcome.expires_at);
    });
    // The `+` keeps SQLite from using the index of pending deliveries, which would scan all of them.
    query.push(
        ") UPDATE deliveries SET status = outcome.status, attempts = coalesce(number, attempts), \
         next_at = outcome.next_at, settled_at = outcome.settled_at, step = outcome.step, \
         expires_at = coalesce(outcome.expires_at, deliveries.expires_at) FROM outcome \
         WHERE deliveries.id = outcome.id AND +deliveries.status = 'pending' RETURNING id, EXISTS \
         (SELECT 1 FROM events WHERE events.position = deliveries.position AND data IS NOT NULL)",
    );
    let settled: Vec<(String, bool)> = query.build_query_as().fetch_all(connection).await?;
    Ok(settled.into_iter().filter_map(|(id, readable)| readable.then_some(id)).collect())
}

async fn insert_attempts(
    script: &mut Script<'_>,
    attempts: &[(String, &Attempt)],
    readable: &HashSet<String>,
) -> Result<(), StoreError> {
    let into = "attempts (delivery_id, number, started_at, duration_ms, status_code, error, response)";
    let bind = |row: &mut Row<'_>, (id, attempt): &(String, &Attempt)| {
        row.push_bind(id.clone())
            .push_bind(attempt.number)
            .push_bind(attempt.started_at)
            .push_bind(attempt.duration_ms)
            .push_bind(attempt.status_code)
            .push_bind(attempt.error.clone())
            .push_bind(attempt.response.clone().filter(|_| readable.contains(id)));
    };
    script.insert(into, 7, attempts, bind, " ON CONFLICT (delivery_id, number) DO NOTHING").await
}

/// Records since when endpoints have been failing, if that changes.
pub(crate) async fn note_streaks(script: &mut Script<'_>, streaks: &[Streak]) -> Result<(), StoreError> {
    // A success that closes an open breaker increments `resets`, so that every process notices.
    let change = "UPDATE webhook_progress SET \
                  failing_since = CASE WHEN anew OR failing_since IS NULL THEN since ELSE failing_since END, \
                  failures = CASE WHEN anew THEN fails ELSE failures + fails END, \
                  last_status = CASE WHEN since IS NULL THEN last_status ELSE status END, \
                  last_error = CASE WHEN since IS NULL THEN last_error ELSE error END, \
                  resets = CASE WHEN anew AND open_until IS NOT NULL THEN resets + 1 ELSE resets END, \
                  open_until = CASE WHEN anew THEN NULL ELSE open_until END \
                  FROM streak WHERE webhook_id = id \
                  AND (since IS NOT NULL OR failing_since IS NOT NULL OR open_until IS NOT NULL OR failures > 0)";
    let bind = |row: &mut Row<'_>, streak: &Streak| {
        row.push_bind(streak.webhook_id.to_string())
            .push_bind(streak.since)
            .push_bind(streak.anew)
            .push_bind(streak.failures)
            .push_bind(streak.last_status)
            .push_bind(streak.last_error.clone());
    };
    script.change("streak (id, since, anew, fails, status, error)", 6, streaks, bind, change).await
}

/// The ids and endpoints of up to `limit` due deliveries, except those of the endpoints in `except`. One process owns the file, so no
/// other claims the same.
pub(crate) async fn due(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
    limit: i64,
    except: &[String],
) -> Result<Vec<(String, String)>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT id, webhook_id FROM deliveries WHERE status = 'pending' AND next_at <= $1 \
         AND webhook_id NOT IN (SELECT value FROM json_each($3)) ORDER BY next_at, position LIMIT $2",
    )
    .bind(now)
    .bind(limit)
    .bind(json!(except).to_string())
    .fetch_all(connection)
    .await?)
}

/// Leases those of these deliveries that are due, until `until`.
pub(crate) async fn lease(
    connection: &mut SqliteConnection,
    ids: &[String],
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Vec<DeliveryRow>, StoreError> {
    Ok(read_rows(sqlx::query(
        // The `+` as in `write_outcomes`.
        "UPDATE deliveries SET next_at = $3, waits_for = NULL \
         WHERE id IN (SELECT value FROM json_each($1)) AND +status = 'pending' AND next_at <= $2 \
         RETURNING id, webhook_id, agent_id, position, type, attempts, step, previous, expires_at, \
         (SELECT resets FROM webhook_progress WHERE webhook_progress.webhook_id = deliveries.webhook_id) AS resets, \
         (SELECT open_until FROM webhook_progress WHERE webhook_progress.webhook_id = deliveries.webhook_id) AS open_until",
    )
    .bind(json!(ids).to_string())
    .bind(now)
    .bind(until)
    .fetch_all(connection)
    .await?)?)
}

/// Releases leased deliveries: they become due at `at`. `waits_for` records the reason.
pub(crate) async fn release_deliveries(
    connection: &mut SqliteConnection,
    ids: &[String],
    at: DateTime<Utc>,
    waits_for: Option<&str>,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE deliveries SET next_at = CASE WHEN $3 = 'breaker' AND NOT EXISTS (SELECT 1 FROM webhook_progress \
         WHERE webhook_progress.webhook_id = deliveries.webhook_id AND open_until IS NOT NULL) THEN created_at ELSE $2 END, \
         waits_for = $3 \
         WHERE id IN (SELECT value FROM json_each($1)) AND status = 'pending'",
    )
    .bind(json!(ids).to_string())
    .bind(at)
    .bind(waits_for)
    .execute(connection)
    .await?;
    Ok(())
}

/// Parameters: a JSON list of audiences, and a position.
pub(super) static SUBSCRIBERS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT audience, recipient, began, ended, webhooks.id AS webhook_id, webhooks.agent_id, events, filter \
         FROM {AUDIENCES} \
         CROSS JOIN webhooks ON webhooks.agent_id = recipient AND url IS NOT NULL AND disabled_reason IS NULL \
         CROSS JOIN agents ON agents.id = recipient AND agents.active \
         WHERE audience IN (SELECT value FROM json_each($1)) AND (ended IS NULL OR ended > $2) ORDER BY webhooks.id"
    )
});

/// The endpoints of recipients of these audiences since a position, ordered by endpoint id.
pub(crate) async fn subscribers(
    pool: &SqlitePool,
    audiences: &[String],
    since: i64,
) -> Result<Vec<SubscriberRow>, StoreError> {
    Ok(read_rows(sqlx::query(&SUBSCRIBERS).bind(json!(audiences).to_string()).bind(since).fetch_all(pool).await?)?)
}

pub(crate) async fn insert_pushed_events(script: &mut Script<'_>, rows: &[PushedRow]) -> Result<(), StoreError> {
    let bind = |row: &mut Row<'_>, pushed: &PushedRow| {
        row.push_bind(pushed.position)
            .push_bind(pushed.audience.clone())
            .push_bind(pushed.push_type.as_str())
            .push_bind(pushed.actor_id.clone());
    };
    script.insert("pushed_events (position, audience, type, actor_id)", 4, rows, bind, "").await
}
