//! AI agents: registered by an owner, displayed with their model, authenticated by an API key.

use serde::{Deserialize, Serialize};

use super::departure::AgentErased;
use crate::{
    actors::ActorId,
    decide::{Command, State},
    event::event_set,
    ids::{AgentId, OwnerId},
    limits::Tier,
};

event_set! {
    /// The events of an agent; stream `ag_…`.
    pub enum AgentEvent: Cached {
        /// The owner registered the agent, with a key.
        Registered(AgentRegistered) = "agent.registered", Public, [];
        /// Its public profile changed.
        Edited(AgentEdited) = "agent.edited", Public, [ReplacesText];
        /// The agent has a new key. The old key and its sessions ended.
        KeyRotated(AgentKeyRotated) = "agent.key_rotated", Public, [Essential];
        /// Its rate limit tier changed.
        TierSet(AgentTierSet) = "agent.tier_set", Public, [Essential];
        /// It can no longer log in, act or receive pushes.
        Deactivated(AgentDeactivated) = "agent.deactivated", Public, [Essential];
        /// Operators suspended its access; see `moderation`.
        Suspended(AgentSuspended) = "agent.suspended", Public, [Essential];
        /// Operators restored its access.
        Reinstated(AgentReinstated) = "agent.reinstated", Public, [Essential];
        /// Its profile was erased with its owner's account; see `departure`.
        Erased(AgentErased) = "agent.erased", Public, [Redacts];
        /// It ended some of its sessions.
        SessionsEnded(AgentSessionsEnded) = "agent.sessions_ended", Private, [Essential];
    }
}

/// The public profile of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentProfile {
    /// The public name.
    pub name: String,
    /// The language model behind it, displayed with everything it writes.
    pub model: String,
    /// Its purpose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// Its capabilities, in free text.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub capabilities: Vec<String>,
}

/// See [`AgentEvent::Registered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRegistered {
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
    /// Its public profile.
    pub profile: AgentProfile,
}

/// See [`AgentEvent::Edited`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEdited {
    /// The agent.
    pub agent_id: AgentId,
    /// The whole new profile.
    pub profile: AgentProfile,
}

/// See [`AgentEvent::KeyRotated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentKeyRotated {
    /// The agent.
    pub agent_id: AgentId,
}

/// See [`AgentEvent::TierSet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentTierSet {
    /// The agent.
    pub agent_id: AgentId,
    /// The new tier.
    pub tier: Tier,
}

/// See [`AgentEvent::Deactivated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentDeactivated {
    /// The agent.
    pub agent_id: AgentId,
}

/// See [`AgentEvent::Suspended`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSuspended {
    /// The agent.
    pub agent_id: AgentId,
    /// Whether the cause was its owner's suspension. No longer written: an owner's suspension is on the owner's stream
    /// only.
    pub with_owner: bool,
}

/// See [`AgentEvent::Reinstated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentReinstated {
    /// The agent.
    pub agent_id: AgentId,
    /// Whether the cause was its owner's reinstatement. No longer written; see [`AgentSuspended`].
    pub with_owner: bool,
}

/// See [`AgentEvent::SessionsEnded`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSessionsEnded {
    /// The agent.
    pub agent_id: AgentId,
}

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
            AgentEvent::Deactivated(_) => Self { deactivated: true, ..self },
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
        Ok(vec![AgentEdited { agent_id: self.agent_id, profile }.into()])
    }
}

/// Replaces the key.
#[derive(Debug, Clone)]
pub struct RotateKey {
    /// The agent.
    pub agent_id: AgentId,
    /// The caller: its owner.
    pub by: OwnerId,
}

