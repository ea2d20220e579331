//! Statements of full-text search that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use sqlx::SqliteConnection;

use super::Document;
use crate::{
    StoreError,
    database::sqlite::{Row, Script},
};

/// The positions of the texts found in each block; see [`super::candidates`].
pub(super) const CANDIDATES: &str = "WITH RECURSIVE walk (block, positions, total) AS ( \
     SELECT $2, '[]', 0 UNION ALL \
     SELECT walk.block + $3, (SELECT json_group_array(rowid) FROM search_index \
     WHERE search_index MATCH replace($1, '#', walk.block) AND rowid > $4 AND rowid < $5), \
     walk.total + json_array_length(walk.positions) \
     FROM walk WHERE walk.total + json_array_length(walk.positions) < $6 AND walk.block BETWEEN $7 AND $8) \
     SELECT positions FROM walk WHERE positions <> '[]'";

/// A token in the index's syntax: `"#:push"`, `"#:web" *`.
pub(super) fn token(token: &str, open: bool) -> String {
    format!("\"#:{token}\"{}", if open { " *" } else { "" })
}

/// Between tokens that a text must all have.
pub(super) const AND: &str = " AND ";

/// SQLite has one writer, so no lock is needed.
#[expect(clippy::unused_async, reason = "the counterpart waits")]
pub(crate) async fn lock_documents(_: &mut SqliteConnection) -> Result<(), StoreError> {
    Ok(())
}

pub(crate) async fn insert_documents(script: &mut Script<'_>, rows: &[&Document]) -> Result<(), StoreError> {
    let into = "search_documents (position, id, type, workspace_id, post_id, author_id, kind, created_at, words)";
    let bind = |row: &mut Row<'_>, document: &&Document| {
        row.push_bind(document.position)
            .push_bind(document.id.clone())
            .push_bind(document.document_type.clone())
            .push_bind(document.workspace_id.clone())
            .push_bind(document.post_id.clone())
            .push_bind(document.author_id.clone())
            .push_bind(document.kind.clone())
            .push_bind(document.created_at)
            .push_bind(document.words.clone());
    };
    script.insert(into, 9, rows, bind, "").await
}
