//! Derives the expected documents from the read tables: for rebuilds, and to verify the index.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use super::{
    Document, INDEXER, SOURCES, Source,
    indexing::{document_of, insert, makes_document},
};
use crate::{
    StoreError,
    database::{TableDigest, Tx, values},
};

/// Documents that one step reads.
const STEP: i64 = 1000;
/// The table's name.
const TABLE: &str = "search_documents";

/// Derives all documents from the read tables again, in the transaction that has rebuilt them.
pub(crate) async fn rebuild(tx: &mut Tx<'_>, head: i64) -> Result<(), StoreError> {
    super::indexing::lock(tx).await?;
    tx.execute("DELETE FROM search_documents", &[]).await?;
    each_expected(tx, &HashSet::new(), true).await?;
    tx.execute(
        "INSERT INTO consumers (name, position) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET position = excluded.position",
        values![INDEXER, head],
    )
    .await?;
    Ok(())
}

/// Documents whose texts changed after the indexer's offset. Verification skips them.
pub(crate) struct Pending {
    pub(crate) indexed_to: i64,
    pub(crate) ids: HashSet<String>,
}

pub(crate) async fn pending(tx: &mut Tx<'_>) -> Result<Pending, StoreError> {
    let indexed_to: Option<i64> =
        tx.optional("SELECT position FROM consumers WHERE name = $1", values![INDEXER]).await?;
    let indexed_to = indexed_to.unwrap_or(0);
    let rows: Vec<(String, String)> =
        tx.all("SELECT DISTINCT stream, type FROM events WHERE position > $1", values![indexed_to]).await?;
    let changed = rows.iter().filter(|(_, event_type)| makes_document(event_type));
    Ok(Pending { indexed_to, ids: changed.map(|(stream, _)| document_of(stream).to_owned()).collect() })
}

/// A digest of the documents as derived from the read tables visible to this connection, without those in `but`.
pub(crate) async fn expected(tx: &mut Tx<'_>, but: &HashSet<String>) -> Result<TableDigest, StoreError> {
    each_expected(tx, but, false).await
}

/// A digest of the stored documents, without those in `but`.
pub(crate) async fn live(tx: &mut Tx<'_>, but: &HashSet<String>) -> Result<TableDigest, StoreError> {
    let mut digest = Digesting::default();
    let mut after = String::new();
    loop {
        let documents: Vec<Document> = tx
            .all(
                "SELECT position, id, type, workspace_id, post_id, author_id, kind, created_at, words \
                 FROM search_documents WHERE id > $1 ORDER BY id LIMIT $2",
                values![&after, STEP],
            )
            .await?;
        let Some(last) = documents.last() else { return Ok(digest.end()) };
        after.clone_from(&last.id);
        documents.iter().filter(|document| !but.contains(&document.id)).for_each(|document| digest.add(document));
    }
}

async fn each_expected(tx: &mut Tx<'_>, but: &HashSet<String>, insert_them: bool) -> Result<TableDigest, StoreError> {
    let mut digest = Digesting::default();
    for source in SOURCES {
        let statement = format!("{source} AND id > $1 ORDER BY id LIMIT $2");
        let mut after = String::new();
        loop {
            let sources: Vec<Source> = tx.all(&statement, values![&after, STEP]).await?;
            let Some(last) = sources.last() else { break };
            after.clone_from(&last.id);
            let documents: Vec<_> =
                sources.into_iter().filter(|source| !but.contains(&source.id)).map(Document::from).collect();
            for document in &documents {
                digest.add(document);
            }
            if insert_them {
                insert(tx, &documents.iter().collect::<Vec<_>>()).await?;
            }
        }
    }
    Ok(digest.end())
}

#[derive(Default)]
struct Digesting {
    rows: u64,
    sha256: Sha256,
}

impl Digesting {
    fn add(&mut self, document: &Document) {
        self.rows += 1;
        self.sha256.update(format!("{document:?}\n"));
    }

    fn end(self) -> TableDigest {
        TableDigest { table: TABLE, rows: self.rows, sha256: hex::encode(self.sha256.finalize()) }
    }
}
