//! The keys of an agent: the primary one, which rotation replaces, and up to ten named ones, which may expire and are revoked.
//!
//! **Invariant:** the log holds the id and the expiry of a named key. Its hash, name and scopes are in a side table.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use super::{Agent, AgentError, AgentEvent, AgentKeyCreated, AgentKeyRevoked, AgentKeyRotated};
use crate::{
    decide::Command,
    ids::{AgentId, KeyId, OwnerId},
};

/// The maximum number of named keys of an agent.
pub const KEYS_MAX: usize = 10;
/// The longest time after which a key expires: ten years.
pub const KEY_LIFETIME_MAX: TimeDelta = TimeDelta::days(3650);

/// The named keys of an agent, each with the time at which it expires, if it does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(BTreeMap<KeyId, Option<DateTime<Utc>>>);

impl Keys {
    pub(super) fn with(mut self, created: &AgentKeyCreated) -> Self {
        self.0.insert(created.key_id, created.expires_at);
        self
    }

    pub(super) fn without(mut self, key_id: KeyId) -> Self {
        self.0.remove(&key_id);
        self
    }

    fn expired(&self, now: DateTime<Utc>) -> impl Iterator<Item = KeyId> {
        self.0.iter().filter(move |(_, expires_at)| expires_at.is_some_and(|at| at <= now)).map(|(key_id, _)| *key_id)
    }
}

impl Agent {
    /// Checks that the caller is the owner of the agent, which is not deactivated.
    fn check_key_owner(&self, owner: OwnerId) -> Result<(), AgentError> {
        self.owned_by(owner)?;
        if self.deactivated { Err(AgentError::Deactivated) } else { Ok(()) }
    }
}

/// Replaces the primary key.
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
        agent.check_key_owner(self.by)?;
        Ok(vec![AgentKeyRotated { agent_id: self.agent_id }.into()])
    }
}

/// Creates a named key. Keys that have expired are removed, so that they do not count.
#[derive(Debug, Clone)]
pub struct CreateKey {
    /// The agent.
    pub agent_id: AgentId,
    /// The caller: its owner.
    pub by: OwnerId,
    /// The new key.
    pub key_id: KeyId,
    /// When the key expires, if it does.
    pub expires_at: Option<DateTime<Utc>>,
    /// The time of the decision.
    pub now: DateTime<Utc>,
}

impl Command for CreateKey {
    type State<'a> = &'a Agent;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<AgentEvent>, AgentError> {
        agent.check_key_owner(self.by)?;
        let Self { agent_id, key_id, expires_at, now, .. } = *self;
        if expires_at.is_some_and(|at| at <= now || at - now > KEY_LIFETIME_MAX) {
            return Err(AgentError::InvalidExpiry);
        }
        let expired = agent.keys.expired(now);
        let mut events: Vec<_> = expired.map(|key_id| AgentEvent::from(AgentKeyRevoked { agent_id, key_id })).collect();
        if agent.keys.0.len() - events.len() >= KEYS_MAX {
            return Err(AgentError::TooManyKeys);
        }
        events.push(AgentKeyCreated { agent_id, key_id, expires_at }.into());
        Ok(events)
    }
}

/// Revokes a named key.
#[derive(Debug, Clone)]
pub struct RevokeKey {
    /// The agent.
    pub agent_id: AgentId,
    /// The caller: its owner.
    pub by: OwnerId,
    /// The key; none for the primary key, which is replaced and never revoked.
    pub key_id: Option<KeyId>,
}

