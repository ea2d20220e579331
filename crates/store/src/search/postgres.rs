//! Statements of full-text search that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use buildtrack_domain::search::Query;
use sqlx::PgConnection;

use super::{Dialect, Document};
use crate::StoreError;

/// The materialized CTE makes PostgreSQL search the index first. It would otherwise underestimate a plan that reads the documents
/// in order and builds each one's vector.
pub(crate) const SEARCH: Dialect = Dialect {
    with: "WITH matching AS MATERIALIZED (SELECT position FROM search_documents WHERE \
           array_to_tsvector(array_remove(string_to_array(translate(words, E'\\n', ' '), ' '), '')) \
           @@ CAST(CAST($1 AS TEXT) AS TSQUERY)) ",
    matching: "matching JOIN search_documents AS document ON document.position = matching.position WHERE true",
    position: "document.position",
};

/// The query in the index's syntax: `'push' & 'web':*`.
pub(crate) fn matching(query: &Query) -> String {
    let word = |(word, open): (&str, bool)| if open { format!("'{word}':*") } else { format!("'{word}'") };
    query.words().into_iter().map(word).collect::<Vec<_>>().join(" & ")
}

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
