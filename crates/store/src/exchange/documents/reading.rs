//! Queries of protocol documents: one document, its text, lists, versions and ranked search.

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    event::EventSet,
    exchange::documents::{DocumentEvent, DocumentHash, DocumentRegistered},
    ids::AgentId,
    search::{Need, Query, Term},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::{
    StoreError,
    database::{Dialect, FromRow, Listed, ScanLimit, Sort, values},
    exchange::Exchange,
};

/// A protocol document, without its text.
#[derive(Debug, Clone, FromRow)]
pub struct DocumentView {
    /// The document's hash, which is its id.
    #[column(from = String)]
    pub hash: DocumentHash,
    /// Position of its registration on the log.
    pub position: i64,
    /// The SHA-256 of its text, in hex.
    pub sha256: String,
    /// Its name, from its own text.
    pub name: String,
    /// Its description, from its own text.
    pub description: String,
    /// Whether it allows more than one round.
    pub multiround: bool,
    /// The agent or owner that registered it.
    #[column(from = String)]
    pub registrar_id: ActorId,
    /// The registrar's name at registration.
    pub registrar_name: String,
    /// `ai-agent` or `human`.
    #[column(from = String)]
    pub registrar_type: ActorKind,
    /// The registrar's model at registration.
    pub registrar_model: Option<String>,
    /// When it was registered.
    pub registered_at: DateTime<Utc>,
    /// When it was withdrawn from the list; none while it is listed.
    pub withdrawn_at: Option<DateTime<Utc>>,
}

/// Filters of the document list. Withdrawn documents are left out; the last registered comes first.
#[derive(Debug, Clone, Default)]
pub struct DocumentFilter {
    /// Only documents whose name and description match this query.
    pub query: Option<Query>,
    /// Only documents with exactly this name.
    pub name: Option<String>,
    /// Only documents registered by this agent or owner.
    pub registrar: Option<ActorId>,
    /// Only documents that this agent supports.
    pub supported_by: Option<AgentId>,
    /// Only documents registered before this position.
    pub before: Option<i64>,
    /// Maximum number of rows.
    pub limit: i64,
}

const DOCUMENT: &str = "SELECT document.hash, document.position, sha256, name, description, multiround, registrar_id, \
                        registrar_name, registrar_type, registrar_model, registered_at, withdrawn_at \
                        FROM documents AS document";

fn listing(dialect: &Dialect) -> String {
    let (wanted, unwanted, find) = (dialect.listed(1), dialect.listed(2), dialect.find);
    format!(
        "{DOCUMENT} WHERE withdrawn_at IS NULL AND NOT hidden \
         AND NOT EXISTS (SELECT 1 FROM {wanted} WHERE {find}(document.words, listed.value) = 0) \
         AND NOT EXISTS (SELECT 1 FROM {unwanted} WHERE {find}(document.words, listed.value) > 0) \
         AND (CAST($3 AS TEXT) IS NULL OR name = $3) AND (CAST($4 AS TEXT) IS NULL OR registrar_id = $4) \
         AND (CAST($5 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM supports \
         WHERE supports.hash = document.hash AND agent_id = $5)) \
         AND document.position < $6 AND document.position >= $7 ORDER BY document.position DESC LIMIT $8"
    )
}

/// Scan limit of the ranked search: how many documents it scores, the last registered first. Each is searched for up to
/// [`STEMS_MAX`](buildtrack_domain::search::STEMS_MAX) words.
const SCAN_LIMIT: i64 = 400;

/// The ranked search. Its score equals that of [`Need::score`].
fn ranked(dialect: &Dialect) -> String {
    let (listed, find) = (dialect.listed(1), dialect.find);
    format!(
        "{DOCUMENT} JOIN (SELECT hash, (SELECT CAST(sum(CASE WHEN {find}(words, listed.value) = 0 THEN 0 \
         WHEN {find}(words, listed.value) < {find}(words, '\n') THEN 2 ELSE 1 END) AS BIGINT) FROM {listed}) AS score \
         FROM (SELECT hash, words FROM documents WHERE withdrawn_at IS NULL AND NOT hidden ORDER BY position DESC LIMIT {SCAN_LIMIT}) \
         AS newest) AS scored ON scored.hash = document.hash \
         WHERE score > 0 ORDER BY score DESC, document.position DESC LIMIT $2"
    )
}

#[boxed]
impl Exchange {
    /// One document, withdrawn or not.
    pub async fn document(&self, hash: &DocumentHash) -> Result<Option<DocumentView>, StoreError> {
        let statement = format!("{DOCUMENT} WHERE document.hash = $1");
        self.db.optional(&statement, values![hash.to_string()]).await
    }

    /// The text of a document, withdrawn or not.
    pub async fn document_text(&self, hash: &DocumentHash) -> Result<Option<String>, StoreError> {
        let data: Option<Option<String>> = self
            .db
            .optional(
                "SELECT data FROM documents JOIN events ON events.position = documents.position \
                 WHERE documents.hash = $1 AND NOT hidden",
                values![hash.to_string()],
            )
            .await?;
        data.map(|data| text_of(hash, data.as_deref())).transpose()
    }

    /// A list of documents.
    pub async fn listed_documents(&self, filter: &DocumentFilter) -> Result<Listed<DocumentView>, StoreError> {
        // Withdrawn documents are left out, so that every list is filtered.
        let scan_limit = ScanLimit::of(true, filter.query.is_some());
        let within = filter.name.as_deref().map(|name| ("name", name));
        let until = scan_limit.last_scanned(&self.db, ("documents", Sort::Newest), filter.before, within).await?;
        let statement = listing(self.db.dialect());
        let needles = |terms: fn(&Query) -> &[Term]| {
            let terms = filter.query.as_ref().map(terms).unwrap_or_default();
            json!(terms.iter().map(Term::needle).collect::<Vec<_>>()).to_string()
        };
        let rows = self
            .db
            .all(
                &statement,
                values![
                    needles(Query::wanted),
                    needles(Query::unwanted),
                    filter.name.as_deref(),
                    filter.registrar.map(|registrar| registrar.to_string()),
                    filter.supported_by.map(|agent| agent.to_string()),
                    filter.before.unwrap_or(i64::MAX),
                    until.unwrap_or(i64::MIN),
                    filter.limit
                ],
            )
            .await?;
        Ok(Listed { rows, scanned_to: until })
    }

    /// The documents with one name by one registrar, withdrawn ones included, in order of registration.
    pub async fn document_versions(
        &self,
        registrar: ActorId,
        name: &str,
        limit: i64,
    ) -> Result<Vec<DocumentView>, StoreError> {
        let statement = format!("{DOCUMENT} WHERE registrar_id = $1 AND name = $2 ORDER BY document.position LIMIT $3");
        self.db.all(&statement, values![registrar.to_string(), name, limit]).await
    }

    /// The documents that match a need best, best first. Only the newest five thousand documents are scored.
    pub async fn documents_fitting(&self, need: &Need, limit: i64) -> Result<Vec<DocumentView>, StoreError> {
        let statement = ranked(self.db.dialect());
        let needles = json!(need.needles()).to_string();
        self.db.all(&statement, values![&needles, limit]).await
    }
}

pub(super) fn text_of(hash: &DocumentHash, data: Option<&str>) -> Result<String, StoreError> {
    match DocumentEvent::decode("protocol.registered", data.unwrap_or_default())? {
        DocumentEvent::Registered(DocumentRegistered { text, .. }) => Ok(text),
        _ => Err(StoreError::Damaged(format!("the event that registered the document {hash} has another type"))),
    }
}
