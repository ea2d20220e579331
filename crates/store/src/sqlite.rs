//! Statements and connections specific to SQLite: opening, bulk writes, claims. Mirrors [`crate::postgres`] function by function.

use std::{
    collections::{BTreeSet, HashMap},
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use buildtrack_domain::actors::ActorId;
use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::{
    ConnectOptions, Connection, SqliteConnection, SqliteExecutor, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{
    Answer, StoreError, StoredAnswer, Ticket,
    consumers::Progress,
    db::Db,
    hearers::SubscriberRow,
    inbox::{BearerRow, ItemRow},
    log::{
        EventRow, LoggedEvent,
        head::{Found, Head},
    },
    messages::{MessageRow, WorkspaceGrowth},
    places::PlaceRow,
    server_lock::make_private_folder,
};

mod checkpoints;
mod deliveries;
mod relay;
mod reputation;
mod rows;
mod script;
mod search;
mod totals;

pub(crate) use checkpoints::checkpoint;
pub(crate) use deliveries::*;
pub(crate) use relay::*;
pub(crate) use reputation::*;
use rows::Row;
pub(crate) use script::Script;
pub(crate) use search::*;
pub(crate) use totals::*;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations/sqlite");

pub(crate) async fn open(path: &Path) -> Result<Db, StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let unusable = |error: std::io::Error| StoreError::folder(folder, error);
    make_private_folder(folder).map_err(unusable)?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10))
        // A background task checkpoints the write-ahead log. A writer does so only when the log reaches 16 MB.
        .pragma("wal_autocheckpoint", "4000")
        // Statements of many rows take up to a megabyte each.
        .statement_cache_capacity(64)
        .foreign_keys(false)
        // Deleted and redacted data are overwritten in the file.
        .pragma("secure_delete", "ON");
    // Several processes may start at once. The system releases the lock when the file is closed, or when the process ends.
    let lock = lock(folder.join("migrate.lock")).await.map_err(unusable)?;
    let mut connection = options.connect().await?;
    MIGRATIONS.run(&mut connection).await?;
    connection.close().await?;
    drop(lock);
    let readers = SqlitePoolOptions::new().max_connections(4).test_before_acquire(false);
    let readers = readers.idle_timeout(None).max_lifetime(None);
    let reading = options.clone().read_only(true).pragma("query_only", "ON").statement_cache_capacity(256);
    let readers = readers.connect_lazy_with(reading);
    // Statement logging would print many rows' placeholders. The writer logs slow batches itself.
    let options = options.disable_statement_logging();
    Ok(Db::Sqlite { options: Box::new(options), readers })
}

/// An empty in-memory database with one persistent connection.
pub(crate) async fn open_in_memory() -> Result<(SqlitePool, Db), StoreError> {
    let options = "sqlite::memory:".parse::<SqliteConnectOptions>()?.foreign_keys(false).statement_cache_capacity(256);
    let pool = SqlitePoolOptions::new().max_connections(1).min_connections(1).test_before_acquire(false);
    let pool = pool.idle_timeout(None).max_lifetime(None).connect_with(options.clone()).await?;
    MIGRATIONS.run(&pool).await?;
    Ok((pool.clone(), Db::Sqlite { options: Box::new(options), readers: pool }))
}

/// Waits on a blocking thread, because the lock's holder may need the runtime's threads to continue.
async fn lock(path: PathBuf) -> std::io::Result<File> {
    let locked = || {
        let file = File::create(path)?;
        file.lock()?;
        Ok(file)
    };
    tokio::task::spawn_blocking(locked).await.map_err(std::io::Error::other)?
}

pub(crate) async fn insert_events(script: &mut Script<'_>, rows: &[EventRow]) -> Result<(), StoreError> {
    let into = "events (position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, sealed)";
    let bind = |row: &mut Row<'_>, event: &EventRow| {
        row.push_bind(event.position)
            .push_bind(event.stream.to_string())
            .push_bind(event.version)
            .push_bind(event.event_type)
            .push_bind(event.data.clone())
            .push_bind(event.salt.to_vec())
            .push_bind(event.data_hash.to_vec())
            .push_bind(event.metadata.to_string())
            .push_bind(event.recorded_at)
            .push_bind(event.hash.to_vec())
            .push_bind(event.sealed);
    };
    script.insert(into, 11, rows, bind, "").await
}

