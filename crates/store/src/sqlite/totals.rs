//! Totals of workspaces on SQLite. Mirrors `postgres/totals.rs` function by function.

use super::{Row, Script};
use crate::{
    StoreError,
    totals::{AuthorGrowth, KindGrowth},
};

pub(crate) async fn grow_totals(
    script: &mut Script<'_>,
    kinds: &[KindGrowth],
    authors: &[AuthorGrowth],
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
    script.insert(into, 5, authors, bind, ending).await
}
