//! Statements of the log, stored answers and consumers that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::{SqliteConnection, SqliteExecutor};

use super::{
    EventRow, LoggedEvent,
    answers::{Answer, Ticket},
    consumers::Progress,
    head::{Found, Head},
};
use crate::{
    StoreError, StoredAnswer,
    database::{
        rows::read_rows,
        sqlite::{Row, Script},
    },
};

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

/// The stored answers that have not expired, by scope.
pub(crate) async fn answers(
    connection: &mut SqliteConnection,
    scopes: &[&str],
    now: DateTime<Utc>,
) -> Result<Vec<StoredAnswer>, StoreError> {
    let scopes = serde_json::to_string(scopes).unwrap_or_default();
    Ok(read_rows(
        sqlx::query(
            "SELECT scope, fingerprint, status, location, body, withheld FROM answers \
         WHERE scope IN (SELECT value FROM json_each($1)) AND expires_at > $2",
        )
        .bind(scopes)
        .bind(now)
        .fetch_all(connection)
        .await?,
    )?)
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
    Ok(read_rows(
        sqlx::query(
            "SELECT position, stream, version, type, \
         CASE WHEN EXISTS (SELECT 1 FROM hidings WHERE subject = stream) THEN NULL ELSE data END AS data, \
         salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position IN (SELECT value FROM json_each($1)) ORDER BY position",
        )
        .bind(positions)
        .fetch_all(executor)
        .await?,
    )?)
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

#[cfg(test)]
mod tests {
    use sqlx::Connection;

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
