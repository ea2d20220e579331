//! Documents as they are read.

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    event::EventSet,
    exchange::documents::{DocumentEvent, DocumentHash, DocumentRegistered},
    ids::AgentId,
    search::{Need, Query, Term},
};
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::{
    Store, StoreError,
    db::{Db, read},
    postgres,
    search::Dialect,
    sqlite,
};

/// A document, without its text.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct DocumentView {
    /// Its name.
    #[sqlx(try_from = "String")]
    pub hash: DocumentHash,
    /// Where it was registered on the log.
    pub position: i64,
    /// The SHA-256 of its text, in hexadecimal digits.
    pub sha256: String,
    /// What it says that it is called.
    pub name: String,
    /// What it says that it is for.
    pub description: String,
    /// Whether it takes more than one round.
    pub multiround: bool,
    /// Who has registered it.
    #[sqlx(try_from = "String")]
    pub registrar_id: ActorId,
    /// The registrar's name at that moment.
    pub registrar_name: String,
    /// `ai-agent` or `human`.
    #[sqlx(try_from = "String")]
    pub registrar_type: ActorKind,
    /// The registrar's model at that moment.
    pub registrar_model: Option<String>,
    /// When it was registered.
    pub registered_at: DateTime<Utc>,
    /// Since when it is listed no more.
    pub withdrawn_at: Option<DateTime<Utc>>,
}

/// Which documents to list: of those that are not withdrawn, the one that was registered last first.
#[derive(Debug, Clone, Default)]
pub struct DocumentFilter {
    /// Only with these words in name and description.
    pub query: Option<Query>,
    /// Only of this very name.
    pub name: Option<String>,
    /// Only registered by this agent or owner.
    pub registrar: Option<ActorId>,
    /// Only those that this agent answers by.
    pub supported_by: Option<AgentId>,
    /// Only registered before this position.
    pub before: Option<i64>,
    /// At most so many.
    pub limit: i64,
}

const DOCUMENT: &str = "SELECT document.hash, document.position, sha256, name, description, multiround, registrar_id, \
                        registrar_name, registrar_type, registrar_model, registered_at, withdrawn_at \
                        FROM documents AS document";

fn dialect(db: &Db) -> &'static Dialect {
    match db {
        Db::Postgres { .. } => &postgres::SEARCH,
        Db::Sqlite { .. } => &sqlite::SEARCH,
    }
}

fn listing(dialect: &Dialect) -> String {
    let (wanted, unwanted, find) = (dialect.listed(1), dialect.listed(2), dialect.find);
    format!(
        "{DOCUMENT} WHERE withdrawn_at IS NULL AND NOT hidden \
         AND NOT EXISTS (SELECT 1 FROM {wanted} WHERE {find}(document.words, listed.value) = 0) \
         AND NOT EXISTS (SELECT 1 FROM {unwanted} WHERE {find}(document.words, listed.value) > 0) \
         AND (CAST($3 AS TEXT) IS NULL OR name = $3) AND (CAST($4 AS TEXT) IS NULL OR registrar_id = $4) \
         AND (CAST($5 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM supports \
         WHERE supports.hash = document.hash AND agent_id = $5)) \
         AND document.position < $6 ORDER BY document.position DESC LIMIT $7"
    )
}

/// How many documents are looked at for a need: those that were registered last.
const LOOKED_AT: i64 = 5000;

/// As [`Need::score`] counts it.
fn fitting(dialect: &Dialect) -> String {
    let (listed, find) = (dialect.listed(1), dialect.find);
    format!(
        "{DOCUMENT} JOIN (SELECT hash, (SELECT CAST(sum(CASE WHEN {find}(words, listed.value) = 0 THEN 0 \
         WHEN {find}(words, listed.value) < {find}(words, '\n') THEN 2 ELSE 1 END) AS BIGINT) FROM {listed}) AS score \
         FROM (SELECT hash, words FROM documents WHERE withdrawn_at IS NULL AND NOT hidden ORDER BY position DESC LIMIT {LOOKED_AT}) \
         AS newest) AS scored ON scored.hash = document.hash \
         WHERE score > 0 ORDER BY score DESC, document.position DESC LIMIT $2"
    )
}

impl Store {
    /// One document, withdrawn or not.
    pub async fn document(&self, hash: &DocumentHash) -> Result<Option<DocumentView>, StoreError> {
        let statement = format!("{DOCUMENT} WHERE document.hash = $1");
        Ok(read!(&self.db, |pool| { sqlx::query_as(&statement).bind(hash.to_string()).fetch_optional(pool).await? }))
    }

    /// The text of a document, withdrawn or not.
    pub async fn document_text(&self, hash: &DocumentHash) -> Result<Option<String>, StoreError> {
        let data: Option<Option<String>> = read!(&self.db, |pool| {
            sqlx::query_scalar(
                "SELECT data FROM documents JOIN events ON events.position = documents.position \
                 WHERE documents.hash = $1 AND NOT hidden",
            )
            .bind(hash.to_string())
            .fetch_optional(pool)
            .await?
        });
        data.map(|data| text_of(hash, data.as_deref())).transpose()
    }

    /// A list of documents.
    pub async fn listed_documents(&self, filter: &DocumentFilter) -> Result<Vec<DocumentView>, StoreError> {
        let statement = listing(dialect(&self.db));
        let needles = |terms: fn(&Query) -> &[Term]| {
            let terms = filter.query.as_ref().map(terms).unwrap_or_default();
            json!(terms.iter().map(Term::needle).collect::<Vec<_>>()).to_string()
        };
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&statement)
                .bind(needles(Query::wanted))
                .bind(needles(Query::unwanted))
                .bind(filter.name.as_deref())
                .bind(filter.registrar.map(|registrar| registrar.to_string()))
                .bind(filter.supported_by.map(|agent| agent.to_string()))
                .bind(filter.before.unwrap_or(i64::MAX))
                .bind(filter.limit)
                .fetch_all(pool)
                .await?
        }))
    }

    /// The documents of one name by one registrar, withdrawn ones too, in the order in which they were registered.
    pub async fn document_versions(
        &self,
        registrar: ActorId,
        name: &str,
        limit: i64,
    ) -> Result<Vec<DocumentView>, StoreError> {
        let statement = format!("{DOCUMENT} WHERE registrar_id = $1 AND name = $2 ORDER BY document.position LIMIT $3");
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&statement).bind(registrar.to_string()).bind(name).bind(limit).fetch_all(pool).await?
        }))
    }

    /// The documents that answer a need best, the best first. The newest five thousand are looked at.
    pub async fn documents_fitting(&self, need: &Need, limit: i64) -> Result<Vec<DocumentView>, StoreError> {
        let statement = fitting(dialect(&self.db));
        let needles = json!(need.needles()).to_string();
        Ok(read!(&self.db, |pool| { sqlx::query_as(&statement).bind(&needles).bind(limit).fetch_all(pool).await? }))
    }
}

pub(super) fn text_of(hash: &DocumentHash, data: Option<&str>) -> Result<String, StoreError> {
    match DocumentEvent::decode("protocol.registered", data.unwrap_or_default())? {
        DocumentEvent::Registered(DocumentRegistered { text, .. }) => Ok(text),
        _ => Err(StoreError::Damaged(format!("the document {hash} was registered by something else"))),
    }
}
