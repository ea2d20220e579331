//! What only PostgreSQL does: opening, bulk writes, claims. The counterpart of [`crate::sqlite`], name by name.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use sqlx::{
    Connection, Executor, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};

use crate::{
    Answer, StoreError, StoredAnswer, Ticket,
    db::Db,
    log::{
        EventRow, LoggedEvent,
        head::{Head, HeadRow},
    },
    messages::{MessageRow, WorkspaceGrowth},
    places::PlaceRow,
    webhooks::SubscriberRow,
};

mod deliveries;
mod search;

pub(crate) use deliveries::*;
pub(crate) use search::*;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations/postgres");

/// The channel on which every batch is announced.
pub(crate) const CHANNEL: &str = "buildtrack_log";

/// Statements are prepared once, and PostgreSQL keeps the plans that it made when a table was small: scans of all of it.
/// Everything here looks rows up by an index, so that is how they are planned at any size. Costs that are high because a
/// scan cannot be avoided must not start the compiler.
const PLANS: [(&str, &str); 4] =
    [("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("jit", "off")];

pub(crate) async fn open(url: &str) -> Result<Db, StoreError> {
    let options = url.parse::<PgConnectOptions>()?.options(PLANS);
    let pool = PgPoolOptions::new()
        .max_connections(16)
        .acquire_timeout(Duration::from_secs(10))
        .test_before_acquire(false)
        .connect_with(options)
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

/// The events at these positions, in order.
pub(crate) async fn logged_at(pool: &PgPool, positions: &[i64]) -> Result<Vec<LoggedEvent>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position = ANY($1) ORDER BY position",
    )
    .bind(positions)
    .fetch_all(pool)
    .await?)
}

/// The events of these streams, and those that belong to what they are named after, in order.
pub(crate) async fn logged_in(pool: &PgPool, streams: &[String]) -> Result<Vec<LoggedEvent>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position IN (SELECT position FROM events WHERE stream = ANY($1) \
         UNION SELECT position FROM places WHERE place = ANY($1)) ORDER BY position",
    )
    .bind(streams)
    .fetch_all(pool)
    .await?)
}

/// The endpoints of whoever belonged to one of these circles between two positions, in the order of their ids.
pub(crate) async fn subscribers(
    pool: &PgPool,
    circles: &[String],
    (first, last): (i64, i64),
) -> Result<Vec<SubscriberRow>, StoreError> {
    Ok(sqlx::query_as(
        "WITH hearers AS (SELECT workspace_id AS circle, member_id AS hearer, joined_position AS since, \
         left_position AS until FROM memberships WHERE workspace_id = ANY($1) AND joined_position <= $3 \
         AND (left_position IS NULL OR left_position > $2) UNION ALL \
         SELECT post_id, participant_id, position + 1, NULL FROM participations WHERE post_id = ANY($1) \
         AND position < $3) \
         SELECT circle, hearer, since, until, webhooks.id AS webhook_id, webhooks.agent_id, events, filter FROM hearers \
         JOIN webhooks ON webhooks.agent_id = hearer AND url IS NOT NULL AND disabled_reason IS NULL \
         JOIN agents ON agents.id = hearer AND agents.active ORDER BY webhooks.id",
    )
    .bind(circles)
    .bind(first)
    .bind(last)
    .fetch_all(pool)
    .await?)
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

pub(crate) async fn insert_places(connection: &mut PgConnection, rows: &[PlaceRow]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO places (place, position) SELECT * FROM unnest($1::text[], $2::bigint[]) ON CONFLICT DO NOTHING",
    )
    .bind(rows.iter().map(|row| &*row.place).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
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

/// Begins a transaction that holds the head's row, in one round trip. Whoever holds it appends.
pub(crate) async fn begin_locked(connection: &mut PgConnection) -> Result<(), StoreError> {
    connection.execute("BEGIN; SELECT FROM log_head FOR UPDATE").await?;
    Ok(())
}

/// The head, with the version of each stream that is there, in a row of its own.
pub(crate) async fn head_and_versions(
    connection: &mut PgConnection,
    streams: &[&str],
) -> Result<Vec<HeadRow>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT position, hash, recorded_at, stream, version FROM log_head LEFT JOIN LATERAL \
         (SELECT stream, version FROM unnest($1::text[]) AS wanted (name) CROSS JOIN LATERAL \
         (SELECT stream, version FROM events WHERE stream = name ORDER BY version DESC LIMIT 1) AS latest) \
         AS versions ON true",
    )
    .bind(streams)
    .fetch_all(connection)
    .await?)
}

/// Moves the head on, announces that, and commits, in one round trip.
pub(crate) async fn advance_and_commit(
    connection: &mut PgConnection,
    head: &Head,
    notice: &str,
) -> Result<(), StoreError> {
    // Several statements in one text take no parameters: two numbers, hex, and ids, in which nothing needs quoting.
    let Head { position, hash, recorded_at } = head;
    let (hash, recorded_at) = (hex::encode(hash), recorded_at.to_rfc3339_opts(SecondsFormat::Micros, true));
    let notice = notice.replace('\'', "");
    let statements = format!(
        "UPDATE log_head SET position = {position}, hash = '\\x{hash}', recorded_at = '{recorded_at}'; \
         NOTIFY {CHANNEL}, '{notice}'; COMMIT"
    );
    connection.execute(&*statements).await?;
    Ok(())
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
