//! Statements of full-text search that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use sqlx::PgConnection;

use super::Document;
use crate::StoreError;

/// The positions of the texts found in each block; see [`super::candidates`]. `position + 0` keeps the planner from reading the texts
/// in their order. The list is sorted later, because sorts are disabled.
pub(super) const CANDIDATES: &str = "WITH RECURSIVE walk (block, positions, total) AS ( \
     SELECT CAST($2 AS BIGINT), CAST('[]' AS JSON), 0 UNION ALL \
     SELECT walk.block + $3, coalesce((SELECT json_agg(position) FROM search_documents \
     WHERE search_tokens(position, type, workspace_id, author_id, kind, words) \
     @@ CAST(replace($1, '#', CAST(walk.block AS TEXT)) AS TSQUERY) AND position + 0 > $4 AND position + 0 < $5), '[]'), \
     walk.total + json_array_length(walk.positions) \
     FROM walk WHERE walk.total + json_array_length(walk.positions) < $6 AND walk.block BETWEEN $7 AND $8) \
     SELECT CAST(positions AS TEXT) FROM walk WHERE json_array_length(positions) > 0";

/// A token in the index's syntax: `'#:push'`, `'#:web':*`.
pub(super) fn token(token: &str, open: bool) -> String {
    format!("'#:{token}'{}", if open { ":*" } else { "" })
}

/// Between tokens that a text must all have.
pub(super) const AND: &str = " & ";

/// Locks the documents until the end of the transaction, so that indexing and removals of texts exclude each other.
pub(crate) async fn lock_documents(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtext('search_documents'))").execute(connection).await?;
    Ok(())
}

pub(crate) async fn insert_documents(connection: &mut PgConnection, rows: &[&Document]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO search_documents \
         (position, id, type, workspace_id, post_id, author_id, kind, created_at, words) \
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], \
         $8::timestamptz[], $9::text[])",
    )
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.id).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.document_type).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.workspace_id.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.post_id.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.author_id).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.kind.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.created_at).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.words).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
