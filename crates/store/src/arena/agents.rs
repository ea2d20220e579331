//! Arena tokens, and what agents say of themselves.

use std::collections::{HashMap, HashSet};

use buildtrack_macros::boxed;
use buildtrack_domain::ids::AgentId;
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::{
    Store, StoreError,
    database::{Tx, columns::parse, execute, read},
};

/// What the arena keeps of an agent beside its enrolment.
#[derive(Debug, Clone, Default, PartialEq, Eq, sqlx::FromRow)]
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
    execute!(
        tx,
        "INSERT INTO arena_agents (agent_id, token_hash, token_created_at) VALUES ($1, $2, $3) \
         ON CONFLICT (agent_id) DO UPDATE SET token_hash = excluded.token_hash, \
         token_created_at = excluded.token_created_at",
        agent_id.to_string(),
        hash,
        now,
    );
    Ok(())
}

/// Ends an agent's arena token, if it has one.
pub(super) async fn remove_token(tx: &mut Tx<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE arena_agents SET token_hash = NULL, token_created_at = NULL WHERE agent_id = $1",
        agent_id.to_string(),
    );
    Ok(())
}

pub(super) async fn describe(
    tx: &mut Tx<'_>,
    agent_id: AgentId,
    name: Option<&str>,
    model: Option<&str>,
) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO arena_agents (agent_id, name, model) VALUES ($1, $2, $3) ON CONFLICT (agent_id) \
         DO UPDATE SET name = coalesce(excluded.name, arena_agents.name), \
         model = coalesce(excluded.model, arena_agents.model)",
        agent_id.to_string(),
        name,
        model,
    );
    Ok(())
}

#[boxed]
impl Store {
    /// The agent whose arena token has this SHA-256.
    pub async fn arena_token(&self, token_hash: &str) -> Result<Option<AgentId>, StoreError> {
        let found: Option<String> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT agent_id FROM arena_agents WHERE token_hash = $1")
                .bind(token_hash)
                .fetch_optional(pool)
                .await?
        });
        found.as_deref().map(parse).transpose()
    }

    /// Of the arena tokens with these SHA-256, those that are valid now, each with its agent. One statement; keep the list bounded.
    pub async fn arena_tokens_in_force(&self, token_hashes: &[&str]) -> Result<HashMap<String, AgentId>, StoreError> {
        let listed = self.db.dialect().listed(1);
        let statement =
            format!("SELECT token_hash, agent_id FROM arena_agents WHERE token_hash IN (SELECT value FROM {listed})");
        let rows: Vec<(String, String)> = read!(&self.db, |pool| {
            sqlx::query_as(&statement).bind(json!(token_hashes).to_string()).fetch_all(pool).await?
        });
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
        let rows: Vec<String> = read!(&self.db, |pool| {
            sqlx::query_scalar(&statement).bind(json!(ids).to_string()).fetch_all(pool).await?
        });
        rows.iter().map(|id| parse(id)).collect()
    }

    /// What the arena keeps of an agent beside its enrolment.
    pub async fn arena_agent(&self, agent_id: AgentId) -> Result<ArenaAgent, StoreError> {
        let found = read!(&self.db, |pool| {
            sqlx::query_as("SELECT token_created_at, name, model FROM arena_agents WHERE agent_id = $1")
                .bind(agent_id.to_string())
                .fetch_optional(pool)
                .await?
        });
        Ok(found.unwrap_or_default())
    }
}
