//! The search indexer: turns events into search documents, and removes documents.

use std::{collections::BTreeSet, panic::AssertUnwindSafe};

use buildtrack_domain::event::{self, Fact};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use serde_json::json;

use super::{Change, Document, SOURCES, Source};
use super::{postgres, sqlite};
use crate::{
    StoreError,
    database::{Tx, values},
    log::context::Phase,
    log::context::SideChange,
    log::{self, TextRemoval},
    search::Search,
};

/// The consumer whose offset is the position up to which the log is indexed. A change to the words of documents takes a new name: the
/// indexer then follows the log from its beginning and replaces every document, while searches find the old ones. A process of an
/// older version keeps its own offset meanwhile, and what it writes is replaced as well.
pub const INDEXER: &str = "search, full case folding";

/// How many events a step reads for each event that it may index. Many events, such as relay envelopes, make no document.
const SCAN_FACTOR: i64 = 10;

/// The documents of one indexing step, as read. Writing leaves out texts that were redacted or hidden since.
#[derive(Debug, Clone)]
pub struct Step {
    /// Ids of all documents that the step replaces. Those without a new document are deleted.
    ids: Vec<String>,
    documents: Vec<Document>,
}

/// The progress of an indexing step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indexed {
    /// The position up to which the log is indexed.
    pub position: i64,
    /// Whether there were events to process.
    pub moved: bool,
    /// Whether there may be more.
    pub full: bool,
}

/// Whether an event of this type creates or changes a document.
pub(super) fn makes_document(event_type: &str) -> bool {
    // By the ending too: a newer version may have redacted a text that this version does not know.
    event::is(event_type, Fact::Indexed) || event_type.ends_with(".redacted")
}

/// The document of a stream. A moderation decision's stream is named after the text that it concerns.
pub(super) fn document_of(stream: &str) -> &str {
    stream.strip_prefix("moderation:").unwrap_or(stream)
}

#[boxed]
impl Search {
    /// Indexes up to `events` events and skips those that make no document. If another process indexes the same events, one of the
    /// two fails with a conflict.
    pub async fn index(&self, events: u16) -> Result<Indexed, StoreError> {
        let (from, limit) = (self.log.consumer_position(INDEXER).await?, i64::from(events) * SCAN_FACTOR);
        let rows: Vec<(i64, String, String)> = self
            .db
            .all(
                "SELECT position, stream, type FROM events WHERE position > $1 ORDER BY position LIMIT $2",
                values![from, limit],
            )
            .await?;
        let Some((last, ..)) = rows.last() else { return Ok(Indexed { position: from, moved: false, full: false }) };
        let mut changed = rows.iter().filter(|(_, _, event_type)| makes_document(event_type));
        let ids: BTreeSet<_> = changed.by_ref().take(events.into()).map(|(_, stream, _)| document_of(stream)).collect();
        let next = changed.next();
        let to = next.map_or(*last, |(position, ..)| position - 1);
        let full = next.is_some() || i64::try_from(rows.len()).is_ok_and(|looked_at| looked_at >= limit);
        let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
        let mut changes: Vec<SideChange> = vec![log::Change::Consumed { consumer: INDEXER, from, to }.into()];
        if !ids.is_empty() {
            let documents = self.readable_documents(&ids).await?;
            changes.push(Change::Documents(Box::new(Step { ids, documents })).into());
        }
        self.log.write_side(changes).await?;
        Ok(Indexed { position: to, moved: true, full })
    }

    /// The documents with these ids, without unreadable ones, so that one of them does not block the index.
    async fn readable_documents(&self, ids: &[String]) -> Result<Vec<Document>, StoreError> {
        match AssertUnwindSafe(self.documents(ids)).catch_unwind().await {
            Err(_) => {}
            Ok(Err(error)) if error.is_unreadable() => {}
            Ok(read) => return read,
        }
        let mut documents = Vec::with_capacity(ids.len());
        for id in ids {
            // The driver may panic while it decodes a value outside the type's range.
            let read = AssertUnwindSafe(self.documents(std::slice::from_ref(id))).catch_unwind().await;
            match read.unwrap_or_else(|_| Err(StoreError::Damaged("decoding the document panicked".to_owned()))) {
                Ok(read) => documents.extend(read),
                Err(error) if error.is_unreadable() => {
                    metrics::counter!("buildtrack_unreadable_rows_total", "table" => "documents").increment(1);
                    tracing::error!(id, %error, "a stored text cannot be read and is not indexed");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(documents)
    }

    /// The current documents with these ids, without redacted ones.
    async fn documents(&self, ids: &[String]) -> Result<Vec<Document>, StoreError> {
        let of_ids = |source: &str| format!("{source} AND id IN (SELECT value FROM {})", self.db.dialect().listed(1));
        let statement = SOURCES.map(of_ids).join(" UNION ALL ");
        let sources: Vec<Source> = self.db.all(&statement, values![json!(ids).to_string()]).await?;
        Ok(sources.into_iter().map(Document::from).collect())
    }
}

pub(super) async fn lock(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    match tx {
        Tx::Postgres(connection) => postgres::lock_documents(connection).await,
        Tx::Sqlite(script) => sqlite::lock_documents(script.connection().await?).await,
    }
}

/// Replaces the documents of a step.
pub(crate) async fn write(tx: &mut Tx<'_>, step: &Step) -> Result<(), StoreError> {
    lock(tx).await?;
    delete(tx, &step.ids).await?;
    let gone = gone(tx, &step.ids).await?;
    let current: Vec<_> = step.documents.iter().filter(|document| !gone.contains(&document.id)).collect();
    insert(tx, &current).await
}

/// Deletes the documents of removed streams. Runs after the steps of the indexer, so that no document outlives its text.
pub(crate) async fn remove_texts(
    tx: &mut Tx<'_>,
    phase: Phase,
    removals: &[TextRemoval<'_>],
    _: DateTime<Utc>,
) -> Result<(), StoreError> {
    let stream = |removal: &TextRemoval<'_>| match removal {
        TextRemoval::Stream(stream) => Some((*stream).to_owned()),
        TextRemoval::Event(_) => None,
    };
    let ids: Vec<_> = removals.iter().filter_map(stream).collect();
    if phase != Phase::Documents || ids.is_empty() {
        return Ok(());
    }
    lock(tx).await?;
    delete(tx, &ids).await
}

async fn delete(tx: &mut Tx<'_>, ids: &[String]) -> Result<(), StoreError> {
    let statement = format!("DELETE FROM search_documents WHERE id IN (SELECT value FROM {})", tx.dialect().listed(1));
    tx.execute(&statement, values![json!(ids).to_string()]).await?;
    Ok(())
}

pub(super) async fn insert(tx: &mut Tx<'_>, documents: &[&Document]) -> Result<(), StoreError> {
    if documents.is_empty() {
        return Ok(());
    }
    match tx {
        Tx::Postgres(connection) => postgres::insert_documents(connection, documents).await,
        Tx::Sqlite(script) => sqlite::insert_documents(script, documents).await,
    }
}

/// Those ids whose texts are redacted or hidden, as this transaction sees them.
async fn gone(tx: &mut Tx<'_>, ids: &[String]) -> Result<Vec<String>, StoreError> {
    let of_table = |table: &str| {
        format!(
            "SELECT id FROM {table} WHERE (redacted OR hidden) AND id IN (SELECT value FROM {})",
            tx.dialect().listed(1)
        )
    };
    let statement = ["messages", "posts", "replies"].map(of_table).join(" UNION ALL ");
    tx.all(&statement, values![json!(ids).to_string()]).await
}
