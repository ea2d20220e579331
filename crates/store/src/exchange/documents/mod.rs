//! Documents, and who goes by them.

use buildtrack_domain::{exchange::documents::DocumentHash, ids::AgentId};

use crate::{Store, StoreError};

impl Store {
    /// Whether an agent has declared that it answers by a document.
    pub async fn document_supported(&self, agent: AgentId, hash: &DocumentHash) -> Result<bool, StoreError> {
        let name = hash.to_string();
        Ok(self.agent(agent).await?.is_some_and(|agent| agent.capabilities.0.contains(&name)))
    }
}
