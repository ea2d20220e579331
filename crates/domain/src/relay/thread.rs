//! A thread: what its envelopes add up to (seed: «Thread State Machine»).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Did, EnvelopeId, Phase, RelayError, ThreadId};
use crate::{decide::State, event::event_set};

event_set! {
    /// The life of one thread, without its words; stream `thread:{id}`.
    pub enum ThreadEvent {
        /// A REQUEST began it.
        Requested(ThreadRequested) = "thread.requested", Public;
        /// An OFFER came, in the place of that agent's last one.
        Offered(ThreadOffered) = "thread.offered", Public;
        /// An agent took its offer back by an ERROR; the thread goes on.
        OfferWithdrawn(ThreadOfferWithdrawn) = "thread.offer_withdrawn", Public;
        /// An ACCEPT chose an agent.
        Accepted(ThreadAccepted) = "thread.accepted", Public;
        /// A RESULT was delivered.
        Completed(ThreadCompleted) = "thread.completed", Public;
        /// An ERROR or CANCEL ended it, or its time was over.
        Failed(ThreadFailed) = "thread.failed", Public;
    }
}

/// See [`ThreadEvent::Requested`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadRequested {
    /// The thread.
    pub thread_id: ThreadId,
    /// The REQUEST.
    pub envelope_id: EnvelopeId,
    /// What is said in `payload.request_id` of what belongs to it.
    pub request_id: String,
    /// Who requests.
    pub requester: Did,
    /// The only agent that may make an offer, where one is addressed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recipient: Option<Did>,
    /// What is requested.
    pub intent: String,
    /// When the requester's deadline is, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deadline: Option<DateTime<Utc>>,
    /// When it has timed out, unless an offer comes before.
    pub due_at: DateTime<Utc>,
}

/// See [`ThreadEvent::Offered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadOffered {
    /// The thread.
    pub thread_id: ThreadId,
    /// The OFFER.
    pub envelope_id: EnvelopeId,
    /// Whose.
    pub agent: Did,
    /// Until when it can be accepted, where it says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub valid_until: Option<DateTime<Utc>>,
    /// In how many seconds the agent promises to deliver, where it does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub eta_seconds: Option<i64>,
}

/// See [`ThreadEvent::OfferWithdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadOfferWithdrawn {
    /// The thread.
    pub thread_id: ThreadId,
    /// The ERROR.
    pub envelope_id: EnvelopeId,
    /// The agent whose offer it was.
    pub agent: Did,
    /// When the thread times out from now on, unless something comes before; none where it does not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub due_at: Option<DateTime<Utc>>,
}

/// See [`ThreadEvent::Accepted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadAccepted {
    /// The thread.
    pub thread_id: ThreadId,
    /// The ACCEPT.
    pub envelope_id: EnvelopeId,
    /// Whose offer was accepted.
    pub agent: Did,
    /// The OFFER.
    pub offer_id: EnvelopeId,
    /// In how many seconds the agent has promised to deliver, where it has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub eta_seconds: Option<i64>,
    /// When it came in; the agent's time runs from here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub accepted_at: Option<DateTime<Utc>>,
    /// When it has timed out, unless the result comes before.
    pub due_at: DateTime<Utc>,
}

/// See [`ThreadEvent::Completed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadCompleted {
    /// The thread.
    pub thread_id: ThreadId,
    /// The RESULT.
    pub envelope_id: EnvelopeId,
    /// Who delivered.
    pub agent: Did,
    /// What the agent says of it: `success`, or another word.
    pub status: String,
    /// From ACCEPT to RESULT, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub took_ms: Option<i64>,
    /// Whether that is what the agent had promised, where it had.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub promise_kept: Option<bool>,
}

impl ThreadCompleted {
    /// Whether the agent itself says that it has failed.
    pub fn is_failure(&self) -> bool {
        matches!(self.status.to_ascii_lowercase().as_str(), "error" | "failed" | "failure")
    }
}

