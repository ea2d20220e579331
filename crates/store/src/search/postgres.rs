//! Statements of full-text search that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use sqlx::PgConnection;

use super::{
    Document,
    candidates::{FEW, FEW_BYTES},
};
use crate::StoreError;

/// A list without positions.
pub(super) const NO_POSITIONS: &str = "CAST('[]' AS JSON)";

const TOKENS: &str = "search_tokens(position, type, workspace_id, author_id, kind, words)";

/// Whether few and short texts of a block have the tokens `$9`; see [`super::candidates`].
pub(super) fn few(block: &str) -> String {
    format!(
        "CASE WHEN $9 = '' THEN FALSE ELSE (SELECT count(*) <= {FEW} AND coalesce(sum(bytes), 0) <= {FEW_BYTES} \
         FROM (SELECT octet_length(words) AS bytes FROM search_documents \
         WHERE {TOKENS} @@ CAST(replace($9, '#', CAST({block} AS TEXT)) AS TSQUERY) LIMIT {FEW} + 1) AS counted) END"
    )
}

/// The positions of a block's texts; see [`super::candidates`]. `position + 0` keeps the planner from reading the texts in their order.
/// The list is sorted later, because sorts are disabled.
pub(super) fn found() -> String {
    format!(
        "coalesce((SELECT json_agg(position) FROM search_documents \
         WHERE {TOKENS} @@ CAST(replace(CASE WHEN walk.few THEN $9 ELSE $1 END, '#', CAST(walk.block AS TEXT)) AS TSQUERY) \
         AND (NOT walk.few OR NOT EXISTS (SELECT 1 FROM json_array_elements_text(CAST($10 AS JSON)) AS needles (value) \
         WHERE strpos(words, needles.value) = 0)) AND position + 0 > $4 AND position + 0 < $5), '[]')"
    )
}

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
