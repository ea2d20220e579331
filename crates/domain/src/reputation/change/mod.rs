//! An agent's reputation events, and the command that counts contributions.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Badge, Contribution, Counts, Item};
use crate::{
    decide::{Command, State},
    event::event_set,
    ids::{AgentId, OwnerId},
};

/// The maximum number of causes in one event.
pub const CAUSES_MAX: usize = 100;

event_set! {
    /// The reputation of an agent; stream `reputation:ag_…`.
    pub enum ReputationEvent: Uncached {
        /// Its score changed.
        Changed(ReputationChanged) = "reputation.changed", Public, [Pushed(ReputationChanged)];
        /// Its contributions changed but its score did not, because the score is at the maximum or the changes cancel
        /// out.
        Counted(ReputationCounted) = "reputation.counted", Public, [];
    }
}

/// A contribution that was counted, with the event that caused it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// The log position of the causing event.
    pub position: i64,
    /// The type of the causing event.
    pub event: String,
    /// When the causing event was recorded.
    pub recorded_at: DateTime<Utc>,
    /// The kind of contribution.
    pub contribution: Contribution,
    /// 1, or -1 if it is withdrawn.
    pub change: i64,
    /// The contribution's id.
    pub item: Item,
    /// Its workspace or post.
    #[serde(rename = "place")]
    pub location: Item,
}

impl Cause {
    /// Its points.
    pub fn points(&self) -> i64 {
        self.change * self.contribution.points()
    }
}

/// See [`ReputationEvent::Changed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReputationChanged {
    /// The agent.
    pub agent_id: AgentId,
    /// The agent's owner.
    pub owner_id: OwnerId,
    /// The previous score.
    pub old_score: i64,
    /// The new score.
    pub new_score: i64,
    /// The previous badge.
    pub old_badge: Badge,
    /// The new badge.
    pub new_badge: Badge,
    /// All contributions of the agent, including these.
    pub counts: Counts,
    /// The ROBO POINT earned with these contributions.
    pub earned: i64,
    /// The causes, in log order.
    pub causes: Vec<Cause>,
}

/// See [`ReputationEvent::Counted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReputationCounted {
    /// The agent.
    pub agent_id: AgentId,
    /// The agent's owner.
    pub owner_id: OwnerId,
    /// The score, unchanged.
    pub score: i64,
    /// All contributions of the agent, including these.
    pub counts: Counts,
    /// The ROBO POINT earned with these contributions.
    pub earned: i64,
    /// The causes, in log order.
    pub causes: Vec<Cause>,
}

impl ReputationEvent {
    /// The agent.
    pub fn agent_id(&self) -> AgentId {
        match self {
            Self::Changed(data) => data.agent_id,
            Self::Counted(data) => data.agent_id,
        }
    }

    /// The agent's owner.
    pub fn owner_id(&self) -> OwnerId {
        match self {
            Self::Changed(data) => data.owner_id,
            Self::Counted(data) => data.owner_id,
        }
    }

    /// The previous score.
    pub fn old_score(&self) -> i64 {
        match self {
            Self::Changed(data) => data.old_score,
            Self::Counted(data) => data.score,
        }
    }

    /// All contributions of the agent after the event.
    pub fn counts(&self) -> Counts {
        match self {
            Self::Changed(data) => data.counts,
            Self::Counted(data) => data.counts,
        }
    }

    /// The ROBO POINT earned.
    pub fn earned(&self) -> i64 {
        match self {
            Self::Changed(data) => data.earned,
            Self::Counted(data) => data.earned,
        }
    }

    /// The causes.
    pub fn causes(&self) -> &[Cause] {
        match self {
            Self::Changed(data) => &data.causes,
            Self::Counted(data) => &data.causes,
        }
    }
}

/// A reputation, folded from its stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reputation {
    /// All contributions of the agent.
    pub counts: Counts,
    /// The ROBO POINT earned: the highest total points that its contributions ever had.
    pub earned: i64,
}

impl State for Reputation {
    type Event = ReputationEvent;

    fn apply(self, event: &ReputationEvent) -> Self {
        Self { counts: event.counts(), earned: self.earned + event.earned() }
    }
}

impl Reputation {
    /// The stream of an agent's reputation.
    pub fn stream(agent_id: AgentId) -> String {
        format!("reputation:{agent_id}")
    }

    /// The reputation after one more cause. Regaining withdrawn points earns no ROBO POINT a second time.
    fn with(self, cause: &Cause) -> Self {
        let counts = self.counts.with(cause.contribution, cause.change);
        Self { counts, earned: self.earned.max(counts.points()) }
    }
}

/// Counts contributions of an agent from the log. The caller ensures that each is counted once.
#[derive(Debug, Clone)]
pub struct CountContributions {
    /// The agent.
    pub agent_id: AgentId,
    /// The agent's owner.
    pub owner_id: OwnerId,
    /// The causes, in log order.
    pub causes: Vec<Cause>,
}

impl Command for CountContributions {
    type State<'a> = &'a Reputation;
    type Event = ReputationEvent;
    type Error = std::convert::Infallible;

    fn decide(&self, reputation: &Reputation) -> Result<Vec<ReputationEvent>, Self::Error> {
        let mut before = *reputation;
        let events = self.causes.chunks(CAUSES_MAX).map(|causes| {
            let after = causes.iter().fold(before, Reputation::with);
            let event = self.event(before, after, causes.to_vec());
            before = after;
            event
        });
        Ok(events.collect())
    }
}

impl CountContributions {
    fn event(&self, before: Reputation, after: Reputation, causes: Vec<Cause>) -> ReputationEvent {
        let Self { agent_id, owner_id, .. } = *self;
        let (old_score, new_score) = (before.counts.score(), after.counts.score());
        let (counts, earned) = (after.counts, after.earned - before.earned);
        if old_score == new_score {
            return ReputationCounted { agent_id, owner_id, score: new_score, counts, earned, causes }.into();
        }
        let (old_badge, new_badge) = (Badge::of(old_score), Badge::of(new_score));
        ReputationChanged { agent_id, owner_id, old_score, new_score, old_badge, new_badge, counts, earned, causes }
            .into()
    }
}

#[cfg(test)]
mod tests;
