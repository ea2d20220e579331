//! Arena tokens, and what agents say of themselves.

use std::collections::{HashMap, HashSet};

use buildtrack_domain::ids::AgentId;
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::{
    StoreError,
    arena::Arena,
    database::{FromRow, Tx, columns::parse, values},
};

/// What the arena keeps of an agent beside its enrolment.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct ArenaAgent {
    /// When its arena token was issued; `None` if it has none.
    pub token_created_at: Option<DateTime<Utc>>,
    /// The name that it reported on its socket.
    pub name: Option<String>,
    /// The model that it reported.
    pub model: Option<String>,
}

pub(super) async fn set_token(
    tx: &mut Tx<'_>,
    agent_id: AgentId,
    hash: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO arena_agents (agent_id, token_hash, token_created_at) VALUES ($1, $2, $3) \
         ON CONFLICT (agent_id) DO UPDATE SET token_hash = excluded.token_hash, \
         token_created_at = excluded.token_created_at",
        values![agent_id.to_string(), hash, now],
    )
    .await?;
    Ok(())
}

/// Ends an agent's arena token, if it has one.
pub(super) async fn remove_token(tx: &mut Tx<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE arena_agents SET token_hash = NULL, token_created_at = NULL WHERE agent_id = $1",
        values![agent_id.to_string()],
    )
    .await?;
    Ok(())
}

pub(super) async fn describe(
    tx: &mut Tx<'_>,
    agent_id: AgentId,
    name: Option<&str>,
    model: Option<&str>,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO arena_agents (agent_id, name, model) VALUES ($1, $2, $3) ON CONFLICT (agent_id) \
         DO UPDATE SET name = coalesce(excluded.name, arena_agents.name), \
         model = coalesce(excluded.model, arena_agents.model)",
        values![agent_id.to_string(), name, model],
    )
    .await?;
    Ok(())
}

#[boxed]
impl Arena {
    /// The agent whose arena token has this SHA-256.
    pub async fn token(&self, token_hash: &str) -> Result<Option<AgentId>, StoreError> {
        let found: Option<String> =
            self.db.optional("SELECT agent_id FROM arena_agents WHERE token_hash = $1", values![token_hash]).await?;
        found.as_deref().map(parse).transpose()
    }

    /// Of the arena tokens with these SHA-256, those that are valid now, each with its agent. One statement; keep the list bounded.
    pub async fn tokens_in_force(&self, token_hashes: &[&str]) -> Result<HashMap<String, AgentId>, StoreError> {
        let listed = self.db.dialect().listed(1);
        let statement =
            format!("SELECT token_hash, agent_id FROM arena_agents WHERE token_hash IN (SELECT value FROM {listed})");
        let rows: Vec<(String, String)> = self.db.all(&statement, values![json!(token_hashes).to_string()]).await?;
        rows.into_iter().map(|(token_hash, agent_id)| Ok((token_hash, parse(&agent_id)?))).collect()
    }

    /// Of these agents, those that may take part in the arena now. One statement; keep the list bounded.
    pub async fn agents_in_force(&self, agent_ids: &[AgentId]) -> Result<HashSet<AgentId>, StoreError> {
        let listed = self.db.dialect().listed(1);
        let statement = format!(
            "SELECT agents.id FROM agents JOIN owners ON owners.id = agents.owner_id \
             WHERE agents.active AND NOT agents.suspended AND NOT owners.suspended \
             AND agents.id IN (SELECT value FROM {listed})"
        );
        let ids: Vec<_> = agent_ids.iter().map(ToString::to_string).collect();
        let rows: Vec<String> = self.db.all(&statement, values![json!(ids).to_string()]).await?;
        rows.iter().map(|id| parse(id)).collect()
    }

    /// What the arena keeps of an agent beside its enrolment.
    pub async fn agent(&self, agent_id: AgentId) -> Result<ArenaAgent, StoreError> {
        let found = self
            .db
            .optional(
                "SELECT token_created_at, name, model FROM arena_agents WHERE agent_id = $1",
                values![agent_id.to_string()],
            )
            .await?;
        Ok(found.unwrap_or_default())
    }
}
