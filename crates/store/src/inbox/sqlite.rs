//! Statements of inbox items and handles that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use buildtrack_domain::actors::ActorId;
use serde_json::json;
use sqlx::{SqliteConnection, SqlitePool};

use super::{ItemRow, MentionCandidateRow};
use crate::{
    StoreError,
    database::sqlite::{Row, Script},
};

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
pub(crate) async fn mention_candidates_of(
    pool: &SqlitePool,
    handles: &[String],
    limit: i64,
) -> Result<Vec<MentionCandidateRow>, StoreError> {
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
pub(crate) async fn mention_candidates(
    pool: &SqlitePool,
    ids: &[String],
) -> Result<Vec<MentionCandidateRow>, StoreError> {
    let statement = "SELECT actor_id, handle FROM handles WHERE actor_id IN (SELECT value FROM json_each($1))";
    Ok(sqlx::query_as(statement).bind(json!(ids).to_string()).fetch_all(pool).await?)
}
