//! Statements of full-text search that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use sqlx::SqliteConnection;

use super::{
    Document,
    candidates::{FEW, FEW_BYTES},
};
use crate::{
    StoreError,
    database::sqlite::{Row, Script},
};

/// A list without positions.
pub(super) const NO_POSITIONS: &str = "'[]'";

/// Whether few and short texts of a block have the tokens `$9`; see [`super::candidates`].
pub(super) fn few(block: &str) -> String {
    format!(
        "CASE WHEN $9 = '' THEN FALSE ELSE (SELECT count(*) <= {FEW} AND coalesce(sum(bytes), 0) <= {FEW_BYTES} \
         FROM (SELECT (SELECT octet_length(document.words) FROM search_documents AS document \
         WHERE document.position = search_index.rowid) AS bytes FROM search_index \
         WHERE search_index MATCH replace($9, '#', {block}) LIMIT {FEW} + 1)) END"
    )
}

/// The positions of a block's texts; see [`super::candidates`].
pub(super) fn found() -> String {
    "(SELECT json_group_array(search_index.rowid) FROM search_index \
     WHERE search_index MATCH replace(CASE WHEN walk.few THEN $9 ELSE $1 END, '#', walk.block) \
     AND (NOT walk.few OR EXISTS (SELECT 1 FROM search_documents AS document \
     WHERE document.position = search_index.rowid AND NOT EXISTS (SELECT 1 FROM json_each($10) AS needles \
     WHERE instr(document.words, needles.value) = 0))) AND search_index.rowid > $4 AND search_index.rowid < $5)"
        .to_owned()
}

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