/// Inserts messages and updates their workspaces' counters.
pub(crate) async fn insert_messages(
    script: &mut Script<'_>,
    rows: &[MessageRow<'_>],
    growth: &[WorkspaceGrowth],
) -> Result<(), StoreError> {
    let into = "messages (id, position, workspace_id, author_id, author_name, author_type, author_model, kind, \
                content, reply_to, upvotes, redacted, created_at)";
    let bind = |row: &mut Row<'_>, message: &MessageRow<'_>| {
        let posted = message.posted;
        row.push_bind(posted.message_id.to_string())
            .push_bind(message.position)
            .push_bind(posted.workspace_id.to_string())
            .push_bind(posted.author.id.to_string())
            .push_bind(posted.author.name.clone())
            .push_bind(posted.author.kind.as_str())
            .push_bind(posted.author.model.clone())
            .push_bind(posted.kind.as_str())
            .push_bind(posted.content.clone())
            .push_bind(posted.reply_to.map(|id| id.to_string()))
            .push_bind(0_i64)
            .push_bind(false)
            .push_bind(message.recorded_at);
    };
    script.insert(into, 13, rows, bind, "").await?;
    grow_workspaces(script, growth).await
}

pub(crate) async fn insert_items(script: &mut Script<'_>, rows: &[ItemRow]) -> Result<(), StoreError> {
    let into = "inbox (recipient_id, position, kind, subject_id, read)";
    let bind = |row: &mut Row<'_>, inserted: &ItemRow| {
        let ItemRow { position, item } = inserted;
        row.push_bind(item.recipient.to_string())
            .push_bind(*position)
            .push_bind(item.kind.as_str())
            .push_bind(item.subject.clone())
            .push_bind(false);
    };
    script.insert(into, 5, rows, bind, "").await
}

/// Marks these inbox items as read.
pub(crate) async fn read_items(
    connection: &mut SqliteConnection,
    recipient: &str,
    positions: &[i64],
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE inbox SET read = 1 WHERE recipient_id = $1 AND NOT read \
         AND position IN (SELECT value FROM json_each($2))",
    )
    .bind(recipient)
    .bind(json!(positions).to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// Those of these positions that belong to unread inbox items.
pub(crate) async fn unread_among(
    pool: &SqlitePool,
    recipient: ActorId,
    positions: &[i64],
) -> Result<Vec<i64>, StoreError> {
    Ok(sqlx::query_scalar(
        "SELECT position FROM inbox WHERE recipient_id = $1 AND NOT read \
         AND position IN (SELECT value FROM json_each($2)) ORDER BY position",
    )
    .bind(recipient.to_string())
    .bind(json!(positions).to_string())
    .fetch_all(pool)
    .await?)
}

/// The actors with one of these names, ordered by name.
pub(crate) async fn bearers_of(
    pool: &SqlitePool,
    handles: &[String],
    limit: i64,
) -> Result<Vec<BearerRow>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT actor_id, handle FROM handles WHERE handle IN (SELECT value FROM json_each($1)) \
         ORDER BY handle, actor_id LIMIT $2",
    )
    .bind(json!(handles).to_string())
    .bind(limit)
    .fetch_all(pool)
    .await?)
}

/// Those of these actors that can be mentioned.
pub(crate) async fn bearers(pool: &SqlitePool, ids: &[String]) -> Result<Vec<BearerRow>, StoreError> {
    let statement = "SELECT actor_id, handle FROM handles WHERE actor_id IN (SELECT value FROM json_each($1))";
    Ok(sqlx::query_as(statement).bind(json!(ids).to_string()).fetch_all(pool).await?)
}

