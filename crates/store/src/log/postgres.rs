//! Statements of the log, stored answers and consumers that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, SecondsFormat, Utc};
use futures_util::TryStreamExt;
use sqlx::{Either, Executor, PgConnection, PgExecutor, postgres::PgRow};

use super::{
    EventRow, LoggedEvent,
    answers::{Answer, Ticket},
    commit_notification::CommitNotification,
    consumers::Progress,
    head::{Found, Head},
};
use crate::{
    StoreError, StoredAnswer,
    database::rows::{FromRow, read_rows},
};

/// The notification channel for commits.
pub(crate) const CHANNEL: &str = "buildtrack_log";

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
    Ok(read_rows(
        sqlx::query(
            "SELECT position, stream, version, type, \
         CASE WHEN EXISTS (SELECT 1 FROM hidings WHERE subject = stream) THEN NULL ELSE data END AS data, \
         salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position = ANY($1) ORDER BY position",
        )
        .bind(positions)
        .fetch_all(executor)
        .await?,
    )?)
}

/// The stored answers that have not expired, by scope.
pub(crate) async fn answers(
    connection: &mut PgConnection,
    scopes: &[&str],
    now: DateTime<Utc>,
) -> Result<Vec<StoredAnswer>, StoreError> {
    Ok(read_rows(
        sqlx::query(
            "SELECT scope, fingerprint, status, location, body, withheld FROM answers \
         WHERE scope = ANY($1) AND expires_at > $2",
        )
        .bind(scopes)
        .bind(now)
        .fetch_all(connection)
        .await?,
    )?)
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
    let versions = if streams.is_some() { read_rows(answer())? } else { vec![] };
    let mut found = Found { head, versions, consumers: HashMap::new() };
    for consumer in consumers {
        let (position,) = one(&answer(), "a consumer's row is missing")?;
        found.consumers.insert(*consumer, (position, read_rows(answer())?));
    }
    Ok(found)
}

/// The versions of those streams that exist. Requires a writing connection.
pub(crate) async fn versions(
    connection: &mut PgConnection,
    streams: &[&str],
) -> Result<Vec<(String, i64)>, StoreError> {
    let statement = format!("EXECUTE versions ({})", array_literal(streams));
    Ok(read_rows(answers_to(connection, &statement).await?.into_iter().flatten().collect::<Vec<_>>())?)
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

fn one<T: FromRow>(rows: &[PgRow], missing: &str) -> Result<T, StoreError> {
    let row = rows.first().ok_or_else(|| StoreError::Damaged(missing.into()))?;
    Ok(T::from_row(row.into())?)
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

#[cfg(test)]
mod tests {
    use super::array_literal;

    #[test]
    fn quoting_characters_are_escaped() {
        assert_eq!(array_literal(&[]), "'{}'");
        assert_eq!(array_literal(&["ws_1", r#"a"b\c'd,{e}"#]), r#"'{"ws_1","a\"b\\c''d,{e}"}'"#);
    }
}
