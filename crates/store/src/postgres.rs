//! Statements and connections specific to PostgreSQL: opening, bulk writes, claims. Mirrors [`crate::sqlite`] function by function.

use std::{
    collections::{BTreeSet, HashMap},
    net::IpAddr,
    time::Duration,
};

use buildtrack_domain::actors::ActorId;
use chrono::{DateTime, SecondsFormat, Utc};
use futures_util::TryStreamExt;
use sqlx::{
    ConnectOptions, Connection, Either, Executor, FromRow, PgConnection, PgExecutor,
    postgres::{PgConnectOptions, PgRow, PgSslMode},
};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    Answer, StoreError, StoredAnswer, Ticket,
    consumers::Progress,
    db::Db,
    hearers::SubscriberRow,
    inbox::{BearerRow, ItemRow},
    log::{
        EventRow, LoggedEvent,
        commit_notification::CommitNotification,
        head::{Found, Head},
    },
    messages::{MessageRow, WorkspaceGrowth},
    places::PlaceRow,
};

mod deliveries;
mod pool;
mod relay;
mod reputation;
mod search;
mod totals;

pub(crate) use deliveries::*;
pub(crate) use pool::{Pool, in_time, silent};
pub(crate) use relay::*;
pub(crate) use reputation::*;
pub(crate) use search::*;
pub(crate) use totals::*;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations/postgres");

/// The notification channel for commits.
pub(crate) const CHANNEL: &str = "buildtrack_log";