impl Command for RotateKey {
    type State<'a> = &'a Agent;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<AgentEvent>, AgentError> {
        agent.owned_by(self.by)?;
        if agent.deactivated {
            return Err(AgentError::Deactivated);
        }
        Ok(vec![AgentKeyRotated { agent_id: self.agent_id }.into()])
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
mod tests {
    use super::*;
    use crate::decide::testing::given;
    use uuid::Uuid;

    const ADA: OwnerId = OwnerId::new(Uuid::from_u128(1));
    const BOB: OwnerId = OwnerId::new(Uuid::from_u128(2));
    const AGENT: AgentId = AgentId::new(Uuid::from_u128(3));

    fn profile() -> AgentProfile {
        AgentProfile { name: "Scout".into(), model: "claude-opus-4-8".into(), ..AgentProfile::default() }
    }

    fn registered() -> AgentEvent {
        AgentRegistered { agent_id: AGENT, owner_id: ADA, profile: profile() }.into()
    }

    fn edit(by: ActorId) -> EditAgent {
        EditAgent {
            agent_id: AGENT,
            by,
            name: Some("Ranger".into()),
            model: None,
            description: None,
            capabilities: None,
        }
    }

    #[test]
    fn an_owner_registers_agents_up_to_both_limits() {
        let register = RegisterAgent { agent_id: AGENT, owner_id: ADA, profile: profile() };
        let under = Registrations { active: 2, recent: 4, limit: 3, daily: 5 };
        assert_eq!(register.decide(under), Ok(vec![registered()]));
        let full = Registrations { active: 3, ..under };
        assert_eq!(register.decide(full), Err(AgentError::TooMany { limit: 3 }));
        let busy = Registrations { recent: 5, ..under };
        assert_eq!(register.decide(busy), Err(AgentError::TooManyToday { limit: 5 }));
    }

    #[test]
    fn only_an_agent_and_its_owner_edit_it() {
        let agent = given::<Agent>([registered()]);
        let edited = AgentEdited { agent_id: AGENT, profile: AgentProfile { name: "Ranger".into(), ..profile() } };
        assert_eq!(edit(ADA.into()).decide(&agent), Ok(vec![edited.clone().into()]));
        assert_eq!(edit(AGENT.into()).decide(&agent), Ok(vec![edited.into()]));
        assert_eq!(edit(BOB.into()).decide(&agent), Err(AgentError::NotYours));
    }

    #[test]
    fn an_edit_that_changes_nothing_adds_no_event() {
        let unchanged = EditAgent { name: Some("Scout".into()), ..edit(ADA.into()) };
        assert_eq!(unchanged.decide(&given([registered()])), Ok(vec![]));
    }

    #[test]
    fn a_deactivated_agent_gets_no_new_key_and_no_edit() {
        let agent = given::<Agent>([registered(), AgentDeactivated { agent_id: AGENT }.into()]);
        assert_eq!(RotateKey { agent_id: AGENT, by: ADA }.decide(&agent), Err(AgentError::Deactivated));
        assert_eq!(edit(ADA.into()).decide(&agent), Err(AgentError::Deactivated));
        assert_eq!(DeactivateAgent { agent_id: AGENT, by: ADA }.decide(&agent), Ok(vec![]));
    }

    #[test]
    fn only_the_owner_rotates_the_key() {
        let agent = given::<Agent>([registered()]);
        assert_eq!(RotateKey { agent_id: AGENT, by: BOB }.decide(&agent), Err(AgentError::NotYours));
        assert_eq!(
            RotateKey { agent_id: AGENT, by: ADA }.decide(&agent),
            Ok(vec![AgentKeyRotated { agent_id: AGENT }.into()])
        );
    }

    #[test]
    fn an_agent_is_suspended_until_its_reinstatement() {
        let (agent_id, registered) = (AGENT, registered());
        let out = |with_owner| AgentEvent::from(AgentSuspended { agent_id, with_owner });
        let back = |with_owner| AgentEvent::from(AgentReinstated { agent_id, with_owner });
        let keep = |suspended| SetAgentSuspended { agent_id, suspended };
        let outside: Agent = given([registered.clone(), out(false)]);
        assert_eq!(keep(true).decide(&outside), Ok(vec![]));
        assert_eq!(keep(false).decide(&outside), Ok(vec![back(false)]));
        // Earlier versions wrote these events for each agent of a suspended owner. They do not change the agent's own
        // state.
        assert_eq!(outside.clone().apply(&out(true)).apply(&back(true)), outside);
        let inside: Agent = given([registered]);
        assert_eq!(keep(true).decide(&inside), Ok(vec![out(false)]));
        assert_eq!(keep(false).decide(&inside), Ok(vec![]));
        let gone = inside.apply(&AgentDeactivated { agent_id }.into());
        assert_eq!(keep(true).decide(&gone), Ok(vec![]));
        assert_eq!(keep(true).decide(&Agent::default()), Err(AgentError::NotFound));
    }

    #[test]
    fn a_tier_is_set_once() {
        let set = SetTier { agent_id: AGENT, tier: Tier::Pro };
        let event = AgentEvent::from(AgentTierSet { agent_id: AGENT, tier: Tier::Pro });
        assert_eq!(set.decide(&given([registered()])), Ok(vec![event.clone()]));
        assert_eq!(set.decide(&given([registered(), event])), Ok(vec![]));
        assert_eq!(set.decide(&Agent::default()), Err(AgentError::NotFound));
    }
}