pub(crate) async fn grow_workspaces(script: &mut Script<'_>, rows: &[WorkspaceGrowth]) -> Result<(), StoreError> {
    let change = "UPDATE OR FAIL workspaces SET message_count = message_count + messages, \
                  active_position = max(active_position, growth.position), \
                  updated_at = CASE WHEN active_position < growth.position THEN recorded_at ELSE updated_at END \
                  FROM growth WHERE id = workspace_id";
    let bind = |row: &mut Row<'_>, growth: &WorkspaceGrowth| {
        row.push_bind(growth.workspace_id.clone())
            .push_bind(growth.messages)
            .push_bind(growth.position)
            .push_bind(growth.recorded_at);
    };
    script.change("growth (workspace_id, messages, position, recorded_at)", 4, rows, bind, change).await
}

pub(crate) async fn insert_places(script: &mut Script<'_>, rows: &[PlaceRow]) -> Result<(), StoreError> {
    let bind = |row: &mut Row<'_>, place: &PlaceRow| {
        row.push_bind(place.place.clone()).push_bind(place.position);
    };
    script.insert("places (place, position)", 2, rows, bind, " ON CONFLICT DO NOTHING").await
}

/// The stored answers that have not expired, by scope.
pub(crate) async fn answers(
    connection: &mut SqliteConnection,
    scopes: &[&str],
    now: DateTime<Utc>,
) -> Result<Vec<StoredAnswer>, StoreError> {
    let scopes = serde_json::to_string(scopes).unwrap_or_default();
    Ok(sqlx::query_as(
        "SELECT scope, fingerprint, status, location, body, withheld FROM answers \
         WHERE scope IN (SELECT value FROM json_each($1)) AND expires_at > $2",
    )
    .bind(scopes)
    .bind(now)
    .fetch_all(connection)
    .await?)
}

/// Stores answers, replacing expired ones.
pub(crate) async fn insert_answers(
    script: &mut Script<'_>,
    rows: &[(&Ticket, &Answer)],
    expires_at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let into = "answers (scope, fingerprint, status, location, body, withheld, subject, expires_at)";
    let bind = |row: &mut Row<'_>, (ticket, answer): &(&Ticket, &Answer)| {
        row.push_bind(ticket.scope.clone())
            .push_bind(ticket.fingerprint.clone())
            .push_bind(i64::from(answer.status))
            .push_bind(answer.location.clone())
            .push_bind(answer.storable().map(str::to_owned))
            .push_bind(answer.withheld.clone())
            .push_bind(answer.subject.clone())
            .push_bind(expires_at);
    };
    let ending = " ON CONFLICT (scope) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status, \
                  location = excluded.location, body = excluded.body, withheld = excluded.withheld, \
                  subject = excluded.subject, expires_at = excluded.expires_at";
    script.insert(into, 8, rows, bind, ending).await
}

/// The events at these positions, in order. Hidden events have no data.
pub(crate) async fn logged_at<'c>(
    executor: impl SqliteExecutor<'c>,
    positions: &[i64],
) -> Result<Vec<LoggedEvent>, StoreError> {
    let positions = serde_json::to_string(positions).unwrap_or_default();
    Ok(sqlx::query_as(
        "SELECT position, stream, version, type, \
         CASE WHEN EXISTS (SELECT 1 FROM hidings WHERE subject = stream) THEN NULL ELSE data END AS data, \
         salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position IN (SELECT value FROM json_each($1)) ORDER BY position",
    )
    .bind(positions)
    .fetch_all(executor)
    .await?)
}

/// The events of these streams, and the events located in the entities they are named after, in order.
pub(crate) async fn logged_in(pool: &SqlitePool, streams: &[String]) -> Result<Vec<LoggedEvent>, StoreError> {
    let streams = serde_json::to_string(streams).unwrap_or_default();
    Ok(sqlx::query_as(
        "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position IN (SELECT position FROM events WHERE stream IN (SELECT value FROM json_each($1)) \
         UNION SELECT position FROM places WHERE place IN (SELECT value FROM json_each($1))) ORDER BY position",
    )
    .bind(streams)
    .fetch_all(pool)
    .await?)
}

/// Inserts logged events as they were read, for lookups.
pub(crate) async fn insert_logged(script: &mut Script<'_>, rows: &[LoggedEvent]) -> Result<(), StoreError> {
    let into = "events (position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
                redacted_by)";
    let bind = |row: &mut Row<'_>, event: &LoggedEvent| {
        row.push_bind(event.position)
            .push_bind(event.stream.clone())
            .push_bind(event.version)
            .push_bind(event.event_type.clone())
            .push_bind(event.data.clone())
            .push_bind(event.salt.clone())
            .push_bind(event.data_hash.clone())
            .push_bind(event.metadata.clone())
            .push_bind(event.recorded_at)
            .push_bind(event.hash.clone())
            .push_bind(event.redacted_by);
    };
    script.insert(into, 11, rows, bind, "").await
}