/// Planner settings. Prepared statements keep plans that PostgreSQL made while a table was small, which scan the whole table. Every
/// statement here finds its rows through an index, so sequential scans are disabled at any size. JIT compilation is disabled,
/// because high cost estimates of unavoidable scans would trigger it.
const PLANS: [(&str, &str); 4] =
    [("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("jit", "off")];
/// Uses one generic plan for each prepared statement. A plan for each run's parameters would take longer than running the
/// statement, and would use the same index.
const GENERIC_PLANS: &str = "SET plan_cache_mode = force_generic_plan";
const GENERIC: [(&str, &str); 1] = [("plan_cache_mode", "force_generic_plan")];
/// How many connections answer reads.
const READERS: usize = 16;
/// How many connections answer the few statements that consumers of the log run all day.
const FREQUENT: usize = 2;
/// Compresses long values with LZ4 if this PostgreSQL was built with it. The default method takes longer than all other work on a
/// long text.
const PACKING: &str = "SELECT set_config(name, 'lz4', false) FROM pg_settings \
     WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)";
/// Makes a backslash in a string literal an ordinary character.
const QUOTING: (&str, &str) = ("standard_conforming_strings", "on");

/// How long the first connection may take. An operator sees a wrong address within 2 s.
const REACH: Duration = Duration::from_millis(1500);
/// How long the start waits for a server that does not answer yet.
const STARTING: Duration = Duration::from_secs(10);
/// The pause between two tries.
const AGAIN: Duration = Duration::from_millis(500);

pub(crate) async fn open(url: &str) -> Result<Db, StoreError> {
    let options = connect_options(url)?.options(PLANS).options([QUOTING]);
    let mut connection = reach(&options).await?;
    // The migrator holds an advisory lock, so that replicas may start together.
    MIGRATIONS.run(&mut connection).await?;
    connection.close().await?;
    let reads = Pool::new(options.clone(), &[], READERS)?;
    Ok(Db::Postgres { reads, frequent: Pool::new(options, &GENERIC, FREQUENT)? })
}

/// Opens the first connection. A server that refuses the user aborts the start at once. An unreachable server may be starting up, so
/// the connection is retried for [`STARTING`].
async fn reach(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    let begun = Instant::now();
    let mut warned = false;
    loop {
        match first_connection(options).await {
            Err(error @ StoreError::Unreachable { .. }) if begun.elapsed() < STARTING => {
                if !std::mem::replace(&mut warned, true) {
                    tracing::warn!("{error}; retrying for {} s", STARTING.as_secs());
                }
                sleep(AGAIN).await;
            }
            outcome => return outcome,
        }
    }
}

async fn first_connection(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    match timeout(REACH, PgConnection::connect_with(options)).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(refusal(options, error)),
        Err(_) => {
            let reason = format!("no answer within {REACH:?}");
            Err(StoreError::Unreachable { address: address_of(options), reason })
        }
    }
}

/// Maps a connection error: the server is unreachable or not ready, or it refuses the user.
fn refusal(options: &PgConnectOptions, error: sqlx::Error) -> StoreError {
    // PostgreSQL's classes: 28, invalid authorization; 3D, no such database; 42501, no right to connect.
    const DENIED: [&str; 3] = ["28", "3D", "42501"];
    let address = address_of(options);
    match error {
        sqlx::Error::Database(error) => {
            let (code, reason) = (error.code().unwrap_or_default(), error.message().to_owned());
            if DENIED.iter().any(|class| code.starts_with(class)) {
                StoreError::AccessDenied { address, user: options.get_username().to_owned(), reason }
            } else {
                // For example a server that is starting up, or that has reached its connection limit.
                StoreError::Unreachable { address, reason }
            }
        }
        sqlx::Error::Io(error) => StoreError::Unreachable { address, reason: error.to_string() },
        error => error.into(),
    }
}

fn address_of(options: &PgConnectOptions) -> String {
    format!("{}:{}", options.get_host(), options.get_port())
}

/// Connection options for the address. A local connection uses no TLS unless the address or the environment asks for it: a commit
/// takes several round trips, and each would be encrypted twice.
fn connect_options(url: &str) -> Result<PgConnectOptions, StoreError> {
    let options = url.parse::<PgConnectOptions>()?;
    let host = options.get_host();
    let here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let asked = url.contains("sslmode=") || url.contains("ssl-mode=") || std::env::var_os("PGSSLMODE").is_some();
    Ok(if here && !asked { options.ssl_mode(PgSslMode::Disable) } else { options })
}

pub(crate) async fn insert_events(connection: &mut PgConnection, rows: &[EventRow]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO events (position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
         sealed) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bytea[], \
         $7::bytea[], $8::text[], $9::timestamptz[], $10::bytea[], $11::boolean[])",
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
    .bind(rows.iter().map(|row| row.sealed).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

/// The events at these positions, in order. Hidden events have no data.
pub(crate) async fn logged_at<'c>(
    executor: impl PgExecutor<'c>,
    positions: &[i64],
) -> Result<Vec<LoggedEvent>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT position, stream, version, type, \
         CASE WHEN EXISTS (SELECT 1 FROM hidings WHERE subject = stream) THEN NULL ELSE data END AS data, \
         salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position = ANY($1) ORDER BY position",
    )
    .bind(positions)
    .fetch_all(executor)
    .await?)
}

/// The events of these streams, and the events located in the entities they are named after, in order.
pub(crate) async fn logged_in(pool: &Pool, streams: &[String]) -> Result<Vec<LoggedEvent>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position IN (SELECT position FROM events WHERE stream = ANY($1) \
         UNION SELECT position FROM places WHERE place = ANY($1)) ORDER BY position",
    )
    .bind(streams)
    .fetch_all(pool)
    .await?)
}

/// The endpoints of members of these audiences since a position, ordered by endpoint id.
pub(crate) async fn subscribers<'c>(
    executor: impl PgExecutor<'c>,
    circles: &[String],
    since: i64,
) -> Result<Vec<SubscriberRow>, StoreError> {
    Ok(sqlx::query_as(
        "WITH hearers AS (SELECT workspace_id AS circle, member_id AS hearer, joined_position AS since, \
         left_position AS until FROM memberships WHERE workspace_id = ANY($1) \
         AND (left_position IS NULL OR left_position > $2) UNION ALL \
         SELECT post_id, participant_id, position + 1, NULL FROM participations WHERE post_id = ANY($1) UNION ALL \
         SELECT id, id, position, NULL FROM agents WHERE id = ANY($1)) \
         SELECT circle, hearer, since, until, webhooks.id AS webhook_id, webhooks.agent_id, events, filter FROM hearers \
         JOIN webhooks ON webhooks.agent_id = hearer AND url IS NOT NULL AND disabled_reason IS NULL \
         JOIN agents ON agents.id = hearer AND agents.active ORDER BY webhooks.id",
    )
    .bind(circles)
    .bind(since)
    .fetch_all(executor)
    .await?)
}

