//! What only PostgreSQL does: opening, bulk writes, claims. The counterpart of [`crate::sqlite`], name by name.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::{Connection, PgConnection, postgres::PgPoolOptions};

use crate::{
    Answer, StoreError, StoredAnswer, Ticket,
    db::Db,
    deliveries::{DeliveryRow, NewDelivery, Outcome},
    log::EventRow,
    messages::{MessageRow, WorkspaceGrowth},
};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations/postgres");

/// The channel on which every batch is announced.
pub(crate) const CHANNEL: &str = "buildtrack_log";

pub(crate) async fn open(url: &str) -> Result<Db, StoreError> {
    let pool = PgPoolOptions::new()
        .max_connections(16)
        .acquire_timeout(Duration::from_secs(10))
        .test_before_acquire(false)
        .connect(url)
        .await;
    let pool = match pool {
        // The pool waits for a server that is starting up, and does not tell what it waited for.
        Err(sqlx::Error::PoolTimedOut) => return Err(refusal(url).await.into()),
        pool => pool?,
    };
    // The migrator holds an advisory lock, so that replicas may start together.
    MIGRATIONS.run(&pool).await?;
    Ok(Db::Postgres(pool))
}

/// Why there is no connection.
async fn refusal(url: &str) -> sqlx::Error {
    let connecting = tokio::time::timeout(Duration::from_secs(1), PgConnection::connect(url)).await;
    connecting.map_or(sqlx::Error::PoolTimedOut, |answer| answer.err().unwrap_or(sqlx::Error::PoolTimedOut))
}

pub(crate) async fn insert_events(connection: &mut PgConnection, rows: &[EventRow]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO events (position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash) \
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bytea[], \
         $7::bytea[], $8::text[], $9::timestamptz[], $10::bytea[])",
    )
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.stream).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.version).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.event_type).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.data).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &row.salt[..]).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &row.data_hash[..]).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.metadata).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.recorded_at).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &row.hash[..]).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

pub(crate) async fn insert_messages(connection: &mut PgConnection, rows: &[MessageRow<'_>]) -> Result<(), StoreError> {
    let text = |pick: fn(&MessageRow<'_>) -> String| rows.iter().map(pick).collect::<Vec<_>>();
    sqlx::query(
        "INSERT INTO messages (id, position, workspace_id, author_id, author_name, author_type, author_model, kind, \
         content, reply_to, upvotes, redacted, created_at) \
         SELECT id, position, workspace_id, author_id, author_name, author_type, author_model, kind, content, reply_to, \
         0, false, created_at FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], \
         $7::text[], $8::text[], $9::text[], $10::text[], $11::timestamptz[]) AS rows (id, position, workspace_id, \
         author_id, author_name, author_type, author_model, kind, content, reply_to, created_at)",
    )
    .bind(text(|row| row.posted.message_id.to_string()))
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(text(|row| row.posted.workspace_id.to_string()))
    .bind(text(|row| row.posted.author.id.to_string()))
    .bind(rows.iter().map(|row| &*row.posted.author.name).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.posted.author.kind.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.posted.author.model.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.posted.kind.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.posted.content).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.posted.reply_to.map(|id| id.to_string())).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.recorded_at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

pub(crate) async fn grow_workspaces(connection: &mut PgConnection, rows: &[WorkspaceGrowth]) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE workspaces SET message_count = message_count + messages, \
         active_position = greatest(active_position, grown.position), \
         updated_at = CASE WHEN active_position < grown.position THEN grown.recorded_at ELSE updated_at END \
         FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::timestamptz[]) \
         AS grown (workspace_id, messages, position, recorded_at) WHERE id = workspace_id",
    )
    .bind(rows.iter().map(|row| &*row.workspace_id).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.messages).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.recorded_at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

/// The answers that still count, by scope.
pub(crate) async fn answers(
    connection: &mut PgConnection,
    scopes: &[&str],
    now: DateTime<Utc>,
) -> Result<Vec<StoredAnswer>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT scope, fingerprint, status, location, body, withheld FROM answers \
         WHERE scope = ANY($1) AND expires_at > $2",
    )
    .bind(scopes)
    .bind(now)
    .fetch_all(connection)
    .await?)
}

/// Stores answers, in the place of those whose time is over.
pub(crate) async fn insert_answers(
    connection: &mut PgConnection,
    rows: &[(&Ticket, &Answer)],
    expires_at: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO answers (scope, fingerprint, status, location, body, withheld, subject, expires_at) \
         SELECT rows.*, $8 FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], \
         $7::text[]) AS rows ON CONFLICT (scope) DO UPDATE SET fingerprint = excluded.fingerprint, \
         status = excluded.status, location = excluded.location, body = excluded.body, withheld = excluded.withheld, \
         subject = excluded.subject, expires_at = excluded.expires_at",
    )
    .bind(rows.iter().map(|(ticket, _)| &*ticket.scope).collect::<Vec<_>>())
    .bind(rows.iter().map(|(ticket, _)| &*ticket.fingerprint).collect::<Vec<_>>())
    .bind(rows.iter().map(|(_, answer)| i64::from(answer.status)).collect::<Vec<_>>())
    .bind(rows.iter().map(|(_, answer)| answer.location.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|(_, answer)| answer.storable()).collect::<Vec<_>>())
    .bind(rows.iter().map(|(_, answer)| answer.withheld.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|(_, answer)| answer.subject.as_deref()).collect::<Vec<_>>())
    .bind(expires_at)
    .execute(connection)
    .await?;
    Ok(())
}