/// The endpoints of members of these audiences since a position, ordered by endpoint id.
pub(crate) async fn subscribers(
    pool: &SqlitePool,
    circles: &[String],
    since: i64,
) -> Result<Vec<SubscriberRow>, StoreError> {
    Ok(sqlx::query_as(
        "WITH hearers AS (SELECT workspace_id AS circle, member_id AS hearer, joined_position AS since, \
         left_position AS until FROM json_each($1) CROSS JOIN memberships ON workspace_id = value \
         AND (left_position IS NULL OR left_position > $2) UNION ALL \
         SELECT post_id, participant_id, position + 1, NULL FROM json_each($1) \
         CROSS JOIN participations ON post_id = value UNION ALL \
         SELECT agents.id, agents.id, agents.position, NULL FROM json_each($1) CROSS JOIN agents ON agents.id = value) \
         SELECT circle, hearer, since, until, webhooks.id AS webhook_id, webhooks.agent_id, events, filter FROM hearers \
         CROSS JOIN webhooks ON webhooks.agent_id = hearer AND url IS NOT NULL AND disabled_reason IS NULL \
         CROSS JOIN agents ON agents.id = hearer AND agents.active ORDER BY webhooks.id",
    )
    .bind(json!(circles).to_string())
    .bind(since)
    .fetch_all(pool)
    .await?)
}

/// The head's row, with the streams' versions as JSON.
type HeadRow = (i64, Vec<u8>, DateTime<Utc>, String);

/// The versions of those streams bound as `$1` that exist, as a JSON array of pairs.
macro_rules! versions {
    () => {
        "(SELECT json_group_array(json_array(name, version)) FROM (SELECT value AS name, \
         (SELECT max(version) FROM events WHERE stream = value) AS version FROM json_each($1)) \
         WHERE version IS NOT NULL)"
    };
}

fn pairs(versions: &str) -> Result<Vec<(String, i64)>, StoreError> {
    serde_json::from_str(versions).map_err(|error| StoreError::Damaged(error.to_string()))
}

/// The versions of those streams that exist.
pub(crate) async fn versions(
    connection: &mut SqliteConnection,
    streams: &[&str],
) -> Result<Vec<(String, i64)>, StoreError> {
    let statement = sqlx::query_scalar(concat!("SELECT ", versions!()));
    let versions: String = statement.bind(json!(streams).to_string()).fetch_one(connection).await?;
    pairs(&versions)
}

/// Begins a transaction, which holds the database's only write lock. If `streams` is given, it reads the head and the streams'
/// versions. It reads the consumers with the ranges processed beyond. A transaction that is not `synchronous` reaches the disk with
/// the next one that is.
pub(crate) async fn begin(
    connection: &mut SqliteConnection,
    synchronous: bool,
    streams: Option<&[&str]>,
    consumers: &BTreeSet<&'static str>,
) -> Result<Found, StoreError> {
    let mut found = Found { head: None, versions: vec![], consumers: HashMap::new() };
    if let Some(streams) = streams {
        // One row, because each row costs a round trip to SQLite's thread.
        let rows: Vec<HeadRow> = sqlx::query_as(concat!(
            "PRAGMA synchronous = FULL; BEGIN IMMEDIATE; SELECT position, hash, recorded_at, ",
            versions!(),
            " FROM log_head"
        ))
        .bind(json!(streams).to_string())
        .fetch_all(&mut *connection)
        .await?;
        let head = rows.into_iter().next().ok_or_else(|| StoreError::Damaged("the log has no head".into()));
        let (position, hash, recorded_at, versions) = head?;
        found.head = Some((position, hash, recorded_at));
        found.versions = pairs(&versions)?;
    } else {
        let begin = if synchronous {
            "PRAGMA synchronous = FULL; BEGIN IMMEDIATE"
        } else {
            "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE"
        };
        sqlx::query(begin).execute(&mut *connection).await?;
    }
    for consumer in consumers {
        let rows: Vec<(i64, Option<i64>, Option<i64>)> = sqlx::query_as(
            "SELECT position, first, last FROM consumers LEFT JOIN consumed ON consumer = name WHERE name = $1 \
             ORDER BY first",
        )
        .bind(consumer)
        .fetch_all(&mut *connection)
        .await?;
        let position = rows.first().map_or(0, |(position, ..)| *position);
        let beyond = rows.into_iter().filter_map(|(_, first, last)| first.zip(last)).collect();
        found.consumers.insert(*consumer, (position, beyond));
    }
    Ok(found)
}

