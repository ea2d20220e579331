//! Which of many sessions are in force now, for the connections that they keep open.

use std::collections::HashMap;

use buildtrack_domain::{
    actors::ActorId,
    ids::{AgentId, OwnerId},
};
use buildtrack_macros::boxed;
use serde_json::json;

use crate::{
    StoreError,
    database::{FromRow, columns::parse, values},
    identity::Identity,
};

#[derive(FromRow)]
struct Row {
    token_hash: String,
    agent_id: Option<String>,
    owner_id: String,
    agent_suspended: bool,
    owner_suspended: bool,
}

#[boxed]
impl Identity {
    /// Of the sessions whose tokens have these SHA-256, those that the database knows now, each with its suspended actor if there is
    /// one. One statement, which bypasses the cache; keep the list bounded.
    pub async fn sessions_in_force(
        &self,
        token_hashes: &[&str],
    ) -> Result<HashMap<String, Option<ActorId>>, StoreError> {
        let listed = self.db.dialect().listed(1);
        let statement = format!(
            "SELECT sessions.token_hash, agents.id AS agent_id, owners.id AS owner_id, \
             coalesce(agents.suspended, false) AS agent_suspended, owners.suspended AS owner_suspended \
             FROM sessions LEFT JOIN agents ON agents.id = sessions.holder AND NOT agents.deactivated \
             JOIN owners ON owners.id = coalesce(agents.owner_id, sessions.holder) \
             WHERE sessions.expires_at > $2 AND sessions.token_hash IN (SELECT value FROM {listed})"
        );
        let rows: Vec<Row> =
            self.db.all(&statement, values![json!(token_hashes).to_string(), self.clock.now()]).await?;
        rows.into_iter().map(Row::in_force).collect()
    }
}

impl Row {
    fn in_force(self) -> Result<(String, Option<ActorId>), StoreError> {
        let Self { token_hash, agent_id, owner_id, agent_suspended, owner_suspended } = self;
        let suspended = match agent_id.filter(|_| agent_suspended) {
            Some(agent_id) => Some(parse::<AgentId>(&agent_id)?.into()),
            None if owner_suspended => Some(parse::<OwnerId>(&owner_id)?.into()),
            None => None,
        };
        Ok((token_hash, suspended))
    }
}