/// The versions of streams; one that is not there is missing in the answer.
pub(crate) async fn versions(
    connection: &mut PgConnection,
    streams: &[&str],
) -> Result<Vec<(String, i64)>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT stream, version FROM unnest($1::text[]) AS wanted (name) CROSS JOIN LATERAL \
         (SELECT stream, version FROM events WHERE stream = name ORDER BY version DESC LIMIT 1) AS latest",
    )
    .bind(streams)
    .fetch_all(connection)
    .await?)
}

pub(crate) async fn lock_head(connection: &mut PgConnection) -> Result<(i64, Vec<u8>, DateTime<Utc>), StoreError> {
    // Whoever holds this row appends; after a wait the row is read anew, so it is the newest head.
    Ok(sqlx::query_as("SELECT position, hash, recorded_at FROM log_head FOR UPDATE").fetch_one(connection).await?)
}

pub(crate) async fn insert_deliveries(
    connection: &mut PgConnection,
    rows: &[NewDelivery],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO deliveries (id, webhook_id, agent_id, position, type, status, attempts, next_at, created_at) \
         SELECT id, webhook_id, agent_id, position, type, 'pending', 0, next_at, $7 FROM unnest($1::text[], $2::text[], \
         $3::text[], $4::bigint[], $5::text[], $6::timestamptz[]) \
         AS rows (id, webhook_id, agent_id, position, type, next_at) ON CONFLICT (position, webhook_id) DO NOTHING",
    )
    .bind(rows.iter().map(|row| row.id.to_string()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.webhook_id.to_string()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.agent_id.to_string()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.push_type.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.next_at).collect::<Vec<_>>())
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Records what became of attempts; a delivery that was cancelled meanwhile stays so.
pub(crate) async fn settle(connection: &mut PgConnection, outcomes: &[Outcome]) -> Result<(), StoreError> {
    let ids: Vec<_> = outcomes.iter().map(|outcome| outcome.delivery_id.to_string()).collect();
    let numbers: Vec<_> = outcomes.iter().map(|outcome| outcome.attempt.number).collect();
    sqlx::query(
        "UPDATE deliveries SET status = outcome.status, attempts = outcome.number, next_at = outcome.next_at, \
         settled_at = outcome.settled_at FROM unnest($1::text[], $2::bigint[], $3::text[], $4::timestamptz[], \
         $5::timestamptz[]) AS outcome (id, number, status, next_at, settled_at) \
         WHERE deliveries.id = outcome.id AND deliveries.status = 'pending'",
    )
    .bind(&ids)
    .bind(&numbers)
    .bind(outcomes.iter().map(|outcome| outcome.status.as_str()).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.next_at).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.settled_at).collect::<Vec<_>>())
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO attempts (delivery_id, number, started_at, duration_ms, status_code, error) \
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::text[]) \
         ON CONFLICT (delivery_id, number) DO NOTHING",
    )
    .bind(&ids)
    .bind(&numbers)
    .bind(outcomes.iter().map(|outcome| outcome.attempt.started_at).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.attempt.duration_ms).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.attempt.status_code).collect::<Vec<_>>())
    .bind(outcomes.iter().map(|outcome| outcome.attempt.error.as_deref()).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes due deliveries until `until`; what another process is taking is passed over.
pub(crate) async fn claim_due(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<DeliveryRow>, StoreError> {
    Ok(sqlx::query_as(
        // A CTE is run once; a subquery may be run anew for each row, and would take more than the limit.
        "WITH due AS MATERIALIZED (SELECT id FROM deliveries WHERE status = 'pending' AND next_at <= $1 \
         ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED) \
         UPDATE deliveries SET next_at = $2 FROM due WHERE deliveries.id = due.id \
         RETURNING deliveries.id, webhook_id, agent_id, position, type, attempts",
    )
    .bind(now)
    .bind(until)
    .bind(limit)
    .fetch_all(connection)
    .await?)
}

/// Makes an empty copy of a read table that hides it on this connection.
pub(crate) async fn shadow(connection: &mut PgConnection, table: &str) -> Result<(), StoreError> {
    let statement = format!("CREATE TEMP TABLE {table} (LIKE public.{table} INCLUDING ALL)");
    sqlx::query(&statement).execute(connection).await?;
    Ok(())
}

/// A table's rows as JSON texts, in the order of the first columns.
pub(crate) async fn rows_as_text(
    connection: &mut PgConnection,
    table: &str,
    order: &str,
) -> Result<Vec<String>, StoreError> {
    let statement = format!("SELECT row_to_json(shown)::text FROM {table} AS shown ORDER BY {order}");
    Ok(sqlx::query_scalar(&statement).fetch_all(connection).await?)
}
