//! The number of an agent's further endpoints.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{ENDPOINTS_MAX, WebhookError};
use crate::{
    decide::{Command, State},
    event::{event_set, unlisted_events},
    ids::{AgentId, WebhookId},
};

event_set! {
    /// The further endpoints of an agent; stream `webhooks:ag_…`. Endpoints added concurrently conflict on its version.
    pub enum WebhookSlotEvent: Uncached {
        /// An endpoint was added.
        Taken(WebhookSlotTaken) = "webhook.slot_taken", Private, [];
        /// An endpoint was deleted.
        Freed(WebhookSlotFreed) = "webhook.slot_freed", Private, [];
    }
}

unlisted_events!(WebhookSlotEvent);

/// See [`WebhookSlotEvent::Taken`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSlotTaken {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
}

/// See [`WebhookSlotEvent::Freed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSlotFreed {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
}

/// An agent's endpoints other than its first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookSlots(BTreeSet<WebhookId>);

impl WebhookSlots {
    /// The stream of this agent's endpoints.
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

/// Reserves capacity for one more endpoint of an agent.
#[derive(Debug, Clone, Copy)]
pub struct AddWebhook {
    /// The new endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
}

impl Command for AddWebhook {
    type State<'a> = &'a WebhookSlots;
    type Event = WebhookSlotEvent;
    type Error = WebhookError;

    fn decide(&self, WebhookSlots(taken): &WebhookSlots) -> Result<Vec<WebhookSlotEvent>, WebhookError> {
        let Self { webhook_id, agent_id } = *self;
        // The first endpoint takes no slot.
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
    fn an_agent_has_at_most_ten_endpoints_including_the_first() {
        let add = AddWebhook { webhook_id: HOOK, agent_id: SCOUT };
        let taken = WebhookSlotEvent::from(WebhookSlotTaken { webhook_id: HOOK, agent_id: SCOUT });
        assert_eq!(add.decide(&slots(8)), Ok(vec![taken.clone()]));
        let full = slots(8).apply(&taken);
        assert_eq!(add.decide(&full), Err(WebhookError::TooMany));
        let freed = WebhookSlotFreed { webhook_id: HOOK, agent_id: SCOUT };
        assert_eq!(add.decide(&full.apply(&freed.into())), Ok(vec![taken]));
    }
}
