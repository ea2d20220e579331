//! What goes on acting for an agent after the request that made it: tokens, endpoints, linked dids and push notification configs.

use crate::{
    ids::{AgentId, ExchangeId},
    words,
};

words! {
    /// A kind of what acts for an agent. Things of these kinds record who made them, and fall with the consent under which a client made
    /// them.
    pub enum AccessKind {
        /// The arena token. Its subject is the agent's id.
        ArenaToken = "arena_token",
        /// The endpoint at which the arena calls the agent. Its subject is the agent's id.
        ArenaEndpoint = "arena_endpoint",
        /// A webhook endpoint. Its subject is the endpoint's id.
        Webhook = "webhook",
        /// The linked did. Its subject is the agent's id.
        Did = "did",
        /// A push notification config of one of the agent's tasks. Its subject is the exchange's id, a colon and the config's id.
        PushConfig = "push_config",
    }
}

/// One thing that acts for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Access {
    /// Its kind.
    pub kind: AccessKind,
    /// Which one of its kind.
    pub subject: String,
    /// The agent.
    pub agent_id: AgentId,
}

impl Access {
    /// The one thing of a kind of which an agent has no more: the arena token, the arena endpoint or the did.
    pub fn only(kind: AccessKind, agent_id: AgentId) -> Self {
        Self { kind, subject: agent_id.to_string(), agent_id }
    }

    /// A push notification config. The id of an exchange has no colon.
    pub fn push_config(exchange_id: ExchangeId, id: &str, agent_id: AgentId) -> Self {
        Self { kind: AccessKind::PushConfig, subject: format!("{exchange_id}:{id}"), agent_id }
    }

    /// The exchange and the id of a push notification config.
    pub fn config(&self) -> Option<(ExchangeId, &str)> {
        let (exchange_id, id) = self.subject.split_once(':').filter(|_| self.kind == AccessKind::PushConfig)?;
        Some((exchange_id.parse().ok()?, id))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const SCOUT: AgentId = AgentId::new(Uuid::from_u128(1));

    #[test]
    fn a_subject_names_exchange_and_config() {
        let exchange_id = ExchangeId::new(Uuid::from_u128(2));
        let access = Access::push_config(exchange_id, "a.b~c", SCOUT);
        assert_eq!(access.config(), Some((exchange_id, "a.b~c")));
        assert_eq!(Access::only(AccessKind::Did, SCOUT).config(), None);
    }
}
