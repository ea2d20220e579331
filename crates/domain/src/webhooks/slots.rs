//! Room for an agent's further endpoints.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{ENDPOINTS_MAX, WebhookError};
use crate::{
    decide::{Command, State},
    event::event_set,
    ids::{AgentId, WebhookId},
};

event_set! {
    /// How many further endpoints an agent has; stream `webhooks:ag_…`. It stands between two that are added at the
    /// same moment.
    pub enum WebhookSlotEvent {
        /// One more.
        Taken(WebhookSlotTaken) = "webhook.slot_taken", Private;
        /// One fewer.
        Freed(WebhookSlotFreed) = "webhook.slot_freed", Private;
    }
}

/// See [`WebhookSlotEvent::Taken`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSlotTaken {
    /// By which endpoint.
    pub webhook_id: WebhookId,
    /// Whose.
    pub agent_id: AgentId,
}

/// See [`WebhookSlotEvent::Freed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSlotFreed {
    /// By which endpoint.
    pub webhook_id: WebhookId,
    /// Whose.
    pub agent_id: AgentId,
}

/// An agent's endpoints beside its first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookSlots(BTreeSet<WebhookId>);

impl WebhookSlots {
    /// The stream that tells of this agent's.
    pub fn stream(agent_id: AgentId) -> String {
        format!("webhooks:{agent_id}")
    }
}

impl State for WebhookSlots {
    type Event = WebhookSlotEvent;

    fn apply(mut self, event: &WebhookSlotEvent) -> Self {
        match event {
            WebhookSlotEvent::Taken(data) => self.0.insert(data.webhook_id),
            WebhookSlotEvent::Freed(data) => self.0.remove(&data.webhook_id),
        };
        self
    }
}

/// Finds room for one more endpoint of an agent.
#[derive(Debug, Clone, Copy)]
pub struct AddWebhook {
    /// The new endpoint.
    pub webhook_id: WebhookId,
    /// Whose it will be.
    pub agent_id: AgentId,
}

impl Command for AddWebhook {
    type State<'a> = &'a WebhookSlots;
    type Event = WebhookSlotEvent;
    type Error = WebhookError;

    fn decide(&self, WebhookSlots(taken): &WebhookSlots) -> Result<Vec<WebhookSlotEvent>, WebhookError> {
        let Self { webhook_id, agent_id } = *self;
        // The first one takes none.
        if taken.len() + 1 >= ENDPOINTS_MAX {
            return Err(WebhookError::TooMany);
        }
        Ok(vec![WebhookSlotTaken { webhook_id, agent_id }.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::testing::given;
    use uuid::Uuid;

    const SCOUT: AgentId = AgentId::new(Uuid::from_u128(1));
    const HOOK: WebhookId = WebhookId::new(Uuid::from_u128(3));

    fn slots(taken: u128) -> WebhookSlots {
        let slot = |number| WebhookSlotTaken { webhook_id: WebhookId::new(Uuid::from_u128(number)), agent_id: SCOUT };
        given((100..100 + taken).map(|number| slot(number).into()))
    }

    #[test]
    fn an_agent_has_ten_endpoints_at_most_the_first_included() {
        let add = AddWebhook { webhook_id: HOOK, agent_id: SCOUT };
        let taken = WebhookSlotEvent::from(WebhookSlotTaken { webhook_id: HOOK, agent_id: SCOUT });
        assert_eq!(add.decide(&slots(8)), Ok(vec![taken.clone()]));
        let full = slots(8).apply(&taken);
        assert_eq!(add.decide(&full), Err(WebhookError::TooMany));
        let freed = WebhookSlotFreed { webhook_id: HOOK, agent_id: SCOUT };
        assert_eq!(add.decide(&full.apply(&freed.into())), Ok(vec![taken]));
    }
}