impl Command for RevokeKey {
    type State<'a> = &'a Agent;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<AgentEvent>, AgentError> {
        agent.owned_by(self.by)?;
        let agent_id = self.agent_id;
        let key_id = self.key_id.ok_or(AgentError::PrimaryKey)?;
        if !agent.keys.0.contains_key(&key_id) {
            return Err(AgentError::NoSuchKey);
        }
        Ok(vec![AgentKeyRevoked { agent_id, key_id }.into()])
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{
        decide::{State, testing::given},
        identity::{AgentDeactivated, AgentProfile, AgentRegistered},
    };

    const ADA: OwnerId = OwnerId::new(Uuid::from_u128(1));
    const BOB: OwnerId = OwnerId::new(Uuid::from_u128(2));
    const AGENT: AgentId = AgentId::new(Uuid::from_u128(3));

    fn key(number: usize) -> KeyId {
        KeyId::new(Uuid::from_u128(100 + number as u128))
    }

    fn at(days: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(days)
    }

    fn registered() -> AgentEvent {
        AgentRegistered { agent_id: AGENT, owner_id: ADA, profile: AgentProfile::default() }.into()
    }

    fn created(number: usize, expires_at: Option<DateTime<Utc>>) -> AgentEvent {
        AgentKeyCreated { agent_id: AGENT, key_id: key(number), expires_at }.into()
    }

    fn revoked(number: usize) -> AgentEvent {
        AgentKeyRevoked { agent_id: AGENT, key_id: key(number) }.into()
    }

    fn create(number: usize, expires_at: Option<DateTime<Utc>>) -> CreateKey {
        CreateKey { agent_id: AGENT, by: ADA, key_id: key(number), expires_at, now: at(0) }
    }

    fn revoke(number: usize) -> RevokeKey {
        RevokeKey { agent_id: AGENT, by: ADA, key_id: Some(key(number)) }
    }

    #[test]
    fn an_agent_has_ten_named_keys_at_most() {
        let agent = (0..KEYS_MAX).fold(given::<Agent>([registered()]), |agent, number| {
            let events = create(number, None).decide(&agent).unwrap();
            assert_eq!(events, vec![created(number, None)]);
            agent.apply(&events[0])
        });
        assert_eq!(create(10, None).decide(&agent), Err(AgentError::TooManyKeys));
        assert_eq!(create(10, None).decide(&agent.apply(&revoked(3))), Ok(vec![created(10, None)]));
    }

    #[test]
    fn a_new_key_replaces_expired_ones() {
        let keys = (0..KEYS_MAX).map(|number| created(number, (number < 2).then(|| at(1))));
        let agent = given::<Agent>([registered()].into_iter().chain(keys));
        assert_eq!(create(10, None).decide(&agent), Err(AgentError::TooManyKeys));
        let later = CreateKey { now: at(1), ..create(10, Some(at(2))) };
        assert_eq!(later.decide(&agent), Ok(vec![revoked(0), revoked(1), created(10, Some(at(2)))]));
    }

    #[test]
    fn a_key_expires_within_ten_years() {
        let agent = given::<Agent>([registered()]);
        let longest = at(0) + KEY_LIFETIME_MAX;
        assert_eq!(create(1, Some(longest)).decide(&agent), Ok(vec![created(1, Some(longest))]));
        for wrong in [at(-1), at(0), longest + TimeDelta::microseconds(1), DateTime::<Utc>::MAX_UTC] {
            assert_eq!(create(1, Some(wrong)).decide(&agent), Err(AgentError::InvalidExpiry), "{wrong}");
        }
    }

    #[test]
    fn only_the_owner_creates_and_revokes_keys_of_an_active_agent() {
        let agent = given::<Agent>([registered(), created(1, None)]);
        assert_eq!(CreateKey { by: BOB, ..create(2, None) }.decide(&agent), Err(AgentError::NotYours));
        assert_eq!(RevokeKey { by: BOB, ..revoke(1) }.decide(&agent), Err(AgentError::NotYours));
        assert_eq!(create(2, None).decide(&Agent::default()), Err(AgentError::NotFound));
        let gone = agent.apply(&AgentDeactivated { agent_id: AGENT }.into());
        assert_eq!(create(2, None).decide(&gone), Err(AgentError::Deactivated));
        assert_eq!(revoke(1).decide(&gone), Err(AgentError::NoSuchKey));
    }

    #[test]
    fn a_key_is_revoked_once() {
        let agent = given::<Agent>([registered(), created(1, None), created(2, None)]);
        assert_eq!(revoke(1).decide(&agent), Ok(vec![revoked(1)]));
        let agent = agent.apply(&revoked(1));
        assert_eq!(revoke(1).decide(&agent), Err(AgentError::NoSuchKey));
        assert_eq!(revoke(2).decide(&agent), Ok(vec![revoked(2)]));
    }

    #[test]
    fn the_primary_key_is_not_revoked() {
        let agent = given::<Agent>([registered()]);
        let primary = RevokeKey { key_id: None, ..revoke(1) };
        assert_eq!(primary.decide(&agent), Err(AgentError::PrimaryKey));
        assert_eq!(RevokeKey { by: BOB, ..primary }.decide(&agent), Err(AgentError::NotYours));
    }

    #[test]
    fn a_rotation_leaves_the_named_keys() {
        let agent = given::<Agent>([registered(), created(1, None)]);
        let rotated = agent.clone().apply(&AgentKeyRotated { agent_id: AGENT }.into());
        assert_eq!(rotated, agent);
    }
}