/// Advances the consumers and the head, and commits.
pub(crate) async fn conclude(
    script: &mut Script<'_>,
    progress: &HashMap<&'static str, Progress>,
    head: Option<&Head>,
) -> Result<(), StoreError> {
    for (consumer, Progress { position, beyond, .. }) in progress {
        let query = script.statement();
        query
            .push("INSERT INTO consumers (name, position) VALUES (")
            .push_bind(*consumer)
            .push(", ")
            .push_bind(*position);
        query.push(") ON CONFLICT (name) DO UPDATE SET position = excluded.position");
        script.statement().push("DELETE FROM consumed WHERE consumer = ").push_bind(*consumer);
        let query = script.statement();
        query.push("INSERT INTO consumed (consumer, first, last) SELECT ").push_bind(*consumer);
        query.push(", value ->> 0, value ->> 1 FROM json_each(").push_bind(json!(beyond).to_string()).push(")");
    }
    if let Some(head) = head {
        let query = script.statement();
        query.push("UPDATE log_head SET position = ").push_bind(head.position);
        query.push(", hash = ").push_bind(head.hash.to_vec());
        query.push(", recorded_at = ").push_bind(head.recorded_at);
    }
    script.statement().push("COMMIT");
    script.flush().await
}

/// Creates an empty temporary copy of a read table, which shadows the table on this connection.
pub(crate) async fn shadow(connection: &mut SqliteConnection, table: &str) -> Result<(), StoreError> {
    let statements: Vec<(String,)> =
        sqlx::query_as("SELECT sql FROM main.sqlite_master WHERE tbl_name = $1 AND sql IS NOT NULL ORDER BY type DESC")
            .bind(table)
            .fetch_all(&mut *connection)
            .await?;
    for (statement,) in statements {
        let statement = statement
            .replacen("CREATE TABLE ", "CREATE TEMP TABLE ", 1)
            .replacen("CREATE INDEX ", "CREATE INDEX temp.", 1)
            .replacen("CREATE UNIQUE INDEX ", "CREATE UNIQUE INDEX temp.", 1);
        sqlx::query(&statement).execute(&mut *connection).await?;
    }
    Ok(())
}

/// A table's rows as JSON texts, ordered by the key columns.
pub(crate) async fn rows_as_text(
    connection: &mut SqliteConnection,
    table: &str,
    order: &str,
) -> Result<Vec<String>, StoreError> {
    let columns: Vec<(String,)> =
        sqlx::query_as("SELECT name FROM pragma_table_info($1)").bind(table).fetch_all(&mut *connection).await?;
    let columns: Vec<_> = columns.into_iter().map(|(name,)| name).collect();
    let statement = format!("SELECT json_array({}) FROM {table} ORDER BY {order}", columns.join(", "));
    Ok(sqlx::query_scalar(&statement).fetch_all(connection).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_transaction_sets_its_own_synchronous_mode() {
        const FULL: i64 = 2;
        const NORMAL: i64 = 1;
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        for (synchronous, mode) in [(true, FULL), (false, NORMAL), (false, NORMAL), (true, FULL)] {
            begin(&mut connection, synchronous, None, &BTreeSet::new()).await.unwrap();
            let found: i64 = sqlx::query_scalar("PRAGMA synchronous").fetch_one(&mut connection).await.unwrap();
            assert_eq!(found, mode);
            conclude(&mut Script::new(&mut connection), &HashMap::new(), None).await.unwrap();
        }
    }
}