/// Inserts messages and updates their workspaces' counters, in one round trip.
pub(crate) async fn insert_messages(
    connection: &mut PgConnection,
    rows: &[MessageRow<'_>],
    growth: &[WorkspaceGrowth],
) -> Result<(), StoreError> {
    let text = |pick: fn(&MessageRow<'_>) -> String| rows.iter().map(pick).collect::<Vec<_>>();
    sqlx::query(
        "WITH posted AS (INSERT INTO messages (id, position, workspace_id, author_id, author_name, author_type, \
         author_model, kind, content, reply_to, upvotes, redacted, created_at) \
         SELECT id, position, workspace_id, author_id, author_name, author_type, author_model, kind, content, reply_to, \
         0, false, created_at FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], \
         $7::text[], $8::text[], $9::text[], $10::text[], $11::timestamptz[]) AS rows (id, position, workspace_id, \
         author_id, author_name, author_type, author_model, kind, content, reply_to, created_at)) \
         UPDATE workspaces SET message_count = message_count + messages, \
         active_position = greatest(active_position, grown.position), \
         updated_at = CASE WHEN active_position < grown.position THEN grown.recorded_at ELSE updated_at END \
         FROM unnest($12::text[], $13::bigint[], $14::bigint[], $15::timestamptz[]) \
         AS grown (workspace_id, messages, position, recorded_at) WHERE id = workspace_id",
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
    .bind(growth.iter().map(|row| &*row.workspace_id).collect::<Vec<_>>())
    .bind(growth.iter().map(|row| row.messages).collect::<Vec<_>>())
    .bind(growth.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(growth.iter().map(|row| row.recorded_at).collect::<Vec<_>>())
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

pub(crate) async fn insert_items(connection: &mut PgConnection, rows: &[ItemRow]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO inbox (recipient_id, position, kind, subject_id, read) \
         SELECT rows.*, false FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS rows",
    )
    .bind(rows.iter().map(|row| row.item.recipient.to_string()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.item.kind.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.item.subject).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

/// Marks these inbox items as read.
pub(crate) async fn read_items(
    connection: &mut PgConnection,
    recipient: &str,
    positions: &[i64],
) -> Result<(), StoreError> {
    sqlx::query("UPDATE inbox SET read = true WHERE recipient_id = $1 AND NOT read AND position = ANY($2)")
        .bind(recipient)
        .bind(positions)
        .execute(connection)
        .await?;
    Ok(())
}

/// Those of these positions that belong to unread inbox items.
pub(crate) async fn unread_among(pool: &Pool, recipient: ActorId, positions: &[i64]) -> Result<Vec<i64>, StoreError> {
    Ok(sqlx::query_scalar(
        "SELECT position FROM inbox WHERE recipient_id = $1 AND NOT read AND position = ANY($2) ORDER BY position",
    )
    .bind(recipient.to_string())
    .bind(positions)
    .fetch_all(pool)
    .await?)
}

/// The actors with one of these names, ordered by name.
pub(crate) async fn bearers_of(pool: &Pool, handles: &[String], limit: i64) -> Result<Vec<BearerRow>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT actor_id, handle FROM handles WHERE handle = ANY($1) \
         ORDER BY handle, actor_id LIMIT $2",
    )
    .bind(handles)
    .bind(limit)
    .fetch_all(pool)
    .await?)
}

/// Those of these actors that can be mentioned.
pub(crate) async fn bearers(pool: &Pool, ids: &[String]) -> Result<Vec<BearerRow>, StoreError> {
    let statement = "SELECT actor_id, handle FROM handles WHERE actor_id = ANY($1)";
    Ok(sqlx::query_as(statement).bind(ids).fetch_all(pool).await?)
}

/// The stored answers that have not expired, by scope.
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

/// Stores answers, replacing expired ones.
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

/// Named prepared statements of a writing connection. Statements that run in one text with others take no parameters, and would
/// otherwise be planned each time.
const PREPARED: &str = "PREPARE lock_head AS SELECT position, hash, recorded_at FROM log_head FOR UPDATE; \
     PREPARE move_head (bigint, bytea, timestamptz) AS UPDATE log_head SET position = $1, hash = $2, recorded_at = $3; \
     PREPARE versions (text[]) AS SELECT stream, version FROM unnest($1) AS wanted (name) CROSS JOIN LATERAL \
     (SELECT stream, version FROM events WHERE stream = name ORDER BY version DESC LIMIT 1) AS latest; \
     PREPARE lock_consumer (text) AS INSERT INTO consumers (name, position) VALUES ($1, 0) \
     ON CONFLICT (name) DO UPDATE SET position = consumers.position RETURNING position; \
     PREPARE consumed_beyond (text) AS SELECT first, last FROM consumed WHERE consumer = $1 ORDER BY first; \
     PREPARE move_consumer (text, bigint) AS UPDATE consumers SET position = $2 WHERE name = $1; \
     PREPARE forget_consumed (text) AS DELETE FROM consumed WHERE consumer = $1; \
     PREPARE note_consumed (text, bigint[], bigint[]) AS INSERT INTO consumed (consumer, first, last) \
     SELECT $1, * FROM unnest($2, $3)";

/// The server ends a transaction whose client sends no further statement for so long, as behind a frozen connection, and releases the
/// head's lock. It is shorter than the time limit of a batch, so that the other replicas' batches are still written.
const ABANDONED: &str = "SET idle_in_transaction_session_timeout = '8s'";

/// Opens a writing connection.
pub(crate) async fn open_writing(pool: &Pool) -> Result<PgConnection, StoreError> {
    let mut connection = pool.connect_options().connect().await?;
    connection.execute(&*format!("{GENERIC_PLANS}; {PACKING}; {ABANDONED}; {PREPARED}")).await?;
    Ok(connection)
}

/// Opens a connection outside the pool.
pub(crate) async fn open_reading(pool: &Pool) -> Result<PgConnection, StoreError> {
    Ok(pool.connect_options().connect().await?)
}

/// Begins a transaction in one round trip. If `streams` is given, it locks the head's row, which grants the right to append, and
/// reads it and the streams' versions. It locks the consumers' rows, and reads them with the ranges processed beyond. Separate
/// statements read after the locking ones, so that they see the last holder's writes.
pub(crate) async fn begin(
    connection: &mut PgConnection,
    streams: Option<&[&str]>,
    consumers: &BTreeSet<&'static str>,
) -> Result<Found, StoreError> {
    let mut statements = vec!["BEGIN".to_owned()];
    if let Some(streams) = streams {
        statements.push("EXECUTE lock_head".to_owned());
        statements.push(format!("EXECUTE versions ({})", array_literal(streams)));
    }
    for name in consumers.iter().map(|consumer| literal(consumer)) {
        statements.push(format!("EXECUTE lock_consumer ({name})"));
        statements.push(format!("EXECUTE consumed_beyond ({name})"));
    }
    let mut answers = answers_to(connection, &statements.join("; ")).await?.into_iter().skip(1);
    let mut answer = || answers.next().unwrap_or_default();
    let head = streams.map(|_| one(&answer(), "the log has no head")).transpose()?;
    let versions = if streams.is_some() { all(&answer())? } else { vec![] };
    let mut found = Found { head, versions, consumers: HashMap::new() };
    for consumer in consumers {
        let (position,) = one(&answer(), "a consumer's row is missing")?;
        found.consumers.insert(*consumer, (position, all(&answer())?));
    }
    Ok(found)
}

/// The versions of those streams that exist. Requires a writing connection.
pub(crate) async fn versions(
    connection: &mut PgConnection,
    streams: &[&str],
) -> Result<Vec<(String, i64)>, StoreError> {
    let statement = format!("EXECUTE versions ({})", array_literal(streams));
    all(&answers_to(connection, &statement).await?.into_iter().flatten().collect::<Vec<_>>())
}

/// The rows of each of several statements.
async fn answers_to(connection: &mut PgConnection, statements: &str) -> Result<Vec<Vec<PgRow>>, sqlx::Error> {
    let mut parts = connection.fetch_many(statements);
    let (mut answers, mut rows) = (Vec::new(), Vec::new());
    while let Some(part) = parts.try_next().await? {
        match part {
            Either::Left(_) => answers.push(std::mem::take(&mut rows)),
            Either::Right(row) => rows.push(row),
        }
    }
    Ok(answers)
}

fn one<T: for<'r> FromRow<'r, PgRow>>(rows: &[PgRow], missing: &str) -> Result<T, StoreError> {
    let row = rows.first().ok_or_else(|| StoreError::Damaged(missing.into()))?;
    Ok(T::from_row(row)?)
}

fn all<T: for<'r> FromRow<'r, PgRow>>(rows: &[PgRow]) -> Result<Vec<T>, StoreError> {
    Ok(rows.iter().map(T::from_row).collect::<Result<_, _>>()?)
}

/// A text as an SQL string literal.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A text array as an SQL literal.
fn array_literal(texts: &[&str]) -> String {
    let quoted = |text: &&str| format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""));
    let elements = texts.iter().map(quoted).collect::<Vec<_>>().join(",");
    literal(&format!("{{{elements}}}"))
}

/// Advances the consumers that [`begin`] has locked, advances the head, sends the notification, and commits, in one round trip.
pub(crate) async fn conclude(
    connection: &mut PgConnection,
    progress: &HashMap<&'static str, Progress>,
    head: Option<(&Head, &CommitNotification)>,
) -> Result<(), StoreError> {
    let mut statements = vec![];
    for (consumer, Progress { position, beyond, stored }) in progress {
        let consumer = literal(consumer);
        statements.push(format!("EXECUTE move_consumer ({consumer}, {position})"));
        if *stored {
            statements.push(format!("EXECUTE forget_consumed ({consumer})"));
        }
        if !beyond.is_empty() {
            let (first, last): (Vec<_>, Vec<_>) = beyond.iter().copied().unzip();
            statements.push(format!("EXECUTE note_consumed ({consumer}, ARRAY{first:?}, ARRAY{last:?})"));
        }
    }
    if let Some((Head { position, hash, recorded_at }, notification)) = head {
        let (hash, recorded_at) = (hex::encode(hash), recorded_at.to_rfc3339_opts(SecondsFormat::Micros, true));
        statements.push(format!("EXECUTE move_head ({position}, '\\x{hash}', '{recorded_at}')"));
        statements.push(format!("NOTIFY {CHANNEL}, {}", literal(&notification.to_string())));
    }
    statements.push("COMMIT".to_owned());
    connection.execute(&*statements.join("; ")).await?;
    Ok(())
}

/// Creates an empty temporary copy of a read table, which shadows the table on this connection.
pub(crate) async fn shadow(connection: &mut PgConnection, table: &str) -> Result<(), StoreError> {
    let statement = format!("CREATE TEMP TABLE {table} (LIKE public.{table} INCLUDING ALL)");
    sqlx::query(&statement).execute(connection).await?;
    Ok(())
}

/// A table's rows as JSON texts, ordered by the key columns.
pub(crate) async fn rows_as_text(
    connection: &mut PgConnection,
    table: &str,
    order: &str,
) -> Result<Vec<String>, StoreError> {
    let statement = format!("SELECT row_to_json(shown)::text FROM {table} AS shown ORDER BY {order}");
    Ok(sqlx::query_scalar(&statement).fetch_all(connection).await?)
}

#[cfg(test)]
mod tests {
    use super::array_literal;

    #[test]
    fn quoting_characters_are_escaped() {
        assert_eq!(array_literal(&[]), "'{}'");
        assert_eq!(array_literal(&["ws_1", r#"a"b\c'd,{e}"#]), r#"'{"ws_1","a\"b\\c''d,{e}"}'"#);
    }
}
