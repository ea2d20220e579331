//! Statements of inbox items and handles that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use buildtrack_domain::actors::ActorId;
use sqlx::PgConnection;

use super::{ItemRow, MentionCandidateRow};
use crate::{StoreError, database::postgres::Pool};

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
pub(crate) async fn mention_candidates_of(
    pool: &Pool,
    handles: &[String],
    limit: i64,
) -> Result<Vec<MentionCandidateRow>, StoreError> {
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
pub(crate) async fn mention_candidates(pool: &Pool, ids: &[String]) -> Result<Vec<MentionCandidateRow>, StoreError> {
    let statement = "SELECT actor_id, handle FROM handles WHERE actor_id = ANY($1)";
    Ok(sqlx::query_as(statement).bind(ids).fetch_all(pool).await?)
}