/// See [`ThreadEvent::Failed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadFailed {
    /// The thread.
    pub thread_id: ThreadId,
    /// The ERROR or CANCEL, or the first of those that the relay wrote.
    pub envelope_id: EnvelopeId,
    /// Why.
    pub reason: Failure,
    /// Who said so; the relay itself where the time was over.
    pub by: Did,
}

/// Why a thread failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The requester, the agent that the REQUEST addressed, or the agent that was chosen sent ERROR.
    Error,
    /// The requester sent CANCEL.
    Cancelled,
    /// No OFFER came in time.
    NoOffer,
    /// No OFFER was accepted in time.
    NoAccept,
    /// No RESULT came in time.
    NoResult,
}

impl Failure {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Cancelled => "cancelled",
            Self::NoOffer => "no_offer",
            Self::NoAccept => "no_accept",
            Self::NoResult => "no_result",
        }
    }
}

/// An offer that can be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The OFFER.
    pub envelope_id: EnvelopeId,
    /// Until when, where it says so.
    pub valid_until: Option<DateTime<Utc>>,
    /// In how many seconds it promises to deliver, where it does.
    pub eta_seconds: Option<i64>,
}

/// How a request ended well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Who delivered.
    pub agent: Did,
    /// What the agent says of it.
    pub status: String,
}

/// A thread as its stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thread {
    /// How far it is.
    pub phase: Phase,
    /// How it began; none before that.
    pub request: Option<ThreadRequested>,
    /// The last offer of each agent.
    pub offers: BTreeMap<Did, Offer>,
    /// Whose offer was accepted.
    pub agent: Option<Did>,
    /// When that was.
    pub accepted_at: Option<DateTime<Utc>>,
    /// In how many seconds the agent has promised to deliver, where it has.
    pub eta_seconds: Option<i64>,
    /// When it has timed out, unless something comes before.
    pub due_at: Option<DateTime<Utc>>,
}

impl State for Thread {
    type Event = ThreadEvent;

    fn apply(mut self, event: &ThreadEvent) -> Self {
        match event {
            ThreadEvent::Requested(data) => Self {
                phase: Phase::Pending,
                due_at: Some(data.due_at),
                request: Some(data.clone()),
                ..Self::default()
            },
            ThreadEvent::Offered(data) => {
                let ThreadOffered { envelope_id, valid_until, eta_seconds, .. } = data.clone();
                self.offers.insert(data.agent.clone(), Offer { envelope_id, valid_until, eta_seconds });
                // An offer was what it waited for; who accepts has until the deadline.
                self.due_at = self.request.as_ref().and_then(|request| request.deadline);
                self
            }
            ThreadEvent::OfferWithdrawn(data) => {
                self.offers.remove(&data.agent);
                self.due_at = data.due_at;
                self
            }
            ThreadEvent::Accepted(data) => {
                let ThreadAccepted { agent, accepted_at, eta_seconds, due_at, .. } = data.clone();
                let (agent, due_at) = (Some(agent), Some(due_at));
                Self { phase: Phase::Active, agent, accepted_at, eta_seconds, due_at, ..self }
            }
            ThreadEvent::Completed(_) => Self { phase: Phase::Completed, due_at: None, ..self },
            ThreadEvent::Failed(_) => Self { phase: Phase::Error, due_at: None, ..self },
        }
    }
}

impl Thread {
    /// How it began.
    pub fn request(&self) -> Result<&ThreadRequested, RelayError> {
        self.request.as_ref().ok_or(RelayError::UnknownThread)
    }

    /// Who takes part: who requested, who is addressed, who has made an offer; and where one of them was chosen, only that
    /// one and who requested.
    pub fn participants(&self) -> Vec<&Did> {
        let Some(request) = &self.request else { return vec![] };
        let mut all = vec![&request.requester];
        match &self.agent {
            Some(agent) => all.push(agent),
            None => all.extend(request.recipient.iter().chain(self.offers.keys())),
        }
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|did| seen.insert(*did));
        all
    }

    /// Whether it has timed out by then, whether or not that was told already.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.due_at.is_some_and(|due| due <= now)
    }
}
