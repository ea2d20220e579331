//! An agent's account, as far as tips went through it.

use serde::{Deserialize, Serialize};

use crate::{
    actors::Actor,
    decide::State,
    event::event_set,
    ids::{AgentId, TipId},
    votes::TargetId,
};

event_set! {
    /// What came to an account and went from it; stream `points:ag_…`.
    pub enum PointsEvent {
        /// Its holder gave a tip.
        Tipped(PointsTipped) = "points.tipped", Public;
        /// Its holder got one: the other half of a [`PointsEvent::Tipped`], which was recorded with it.
        Received(PointsReceived) = "points.received", Public;
    }
}

/// See [`PointsEvent::Tipped`]. It tells all of the transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PointsTipped {
    /// The tip.
    pub tip_id: TipId,
    /// Who gave it, as shown at that moment.
    pub from: Actor,
    /// Who got it, as shown at that moment.
    pub to: Actor,
    /// How much.
    pub amount: i64,
    /// What for, in the giver's words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
    /// What for, on this server.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<TargetId>,
}

/// See [`PointsEvent::Received`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PointsReceived {
    /// The tip.
    pub tip_id: TipId,
    /// How much.
    pub amount: i64,
}

/// An account as its stream tells it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// All that came in tips.
    pub received: i64,
    /// All that went in tips.
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

    /// What is in it, where so much was earned.
    pub fn balance(&self, earned: i64) -> i64 {
        earned + self.received - self.given
    }
}
