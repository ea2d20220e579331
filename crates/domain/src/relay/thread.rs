//! The state of a relay thread, folded from its events (seed: «Thread State Machine»).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Did, EnvelopeId, Phase, RelayError, ThreadId};
use crate::{
    decide::State,
    event::{event_set, unlisted_events},
    words,
};

event_set! {
    /// The events of one thread, without texts; stream `thread:{id}`.
    pub enum ThreadEvent: Uncached {
        /// A REQUEST began it.
        Requested(ThreadRequested) = "thread.requested", Public, [Texts("requestId", "intent"), SharesText("envelopeId")];
        /// An agent made an OFFER, replacing its earlier one.
        Offered(ThreadOffered) = "thread.offered", Public, [SharesText("envelopeId")];
        /// An agent withdrew its offer with an ERROR; the thread stays pending.
        OfferWithdrawn(ThreadOfferWithdrawn) = "thread.offer_withdrawn", Public, [SharesText("envelopeId")];
        /// An ACCEPT chose an agent.
        Accepted(ThreadAccepted) = "thread.accepted", Public, [SharesText("envelopeId")];
        /// A RESULT was delivered.
        Completed(ThreadCompleted) = "thread.completed", Public, [Texts("status"), SharesText("envelopeId")];
        /// An ERROR or CANCEL ended it, or it timed out.
        Failed(ThreadFailed) = "thread.failed", Public, [SharesText("envelopeId")];
    }
}

// Subscribers of the relay use its own endpoints.
unlisted_events!(ThreadEvent);

/// See [`ThreadEvent::Requested`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadRequested {
    /// The thread.
    pub thread_id: ThreadId,
    /// The REQUEST.
    pub envelope_id: EnvelopeId,
    /// The `payload.request_id` of all envelopes of this thread.
    pub request_id: String,
    /// The requester.
    pub requester: Did,
    /// The only agent that may make an offer, if the REQUEST is addressed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recipient: Option<Did>,
    /// The requested service.
    pub intent: String,
    /// The requester's deadline, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deadline: Option<DateTime<Utc>>,
    /// When it times out unless an offer arrives.
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
    /// The agent.
    pub agent: Did,
    /// When the offer expires, if stated.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub valid_until: Option<DateTime<Utc>>,
    /// The promised delivery time in seconds, if stated.
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
    /// The agent that withdrew its offer.
    pub agent: Did,
    /// When the thread times out; `None` if it does not.
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
    /// The agent whose offer was accepted.
    pub agent: Did,
    /// The OFFER.
    pub offer_id: EnvelopeId,
    /// The promised delivery time in seconds, if stated.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub eta_seconds: Option<i64>,
    /// When the relay received the ACCEPT. The delivery time starts here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub accepted_at: Option<DateTime<Utc>>,
    /// When it times out unless the result arrives.
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
    /// The agent that delivered.
    pub agent: Did,
    /// The agent's status: `success`, or another value.
    pub status: String,
    /// The time from ACCEPT to RESULT, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub took_ms: Option<i64>,
    /// Whether the agent kept its promised delivery time, if it stated one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub promise_kept: Option<bool>,
}

impl ThreadCompleted {
    /// Whether the agent's status reports a failure.
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
    /// The ERROR or CANCEL, or the first envelope of the relay's timeout.
    pub envelope_id: EnvelopeId,
    /// The reason.
    pub reason: Failure,
    /// The sender; the relay itself for a timeout.
    pub by: Did,
}

words! {
    /// The reason why a thread failed.
    pub enum Failure {
        /// The requester, the agent that the REQUEST addressed, or the agent that was chosen sent ERROR.
        Error = "error",
        /// The requester sent CANCEL.
        Cancelled = "cancelled",
        /// No OFFER arrived in time.
        NoOffer = "no_offer",
        /// No OFFER was accepted in time.
        NoAccept = "no_accept",
        /// No RESULT arrived in time.
        NoResult = "no_result",
    }
}

/// An offer that can be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The OFFER.
    pub envelope_id: EnvelopeId,
    /// When it expires, if stated.
    pub valid_until: Option<DateTime<Utc>>,
    /// The promised delivery time in seconds, if stated.
    pub eta_seconds: Option<i64>,
}

/// The successful end of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The agent that delivered.
    pub agent: Did,
    /// The agent's status.
    pub status: String,
}

/// A thread, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thread {
    /// The phase.
    pub phase: Phase,
    /// The opening event; `None` before it.
    pub request: Option<ThreadRequested>,
    /// The last offer of each agent.
    pub offers: BTreeMap<Did, Offer>,
    /// The agent whose offer was accepted.
    pub agent: Option<Did>,
    /// When the offer was accepted.
    pub accepted_at: Option<DateTime<Utc>>,
    /// The promised delivery time in seconds, if stated.
    pub eta_seconds: Option<i64>,
    /// When the thread times out, if it does.
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
                // An offer ends the wait for offers. The requester has until its deadline to accept one.
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
    /// The opening event.
    pub fn request(&self) -> Result<&ThreadRequested, RelayError> {
        self.request.as_ref().ok_or(RelayError::UnknownThread)
    }

    /// The participants: the requester, the addressed agent and all agents with an offer; after an ACCEPT, only the
    /// requester and the chosen agent.
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

    /// Whether the thread has timed out at `now`, recorded or not.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.due_at.is_some_and(|due| due <= now)
    }
}
