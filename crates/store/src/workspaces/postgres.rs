//! Statements of messages, counters and totals that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use sqlx::PgConnection;

use super::{
    messages::{MessageRow, WorkspaceGrowth},
    totals::Growth,
};
use crate::{
    StoreError,
    database::{postgres::Pool, rows::read_rows},
    log::LoggedEvent,
};

pub(crate) async fn grow_totals(
    connection: &mut PgConnection,
    Growth { kinds, authors, blocks }: &Growth,
) -> Result<(), StoreError> {
    sqlx::query(
        "WITH kinds AS (INSERT INTO kind_totals (workspace_id, kind, messages, redacted, upvotes) \
         SELECT workspace_id, kind, messages, 0, 0 FROM unnest($1::text[], $2::text[], $3::bigint[]) \
         AS rows (workspace_id, kind, messages) \
         ON CONFLICT (workspace_id, kind) DO UPDATE SET messages = kind_totals.messages + excluded.messages), \
         blocks AS (INSERT INTO block_totals (workspace_id, block, messages) \
         SELECT * FROM unnest($8::text[], $9::bigint[], $10::bigint[]) \
         ON CONFLICT (workspace_id, block) DO UPDATE SET messages = block_totals.messages + excluded.messages) \
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
    .bind(blocks.iter().map(|row| &*row.workspace_id).collect::<Vec<_>>())
    .bind(blocks.iter().map(|row| row.block).collect::<Vec<_>>())
    .bind(blocks.iter().map(|row| row.messages).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

/// The events of these streams, and the events located in the entities they are named after, in order. `ANY (ARRAY …)`: with
/// `IN (…)`, PostgreSQL would read the whole log in its order and look for each event among them.
pub(crate) async fn logged_in(pool: &Pool, streams: &[String]) -> Result<Vec<LoggedEvent>, StoreError> {
    Ok(read_rows(
        sqlx::query(
            "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position = ANY(ARRAY(SELECT position FROM events WHERE stream = ANY($1) \
         UNION SELECT position FROM places WHERE place = ANY($1))) ORDER BY position",
        )
        .bind(streams)
        .fetch_all(pool)
        .await?,
    )?)
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
