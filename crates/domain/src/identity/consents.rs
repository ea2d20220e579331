//! Consents: an owner lets a client act as one of the owner's agents (OAuth 2.1, section 4.1).
//!
//! The stream makes each of the client's codes and refresh tokens valid once: of two exchanges at a time, one meets a conflict.

use serde::{Deserialize, Serialize};

use super::agent::{Agent, AgentError};
use crate::{
    decide::{Command, State},
    event::{event_set, unlisted_events},
    ids::{AgentId, ConsentId, OwnerId, SessionId},
};

/// The maximum number of times that a consent is renewed, so that its stream is bounded. A client that renews it every day asks
/// the owner again after almost three years.
const RENEWALS_MAX: usize = 1000;

event_set! {
    /// The events of a consent; stream `con_…`.
    pub enum ConsentEvent: Uncached {
        /// An owner let a client act as an agent. The client gets a code.
        Given(ConsentGiven) = "consent.given", Private, [];
        /// The client exchanged the code for a session of the agent.
        Redeemed(ConsentRedeemed) = "consent.redeemed", Private, [];
        /// The client exchanged a refresh token for another session.
        Renewed(ConsentRenewed) = "consent.renewed", Private, [];
        /// The owner or the client ended it, or a code or token was used twice.
        Withdrawn(ConsentWithdrawn) = "consent.withdrawn", Private, [Essential];
    }
}

unlisted_events!(ConsentEvent);

/// See [`ConsentEvent::Given`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsentGiven {
    /// The consent.
    pub consent_id: ConsentId,
    /// The owner.
    pub owner_id: OwnerId,
    /// The agent as which the client acts.
    pub agent_id: AgentId,
}

/// See [`ConsentEvent::Redeemed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsentRedeemed {
    /// The consent.
    pub consent_id: ConsentId,
    /// The client's first session.
    pub session_id: SessionId,
}

/// See [`ConsentEvent::Renewed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsentRenewed {
    /// The consent.
    pub consent_id: ConsentId,
    /// The session that takes the place of the previous one.
    pub session_id: SessionId,
}

/// See [`ConsentEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsentWithdrawn {
    /// The consent.
    pub consent_id: ConsentId,
}

/// A consent, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Consent {
    /// Whether an owner gave it.
    pub given: bool,
    /// The client's current session; `None` before the code is exchanged.
    pub session: Option<SessionId>,
    /// How often it was renewed.
    pub renewals: usize,
    /// Whether it has ended.
    pub withdrawn: bool,
}

impl State for Consent {
    type Event = ConsentEvent;

    fn apply(self, event: &ConsentEvent) -> Self {
        match event {
            ConsentEvent::Given(_) => Self { given: true, ..self },
            ConsentEvent::Redeemed(data) => Self { session: Some(data.session_id), ..self },
            ConsentEvent::Renewed(data) => {
                Self { session: Some(data.session_id), renewals: self.renewals.saturating_add(1), ..self }
            }
            ConsentEvent::Withdrawn(_) => Self { withdrawn: true, ..self },
        }
    }
}

/// The reason why an exchange is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConsentError {
    /// There is no such consent, or it has ended.
    #[error("the consent has ended")]
    Ended,
    /// The code was exchanged before.
    #[error("the code was used before")]
    Spent,
    /// It was renewed as often as a consent may be.
    #[error("the consent was renewed as often as possible")]
    Exhausted,
}

/// Lets a client act as an agent of the owner.
#[derive(Debug, Clone, Copy)]
pub struct GiveConsent {
    /// The new consent.
    pub consent_id: ConsentId,
    /// The owner.
    pub owner_id: OwnerId,
    /// The agent.
    pub agent_id: AgentId,
}

impl Command for GiveConsent {
    type State<'a> = &'a Agent;
    type Event = ConsentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<ConsentEvent>, AgentError> {
        let Self { consent_id, owner_id, agent_id } = *self;
        agent.managed_by(owner_id.into(), agent_id)?;
        Ok(vec![ConsentGiven { consent_id, owner_id, agent_id }.into()])
    }
}

/// Exchanges the code for the client's first session.
#[derive(Debug, Clone, Copy)]
pub struct RedeemConsent {
    /// The consent.
    pub consent_id: ConsentId,
    /// The new session.
    pub session_id: SessionId,
}

impl Command for RedeemConsent {
    type State<'a> = &'a Consent;
    type Event = ConsentEvent;
    type Error = ConsentError;

    fn decide(&self, consent: &Consent) -> Result<Vec<ConsentEvent>, ConsentError> {
        let Self { consent_id, session_id } = *self;
        match consent {
            Consent { given: false, .. } | Consent { withdrawn: true, .. } => Err(ConsentError::Ended),
            Consent { session: Some(_), .. } => Err(ConsentError::Spent),
            Consent { session: None, .. } => Ok(vec![ConsentRedeemed { consent_id, session_id }.into()]),
        }
    }
}

/// Exchanges a refresh token for another session.
#[derive(Debug, Clone, Copy)]
pub struct RenewConsent {
    /// The consent.
    pub consent_id: ConsentId,
    /// The new session.
    pub session_id: SessionId,
}

impl Command for RenewConsent {
    type State<'a> = &'a Consent;
    type Event = ConsentEvent;
    type Error = ConsentError;

    fn decide(&self, consent: &Consent) -> Result<Vec<ConsentEvent>, ConsentError> {
        let Self { consent_id, session_id } = *self;
        if consent.session.is_none() || consent.withdrawn {
            return Err(ConsentError::Ended);
        }
        if consent.renewals >= RENEWALS_MAX {
            return Err(ConsentError::Exhausted);
        }
        Ok(vec![ConsentRenewed { consent_id, session_id }.into()])
    }
}

