//! Full-text search: documents made from public texts that are neither redacted nor hidden, found by their words.
//!
//! Documents are derived from the log asynchronously, so that posting does not wait for the index. The worker follows the log in
//! steps ([`Search::index`]); the consumer [`INDEXER`] stores its offset. **Invariant:** a document whose last
//! event is at or before that offset equals the document derived from the read tables. **Invariant:** no document outlives a
//! redaction of its text, however far the index lags: redactions and indexing hold the same lock, and the indexer checks for
//! redactions once it holds it.

mod candidates;
mod hits;
mod indexing;
mod postgres;
mod side_tables;
mod sqlite;
mod verifying;

pub use candidates::EXAMINED;
pub use hits::{HitView, SearchFilter, SearchSort, WORK_MAX};
pub use indexing::{INDEXER, Indexed};

use indexing::remove_texts;
pub(crate) use verifying::{expected, live, pending, rebuild};

use buildtrack_domain::search;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;

use crate::{
    database::{Db, FromRow},
    log::{Log, context::Context},
};

pub use side_tables::Change;

/// What the context declares to the log.
pub(crate) const CONTEXT: Context = Context {
    remove_texts: |tx, phase, removals, now| remove_texts(tx, phase, removals, now).boxed(),
    ..Context::EMPTY
};

/// Full-text search. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Search {
    db: Db,
    log: Log,
}

impl Search {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), log: log.clone() }
    }
}

/// A search document.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Document {
    /// The position of the first event of its text.
    pub(crate) position: i64,
    pub(crate) id: String,
    #[column(name = "type")]
    pub(crate) document_type: String,
    pub(crate) workspace_id: Option<String>,
    pub(crate) post_id: Option<String>,
    pub(crate) author_id: String,
    pub(crate) kind: Option<String>,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) words: String,
}

/// The columns from which a document is made.
#[derive(Debug, FromRow)]
struct Source {
    position: i64,
    id: String,
    #[column(name = "type")]
    document_type: String,
    workspace_id: Option<String>,
    post_id: Option<String>,
    author_id: String,
    kind: Option<String>,
    created_at: DateTime<Utc>,
    title: String,
    body: String,
    more: String,
    tags: String,
}

impl From<Source> for Document {
    fn from(source: Source) -> Self {
        // Tags are a JSON list of texts. Its quotation marks act as word separators.
        let words = search::document(&source.title, &[&source.body, &source.more, &source.tags]);
        let Source { position, id, document_type, workspace_id, post_id, author_id, kind, created_at, .. } = source;
        Self { position, id, document_type, workspace_id, post_id, author_id, kind, created_at, words }
    }
}

/// Queries of the documents' sources, ordered by the ids' prefixes, without redacted and hidden texts.
const SOURCES: [&str; 4] = [
    "SELECT position, id, 'message' AS type, workspace_id, NULL AS post_id, author_id, kind, created_at, '' AS title, \
     content AS body, '' AS more, '' AS tags FROM messages WHERE NOT redacted AND NOT hidden",
    "SELECT position, id, 'post' AS type, NULL AS workspace_id, id AS post_id, author_id, NULL AS kind, created_at, \
     title, body, '' AS more, tags FROM posts WHERE NOT redacted AND NOT hidden",
    "SELECT position, id, 'reply' AS type, NULL AS workspace_id, post_id, author_id, NULL AS kind, created_at, \
     '' AS title, body, '' AS more, '' AS tags FROM replies WHERE NOT redacted AND NOT hidden",
    "SELECT position, id, 'workspace' AS type, id AS workspace_id, NULL AS post_id, owner_id AS author_id, \
     NULL AS kind, created_at, name AS title, description AS body, coalesce(goal, '') AS more, tags \
     FROM workspaces WHERE true",
];
