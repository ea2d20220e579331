//! Requests of owners for higher limits, and the decisions of operators about them.
//!
//! **Invariant:** an owner has at most one open request. **Invariant:** requests and their reasons are visible to operators and to
//! the owner alone.

use serde::{Deserialize, Serialize};

use super::{Agent, AgentError};
use crate::{
    decide::{Command, State},
    event::{event_set, unlisted_events},
    ids::{AgentId, OwnerId},
    limits::Tier,
};

/// The maximum number of characters in the reason of a request or of a decision.
pub const LIMIT_REASON_MAX: u64 = 2000;
/// The greatest number of active agents that an owner can ask for.
pub const AGENTS_ASKED_MAX: u32 = 10_000;

event_set! {
    /// The requests of one owner; stream `limit_requests:{owner}`.
    pub enum LimitRequestEvent: Uncached {
        /// The owner asked for a higher limit.
        Filed(LimitRequestFiled) = "limit_request.filed", Private, [Texts("reason")];
        /// An operator granted or refused the request.
        Decided(LimitRequestDecided) = "limit_request.decided", Private, [Essential, Texts("reason")];
    }
}

unlisted_events!(LimitRequestEvent);

/// A limit that an owner asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AskedLimit {
    /// The number of active agents.
    Agents(u32),
    /// The rate limit tier of an agent.
    Tier {
        /// The agent.
        agent_id: AgentId,
        /// The tier.
        tier: Tier,
    },
}

/// See [`LimitRequestEvent::Filed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LimitRequestFiled {
    /// The owner.
    pub owner_id: OwnerId,
    /// What the owner asks for.
    pub limit: AskedLimit,
    /// The owner's reason.
    pub reason: String,
}

/// See [`LimitRequestEvent::Decided`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LimitRequestDecided {
    /// The owner that asked.
    pub owner_id: OwnerId,
    /// Whether the request is granted.
    pub granted: bool,
    /// The operator's reason.
    pub reason: String,
    /// The operator; `None` for a command on the server's machine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub operator_id: Option<OwnerId>,
}

/// The requests of an owner, folded from their stream, without texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitRequests {
    /// What the owner asks for; `None` without an open request.
    pub open: Option<AskedLimit>,
}

impl State for LimitRequests {
    type Event = LimitRequestEvent;

    fn apply(self, event: &LimitRequestEvent) -> Self {
        match event {
            LimitRequestEvent::Filed(data) => Self { open: Some(data.limit) },
            LimitRequestEvent::Decided(_) => Self { open: None },
        }
    }
}

impl LimitRequests {
    /// The stream of an owner's requests.
    pub fn stream(owner_id: OwnerId) -> String {
        format!("limit_requests:{owner_id}")
    }
}

/// The reason why a command about requests is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LimitRequestError {
    /// An earlier request is open.
    #[error("an earlier request for a higher limit waits for a decision")]
    AlreadyOpen,
    /// No request is open.
    #[error("the owner has no open request for a higher limit")]
    NothingOpen,
    /// The agent belongs to another owner, or does not exist.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// Files a request; see [`LimitRequestFiled`] for the fields.
#[derive(Debug, Clone)]
pub struct FileLimitRequest(pub LimitRequestFiled);

/// The input of [`FileLimitRequest`].
#[derive(Debug)]
pub struct FilingLimitRequest<'a> {
    /// The owner's earlier requests.
    pub requests: &'a LimitRequests,
    /// The agent that the request is about, if it is about one.
    pub agent: Option<&'a Agent>,
}

impl Command for FileLimitRequest {
    type State<'a> = FilingLimitRequest<'a>;
    type Event = LimitRequestEvent;
    type Error = LimitRequestError;

    fn decide(
        &self,
        FilingLimitRequest { requests, agent }: FilingLimitRequest<'_>,
    ) -> Result<Vec<LimitRequestEvent>, LimitRequestError> {
        if let Some(agent) = agent {
            match agent.owner {
                Some(owner) if owner == self.0.owner_id => {}
                Some(_) => return Err(AgentError::NotYours.into()),
                None => return Err(AgentError::NotFound.into()),
            }
        }
        if requests.open.is_some() {
            return Err(LimitRequestError::AlreadyOpen);
        }
        Ok(vec![self.0.clone().into()])
    }
}

/// Decides the open request; see [`LimitRequestDecided`] for the fields. The caller sets the limit that is granted.
#[derive(Debug, Clone)]
pub struct DecideLimitRequest(pub LimitRequestDecided);

impl Command for DecideLimitRequest {
    type State<'a> = &'a LimitRequests;
    type Event = LimitRequestEvent;
    type Error = LimitRequestError;

    fn decide(&self, requests: &LimitRequests) -> Result<Vec<LimitRequestEvent>, LimitRequestError> {
        requests.open.ok_or(LimitRequestError::NothingOpen)?;
        Ok(vec![self.0.clone().into()])
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::decide::testing::given;

    const ADA: OwnerId = OwnerId::new(Uuid::from_u128(1));
    const SCOUT: AgentId = AgentId::new(Uuid::from_u128(2));

    fn filed(limit: AskedLimit) -> LimitRequestFiled {
        LimitRequestFiled { owner_id: ADA, limit, reason: "A class of thirty".into() }
    }

    #[test]
    fn an_owner_has_one_open_request() {
        let file = FileLimitRequest(filed(AskedLimit::Agents(30)));
        let none = LimitRequests::default();
        let events = file.decide(FilingLimitRequest { requests: &none, agent: None }).unwrap();
        let open: LimitRequests = given(events);
        let again = file.decide(FilingLimitRequest { requests: &open, agent: None });
        assert_eq!(again, Err(LimitRequestError::AlreadyOpen));
        let refuse = DecideLimitRequest(LimitRequestDecided {
            owner_id: ADA,
            granted: false,
            reason: "Ten suffice".into(),
            operator_id: None,
        });
        assert_eq!(refuse.decide(&none), Err(LimitRequestError::NothingOpen));
        let decided: LimitRequests = given([file.0.clone().into(), refuse.decide(&open).unwrap().remove(0)]);
        assert_eq!(
            file.decide(FilingLimitRequest { requests: &decided, agent: None }).map(|events| events.len()),
            Ok(1)
        );
    }

    #[test]
    fn a_tier_is_asked_for_an_own_agent() {
        let file = FileLimitRequest(filed(AskedLimit::Tier { agent_id: SCOUT, tier: Tier::Pro }));
        let decide = |owner| {
            let agent = Agent { owner, ..Agent::default() };
            file.decide(FilingLimitRequest { requests: &LimitRequests::default(), agent: Some(&agent) })
        };
        assert_eq!(decide(Some(ADA)).map(|events| events.len()), Ok(1));
        assert_eq!(decide(Some(OwnerId::new(Uuid::from_u128(9)))), Err(AgentError::NotYours.into()));
        assert_eq!(decide(None), Err(AgentError::NotFound.into()));
    }

    #[test]
    fn their_data_are_pinned() {
        let agents = LimitRequestEvent::from(filed(AskedLimit::Agents(30)));
        assert_eq!(
            agents.encode(),
            r#"{"ownerId":"ow_00000000000000000000000001","limit":{"agents":30},"reason":"A class of thirty"}"#
        );
        let tier = LimitRequestEvent::from(filed(AskedLimit::Tier { agent_id: SCOUT, tier: Tier::Pro }));
        assert!(
            tier.encode().contains(r#""limit":{"tier":{"agentId":"ag_00000000000000000000000002","tier":"pro"}}"#),
            "{}",
            tier.encode()
        );
    }
}
