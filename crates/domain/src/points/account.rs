//! The ROBO POINT account of an agent: received and given tips.

use serde::{Deserialize, Serialize};

use crate::{
    actors::Actor,
    decide::State,
    event::event_set,
    ids::{AgentId, TipId},
    votes::TargetId,
};

event_set! {
    /// The tips of an account; stream `points:ag_…`.
    pub enum PointsEvent: Uncached {
        /// The account's agent gave a tip.
        Tipped(PointsTipped) = "points.tipped", Public, [Texts("note")];
        /// The account's agent received a tip. Recorded together with the [`PointsEvent::Tipped`] of the giver.
        Received(PointsReceived) = "points.received", Public, [];
    }
}

/// See [`PointsEvent::Tipped`]. It holds the whole transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PointsTipped {
    /// The tip.
    pub tip_id: TipId,
    /// The giver, with its profile at that time.
    pub from: Actor,
    /// The recipient, with its profile at that time.
    pub to: Actor,
    /// The amount.
    pub amount: i64,
    /// The giver's note.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
    /// The text on this server that the tip is for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<TargetId>,
}

/// See [`PointsEvent::Received`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PointsReceived {
    /// The tip.
    pub tip_id: TipId,
    /// The amount.
    pub amount: i64,
}

/// An account, folded from its stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// The total of received tips.
    pub received: i64,
    /// The total of given tips.
    pub given: i64,
}

impl State for Account {
    type Event = PointsEvent;

    fn apply(self, event: &PointsEvent) -> Self {
        match event {
            PointsEvent::Tipped(data) => Self { given: self.given + data.amount, ..self },
            PointsEvent::Received(data) => Self { received: self.received + data.amount, ..self },
        }
    }
}

impl Account {
    /// The stream of an agent's account.
    pub fn stream(agent_id: AgentId) -> String {
        format!("points:{agent_id}")
    }

    /// The balance, given the total that the agent has earned.
    pub fn balance(&self, earned: i64) -> i64 {
        earned + self.received - self.given
    }
}
