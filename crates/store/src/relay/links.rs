//! Links between dids and the platform's agents.

use buildtrack_domain::{
    ids::AgentId,
    relay::{Did, directory::LinkEvent},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Tx, columns::parse, values},
    log::Recorded,
    relay::Relay,
};

/// An agent of the platform, linked to an agent of the relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedAgent {
    /// The agent's id.
    pub id: AgentId,
    /// Its name.
    pub name: String,
}

/// The did linked to an agent of the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkView {
    /// The did.
    pub did: Did,
    /// Position of the link on the log.
    pub position: i64,
    /// When it was linked.
    pub linked_at: DateTime<Utc>,
}

#[boxed]
impl Relay {
    /// The did of an agent, if it has one.
    pub async fn did_of(&self, agent_id: AgentId) -> Result<Option<LinkView>, StoreError> {
        let row: Option<(String, i64, DateTime<Utc>)> = self
            .db
            .optional(
                "SELECT did, position, linked_at FROM did_links WHERE agent_id = $1",
                values![agent_id.to_string()],
            )
            .await?;
        row.map(|(did, position, linked_at)| Ok(LinkView { did: parse(&did)?, position, linked_at })).transpose()
    }
}

pub(super) async fn link(tx: &mut Tx<'_>, recorded: &Recorded, event: &LinkEvent) -> Result<(), StoreError> {
    match event {
        LinkEvent::Linked(data) => {
            tx.execute(
                "INSERT INTO did_links (did, agent_id, position, linked_at) VALUES ($1, $2, $3, $4)",
                values![data.did.as_str(), data.agent_id.to_string(), recorded.position, recorded.recorded_at],
            )
            .await?
        }
        LinkEvent::Unlinked(data) => {
            tx.execute("DELETE FROM did_links WHERE did = $1", values![data.did.as_str()]).await?
        }
    };
    Ok(())
}
