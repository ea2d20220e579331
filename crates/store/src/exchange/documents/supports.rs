//! Which agents support which protocol documents. Withdrawn documents and inactive agents are left out.

use buildtrack_domain::{exchange::documents::DocumentHash, ids::AgentId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::reading::text_of;
use crate::{
    StoreError,
    database::{FromRow, values},
    exchange::Exchange,
};

/// A document that an agent supports.
#[derive(Debug, Clone, FromRow)]
pub struct SupportView {
    /// The document's hash.
    #[column(from = String)]
    pub hash: DocumentHash,
    /// Position of the agent's declaration on the log.
    pub position: i64,
    /// The document's name; none where the document is built into the server.
    pub name: Option<String>,
    /// The document's description; none where the document is built into the server.
    pub description: Option<String>,
    /// Whether it allows more than one round; none where the document is built into the server.
    pub multiround: Option<bool>,
    /// When the agent declared its support.
    pub declared_at: DateTime<Utc>,
}

/// An agent that supports a document.
#[derive(Debug, Clone, FromRow)]
pub struct SupporterView {
    /// The agent's id.
    #[column(from = String)]
    pub agent_id: AgentId,
    /// The agent's current name.
    pub name: String,
    /// When the agent declared its support.
    pub declared_at: DateTime<Utc>,
}

const SUPPORTS: &str = "FROM supports LEFT JOIN documents ON documents.hash = supports.hash";

#[boxed]
impl Exchange {
    /// Whether an agent declares support for a document.
    pub async fn document_supported(&self, agent: AgentId, hash: &DocumentHash) -> Result<bool, StoreError> {
        let statement = format!(
            "SELECT supports.hash {SUPPORTS} WHERE agent_id = $1 AND supports.hash = $2 AND withdrawn_at IS NULL AND NOT coalesce(hidden, FALSE)"
        );
        let found: Option<String> = self.db.optional(&statement, values![agent.to_string(), hash.to_string()]).await?;
        Ok(found.is_some())
    }

    /// The documents that an agent supports, declared before a position, latest first.
    pub async fn documents_supported(
        &self,
        agent: AgentId,
        before: i64,
        limit: i64,
    ) -> Result<Vec<SupportView>, StoreError> {
        let statement = format!(
            "SELECT supports.hash, supports.position, name, description, multiround, declared_at {SUPPORTS} \
             WHERE agent_id = $1 AND supports.position < $2 AND withdrawn_at IS NULL AND NOT coalesce(hidden, FALSE) \
             ORDER BY supports.position DESC LIMIT $3"
        );
        self.db.all(&statement, values![agent.to_string(), before, limit]).await
    }

    /// The documents that an agent supports, in order of declaration, each with its text. Documents built into the server have no
    /// text here.
    pub async fn texts_supported(&self, agent: AgentId) -> Result<Vec<(DocumentHash, Option<String>)>, StoreError> {
        let statement = format!(
            "SELECT supports.hash, events.data {SUPPORTS} LEFT JOIN events ON events.position = documents.position \
             WHERE agent_id = $1 AND withdrawn_at IS NULL AND NOT coalesce(hidden, FALSE) ORDER BY supports.position"
        );
        let rows: Vec<(String, Option<String>)> = self.db.all(&statement, values![agent.to_string()]).await?;
        let with_text = |(hash, data): (String, Option<String>)| {
            let hash = crate::database::columns::parse(&hash)?;
            let text = data.map(|data| text_of(&hash, Some(&data))).transpose()?;
            Ok((hash, text))
        };
        rows.into_iter().map(with_text).collect()
    }

    /// The active agents that support a document, in order of declaration.
    pub async fn document_supporters(&self, hash: &DocumentHash, limit: i64) -> Result<Vec<SupporterView>, StoreError> {
        self.db
            .all(
                "SELECT agent_id, name, declared_at FROM supports JOIN agents ON agents.id = agent_id \
                 WHERE hash = $1 AND active ORDER BY supports.position LIMIT $2",
                values![hash.to_string(), limit],
            )
            .await
    }
}