/// Ends a consent. Nothing changes if it has ended.
#[derive(Debug, Clone, Copy)]
pub struct WithdrawConsent {
    /// The consent.
    pub consent_id: ConsentId,
}

impl WithdrawConsent {
    /// The end of the consent, unless it has ended before.
    pub fn decide(&self, consent: &Consent) -> Vec<ConsentEvent> {
        let is_active = consent.given && !consent.withdrawn;
        if is_active { vec![ConsentWithdrawn { consent_id: self.consent_id }.into()] } else { vec![] }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{
        decide::testing::given,
        identity::{AgentDeactivated, AgentEvent, AgentProfile, AgentRegistered},
    };

    const ADA: OwnerId = OwnerId::new(Uuid::from_u128(1));
    const BOB: OwnerId = OwnerId::new(Uuid::from_u128(2));
    const AGENT: AgentId = AgentId::new(Uuid::from_u128(3));
    const CONSENT: ConsentId = ConsentId::new(Uuid::from_u128(4));
    const FIRST: SessionId = SessionId::new(Uuid::from_u128(5));
    const SECOND: SessionId = SessionId::new(Uuid::from_u128(6));

    fn consent(events: impl IntoIterator<Item = ConsentEvent>) -> Consent {
        let begun = ConsentEvent::from(ConsentGiven { consent_id: CONSENT, owner_id: ADA, agent_id: AGENT });
        given([begun].into_iter().chain(events))
    }

    #[test]
    fn an_owner_consents_for_own_active_agents_alone() {
        let registered =
            AgentEvent::from(AgentRegistered { agent_id: AGENT, owner_id: ADA, profile: AgentProfile::default() });
        let give = |owner_id| GiveConsent { consent_id: CONSENT, owner_id, agent_id: AGENT };
        let agent: Agent = given([registered.clone()]);
        let event = ConsentEvent::from(ConsentGiven { consent_id: CONSENT, owner_id: ADA, agent_id: AGENT });
        assert_eq!(give(ADA).decide(&agent), Ok(vec![event]));
        assert_eq!(give(BOB).decide(&agent), Err(AgentError::NotYours));
        assert_eq!(give(ADA).decide(&Agent::default()), Err(AgentError::NotFound));
        let gone: Agent = given([registered, AgentDeactivated { agent_id: AGENT }.into()]);
        assert_eq!(give(ADA).decide(&gone), Err(AgentError::Deactivated));
    }

    #[test]
    fn a_code_is_exchanged_once() {
        let redeem = RedeemConsent { consent_id: CONSENT, session_id: SECOND };
        let redeemed = ConsentEvent::from(ConsentRedeemed { consent_id: CONSENT, session_id: SECOND });
        assert_eq!(redeem.decide(&consent([])), Ok(vec![redeemed.clone()]));
        assert_eq!(redeem.decide(&consent([redeemed])), Err(ConsentError::Spent));
        assert_eq!(redeem.decide(&Consent::default()), Err(ConsentError::Ended));
        let ended = consent([ConsentWithdrawn { consent_id: CONSENT }.into()]);
        assert_eq!(redeem.decide(&ended), Err(ConsentError::Ended));
    }

    #[test]
    fn a_consent_is_renewed_between_its_exchange_and_its_end() {
        let renew = RenewConsent { consent_id: CONSENT, session_id: SECOND };
        let redeemed = ConsentEvent::from(ConsentRedeemed { consent_id: CONSENT, session_id: FIRST });
        let renewed = ConsentEvent::from(ConsentRenewed { consent_id: CONSENT, session_id: SECOND });
        assert_eq!(renew.decide(&consent([])), Err(ConsentError::Ended));
        let active = consent([redeemed.clone()]);
        assert_eq!((active.session, renew.decide(&active)), (Some(FIRST), Ok(vec![renewed.clone()])));
        assert_eq!(consent([redeemed.clone(), renewed]).session, Some(SECOND));
        let ended = consent([redeemed, ConsentWithdrawn { consent_id: CONSENT }.into()]);
        assert_eq!(renew.decide(&ended), Err(ConsentError::Ended));
    }

    #[test]
    fn a_consent_is_renewed_a_thousand_times() {
        let renew = RenewConsent { consent_id: CONSENT, session_id: SECOND };
        let redeemed = ConsentEvent::from(ConsentRedeemed { consent_id: CONSENT, session_id: FIRST });
        let renewed = ConsentEvent::from(ConsentRenewed { consent_id: CONSENT, session_id: SECOND });
        let after = |times| consent([redeemed.clone()].into_iter().chain(std::iter::repeat_n(renewed.clone(), times)));
        assert_eq!(renew.decide(&after(RENEWALS_MAX - 1)), Ok(vec![renewed.clone()]));
        assert_eq!(renew.decide(&after(RENEWALS_MAX)), Err(ConsentError::Exhausted));
    }

    #[test]
    fn a_consent_ends_once() {
        let withdraw = WithdrawConsent { consent_id: CONSENT };
        let withdrawn = ConsentEvent::from(ConsentWithdrawn { consent_id: CONSENT });
        assert_eq!(withdraw.decide(&consent([])), std::slice::from_ref(&withdrawn));
        assert!(withdraw.decide(&consent([withdrawn])).is_empty());
        assert!(withdraw.decide(&Consent::default()).is_empty());
    }
}
