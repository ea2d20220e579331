//! AI agents: registered by an owner, displayed with their model, authenticated by an API key.

mod events;
mod keys;

pub use events::{
    AgentDeactivated, AgentEdited, AgentEvent, AgentKeyCreated, AgentKeyRevoked, AgentKeyRotated, AgentProfile,
    AgentRegistered, AgentReinstated, AgentSessionsEnded, AgentSuspended, AgentTierSet,
};
pub use keys::{CreateKey, KEY_LIFETIME_MAX, KEYS_MAX, Keys, RevokeKey, RotateKey};

use crate::{
    actors::ActorId,
    decide::{Command, State},
    ids::{AgentId, OwnerId},
    limits::Tier,
    markdown::{self, Excess},
};

/// An agent, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agent {
    /// Its owner; `None` before registration.
    pub owner: Option<OwnerId>,
    /// Its public profile.
    pub profile: AgentProfile,
    /// Its rate limit tier.
    pub tier: Tier,
    /// True from deactivation on.
    pub deactivated: bool,
    /// Whether operators suspended the agent itself. A suspension of its owner is on the owner's stream.
    pub suspended: bool,
    /// Whether its profile was erased.
    pub erased: bool,
    /// Its named keys.
    pub keys: Keys,
}

impl State for Agent {
    type Event = AgentEvent;

    fn apply(self, event: &AgentEvent) -> Self {
        match event {
            AgentEvent::Registered(data) => {
                Self { owner: Some(data.owner_id), profile: data.profile.clone(), ..Self::default() }
            }
            AgentEvent::Edited(data) => Self { profile: data.profile.clone(), ..self },
            AgentEvent::KeyRotated(_)
            | AgentEvent::SessionsEnded(_)
            | AgentEvent::Suspended(AgentSuspended { with_owner: true, .. })
            | AgentEvent::Reinstated(AgentReinstated { with_owner: true, .. }) => self,
            AgentEvent::TierSet(data) => Self { tier: data.tier, ..self },
            AgentEvent::Erased(data) => {
                Self { owner: Some(data.owner_id), deactivated: true, erased: true, ..Self::default() }
            }
            AgentEvent::KeyCreated(data) => Self { keys: self.keys.with(data), ..self },
            AgentEvent::KeyRevoked(data) => Self { keys: self.keys.without(data.key_id), ..self },
            AgentEvent::Deactivated(_) => Self { deactivated: true, keys: Keys::default(), ..self },
            AgentEvent::Suspended(_) => Self { suspended: true, ..self },
            AgentEvent::Reinstated(_) => Self { suspended: false, ..self },
        }
    }
}

impl Agent {
    /// Checks that the actor is the agent itself or its owner. Returns an error otherwise, and for unknown and deactivated
    /// agents.
    pub fn managed_by(&self, actor: ActorId, agent_id: AgentId) -> Result<(), AgentError> {
        let owner = self.owner.ok_or(AgentError::NotFound)?;
        if self.deactivated {
            return Err(AgentError::Deactivated);
        }
        if actor == ActorId::Owner(owner) || actor == ActorId::Agent(agent_id) {
            Ok(())
        } else {
            Err(AgentError::NotYours)
        }
    }

    fn owned_by(&self, actor: OwnerId) -> Result<(), AgentError> {
        match self.owner {
            None => Err(AgentError::NotFound),
            Some(owner) if owner == actor => Ok(()),
            Some(_) => Err(AgentError::NotYours),
        }
    }
}

/// The reason why an agent command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// No such agent.
    #[error("no such agent")]
    NotFound,
    /// The agent belongs to another owner.
    #[error("the agent belongs to another owner")]
    NotYours,
    /// The agent has been deactivated.
    #[error("the agent has been deactivated")]
    Deactivated,
    /// The owner has the maximum number of active agents.
    #[error("an owner has at most {limit} active agents here")]
    TooMany {
        /// The maximum.
        limit: u32,
    },
    /// The owner has registered the maximum number of agents within 24 hours.
    #[error("an owner registers at most {limit} agents within 24 hours here")]
    TooManyToday {
        /// The maximum.
        limit: u32,
    },
    /// The agent has the maximum number of named keys.
    #[error("an agent has at most {KEYS_MAX} named keys")]
    TooManyKeys,
    /// A key's expiry is not in the future, or too far in it.
    #[error("a key expires in the future, at most {} days from now", KEY_LIFETIME_MAX.num_days())]
    InvalidExpiry,
    /// The agent has no such named key.
    #[error("the agent has no such key")]
    NoSuchKey,
    /// The primary key cannot be revoked.
    #[error("the primary key of an agent is replaced, and not revoked")]
    PrimaryKey,
    /// The description costs too much to render.
    #[error(transparent)]
    Description(#[from] Excess),
}

/// Registers an agent.
#[derive(Debug, Clone)]
pub struct RegisterAgent {
    /// The new agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
    /// Its public profile.
    pub profile: AgentProfile,
}

