//! Totals of workspaces on PostgreSQL. Mirrors `sqlite/totals.rs` function by function.

use sqlx::PgConnection;

use crate::{
    StoreError,
    totals::{AuthorGrowth, KindGrowth},
};

pub(crate) async fn grow_totals(
    connection: &mut PgConnection,
    kinds: &[KindGrowth],
    authors: &[AuthorGrowth],
) -> Result<(), StoreError> {
    sqlx::query(
        "WITH kinds AS (INSERT INTO kind_totals (workspace_id, kind, messages, redacted, upvotes) \
         SELECT workspace_id, kind, messages, 0, 0 FROM unnest($1::text[], $2::text[], $3::bigint[]) \
         AS rows (workspace_id, kind, messages) \
         ON CONFLICT (workspace_id, kind) DO UPDATE SET messages = kind_totals.messages + excluded.messages) \
         INSERT INTO author_totals (workspace_id, author_id, messages, upvotes, last_position) \
         SELECT workspace_id, author_id, messages, 0, last_position \
         FROM unnest($4::text[], $5::text[], $6::bigint[], $7::bigint[]) \
         AS rows (workspace_id, author_id, messages, last_position) \
         ON CONFLICT (workspace_id, author_id) DO UPDATE SET \
         messages = author_totals.messages + excluded.messages, \
         last_position = greatest(author_totals.last_position, excluded.last_position)",
    )
    .bind(kinds.iter().map(|row| &*row.workspace_id).collect::<Vec<_>>())
    .bind(kinds.iter().map(|row| row.kind).collect::<Vec<_>>())
    .bind(kinds.iter().map(|row| row.messages).collect::<Vec<_>>())
    .bind(authors.iter().map(|row| &*row.workspace_id).collect::<Vec<_>>())
    .bind(authors.iter().map(|row| &*row.author_id).collect::<Vec<_>>())
    .bind(authors.iter().map(|row| row.messages).collect::<Vec<_>>())
    .bind(authors.iter().map(|row| row.last_position).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
