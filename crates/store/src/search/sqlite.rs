//! Statements of full-text search that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use buildtrack_domain::search::Query;
use sqlx::SqliteConnection;

use super::{Dialect, Document};
use crate::{
    StoreError,
    database::sqlite::{Row, Script},
};

/// The index is read in row order, so that the query can stop early at its limit.
pub(crate) const SEARCH: Dialect = Dialect {
    with: "",
    matching: "search_index CROSS JOIN search_documents AS document ON document.position = search_index.rowid \
               WHERE search_index MATCH $1",
    position: "search_index.rowid",
};

/// The query in the index's syntax: `"push" AND "web" *`.
pub(crate) fn matching(query: &Query) -> String {
    let word = |(word, open): (&str, bool)| if open { format!("\"{word}\" *") } else { format!("\"{word}\"") };
    query.words().into_iter().map(word).collect::<Vec<_>>().join(" AND ")
}

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