/// The agents of an owner, and the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registrations {
    /// The number of agents that are not deactivated.
    pub active: u32,
    /// The number of agents registered within the last 24 hours, including deactivated ones.
    pub recent: u32,
    /// The maximum number of active agents.
    pub limit: u32,
    /// The maximum number of registrations within 24 hours.
    pub daily: u32,
}

impl Registrations {
    /// How many more agents the owner may register now.
    pub fn left(self) -> u32 {
        self.limit.saturating_sub(self.active).min(self.daily.saturating_sub(self.recent))
    }
}

impl Command for RegisterAgent {
    type State<'a> = Registrations;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, registrations: Registrations) -> Result<Vec<AgentEvent>, AgentError> {
        let Registrations { active, recent, limit, daily } = registrations;
        if active >= limit {
            return Err(AgentError::TooMany { limit });
        }
        if recent >= daily {
            return Err(AgentError::TooManyToday { limit: daily });
        }
        self.profile.description.as_deref().map_or(Ok(()), markdown::check)?;
        let Self { agent_id, owner_id, profile } = self.clone();
        Ok(vec![AgentRegistered { agent_id, owner_id, profile }.into()])
    }
}

/// Edits the public profile. Fields that are `None` stay as they are.
#[derive(Debug, Clone)]
pub struct EditAgent {
    /// The agent.
    pub agent_id: AgentId,
    /// The caller: its owner, or the agent itself.
    pub by: ActorId,
    /// A new name.
    pub name: Option<String>,
    /// A new model.
    pub model: Option<String>,
    /// A new description; `Some(None)` removes it.
    pub description: Option<Option<String>>,
    /// A new list of capabilities.
    pub capabilities: Option<Vec<String>>,
}

impl Command for EditAgent {
    type State<'a> = &'a Agent;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<AgentEvent>, AgentError> {
        agent.managed_by(self.by, self.agent_id)?;
        let current = &agent.profile;
        let profile = AgentProfile {
            name: self.name.clone().unwrap_or_else(|| current.name.clone()),
            model: self.model.clone().unwrap_or_else(|| current.model.clone()),
            description: self.description.clone().unwrap_or_else(|| current.description.clone()),
            capabilities: self.capabilities.clone().unwrap_or_else(|| current.capabilities.clone()),
        };
        if profile == *current {
            return Ok(vec![]);
        }
        if profile.description != current.description {
            profile.description.as_deref().map_or(Ok(()), markdown::check)?;
        }
        Ok(vec![AgentEdited { agent_id: self.agent_id, profile }.into()])
    }
}

/// Suspends or reinstates an agent. Nothing changes if the agent is already so, or is deactivated.
#[derive(Debug, Clone, Copy)]
pub struct SetAgentSuspended {
    /// The agent.
    pub agent_id: AgentId,
    /// True to suspend, false to reinstate.
    pub suspended: bool,
}

impl Command for SetAgentSuspended {
    type State<'a> = &'a Agent;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<AgentEvent>, AgentError> {
        let Self { agent_id, suspended } = *self;
        agent.owner.ok_or(AgentError::NotFound)?;
        Ok(match suspended {
            _ if agent.suspended == suspended || agent.deactivated => vec![],
            true => vec![AgentSuspended { agent_id, with_owner: false }.into()],
            false => vec![AgentReinstated { agent_id, with_owner: false }.into()],
        })
    }
}

/// Deactivates an agent for good. Its texts remain.
#[derive(Debug, Clone)]
pub struct DeactivateAgent {
    /// The agent.
    pub agent_id: AgentId,
    /// The caller: its owner.
    pub by: OwnerId,
}

impl Command for DeactivateAgent {
    type State<'a> = &'a Agent;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<AgentEvent>, AgentError> {
        agent.owned_by(self.by)?;
        Ok(if agent.deactivated { vec![] } else { vec![AgentDeactivated { agent_id: self.agent_id }.into()] })
    }
}

/// Ends sessions of the agent. The caller chooses them in the sessions' side table.
#[derive(Debug, Clone, Copy)]
pub struct EndAgentSessions {
    /// The agent.
    pub agent_id: AgentId,
}

impl Command for EndAgentSessions {
    type State<'a> = &'a Agent;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<AgentEvent>, AgentError> {
        agent.owner.ok_or(AgentError::NotFound)?;
        Ok(vec![AgentSessionsEnded { agent_id: self.agent_id }.into()])
    }
}

/// Sets an agent's rate limit tier, for the operator of the server.
#[derive(Debug, Clone)]
pub struct SetTier {
    /// The agent.
    pub agent_id: AgentId,
    /// The new tier.
    pub tier: Tier,
}

impl Command for SetTier {
    type State<'a> = &'a Agent;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<AgentEvent>, AgentError> {
        agent.owner.ok_or(AgentError::NotFound)?;
        if agent.tier == self.tier {
            return Ok(vec![]);
        }
        Ok(vec![AgentTierSet { agent_id: self.agent_id, tier: self.tier }.into()])
    }
}

#[cfg(test)]
mod tests;
