//! Statements of messages, counters and totals that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use sqlx::SqlitePool;

use super::{
    messages::{MessageRow, WorkspaceGrowth},
    totals::{AuthorGrowth, BlockGrowth, Growth, KindGrowth},
};
use crate::{
    StoreError,
    database::{
        rows::read_rows,
        sqlite::{Row, Script},
    },
    log::LoggedEvent,
};

pub(crate) async fn grow_totals(
    script: &mut Script<'_>,
    Growth { kinds, authors, blocks }: &Growth,
) -> Result<(), StoreError> {
    let bind = |row: &mut Row<'_>, growth: &KindGrowth| {
        row.push_bind(growth.workspace_id.clone()).push_bind(growth.kind).push_bind(growth.messages);
        row.push_bind(0_i64).push_bind(0_i64);
    };
    let ending = " ON CONFLICT (workspace_id, kind) DO UPDATE SET messages = kind_totals.messages + excluded.messages";
    let into = "kind_totals (workspace_id, kind, messages, redacted, upvotes)";
    script.insert(into, 5, kinds, bind, ending).await?;
    let bind = |row: &mut Row<'_>, growth: &AuthorGrowth| {
        row.push_bind(growth.workspace_id.clone()).push_bind(growth.author_id.clone()).push_bind(growth.messages);
        row.push_bind(0_i64).push_bind(growth.last_position);
    };
    let ending = " ON CONFLICT (workspace_id, author_id) DO UPDATE SET \
                  messages = author_totals.messages + excluded.messages, \
                  last_position = max(author_totals.last_position, excluded.last_position)";
    let into = "author_totals (workspace_id, author_id, messages, upvotes, last_position)";
    script.insert(into, 5, authors, bind, ending).await?;
    let bind = |row: &mut Row<'_>, growth: &BlockGrowth| {
        row.push_bind(growth.workspace_id.clone()).push_bind(growth.block).push_bind(growth.messages);
    };
    let ending =
        " ON CONFLICT (workspace_id, block) DO UPDATE SET messages = block_totals.messages + excluded.messages";
    script.insert("block_totals (workspace_id, block, messages)", 3, blocks, bind, ending).await
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

/// The events of these streams, and the events located in the entities they are named after, in order.
pub(crate) async fn logged_in(pool: &SqlitePool, streams: &[String]) -> Result<Vec<LoggedEvent>, StoreError> {
    let streams = serde_json::to_string(streams).unwrap_or_default();
    Ok(read_rows(
        sqlx::query(
            "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
         FROM events WHERE position IN (SELECT position FROM events WHERE stream IN (SELECT value FROM json_each($1)) \
         UNION SELECT position FROM places WHERE place IN (SELECT value FROM json_each($1))) ORDER BY position",
        )
        .bind(streams)
        .fetch_all(pool)
        .await?,
    )?)
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
