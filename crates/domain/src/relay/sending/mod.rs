//! The effect of an envelope on its thread (seed: «State Transitions»).

use agora_envelope::MessageType;
use chrono::{DateTime, Utc};

use super::{
    Did, EnvelopeId, Failure, OFFERS_MAX, Offer, Payload, Phase, RelayError, Thread, ThreadAccepted, ThreadCompleted,
    ThreadEvent, ThreadFailed, ThreadId, ThreadOfferWithdrawn, ThreadOffered, ThreadRequested, Timeouts,
};
use crate::decide::Command;

/// The envelope types that are allowed in a phase.
pub fn following(phase: Phase) -> &'static [MessageType] {
    match phase {
        Phase::Open => &[MessageType::Request],
        Phase::Pending => &[MessageType::Offer, MessageType::Accept, MessageType::Cancel, MessageType::Error],
        Phase::Active => &[MessageType::Result, MessageType::Cancel, MessageType::Error],
        Phase::Completed | Phase::Error => &[],
    }
}

/// The fields of a verified envelope that the state machine uses.
#[derive(Debug, Clone)]
pub struct Step {
    /// The id that its sender chose.
    pub envelope_id: EnvelopeId,
    /// The thread that it names.
    pub thread_id: ThreadId,
    /// Its type.
    pub kind: MessageType,
    /// The signer.
    pub sender: Did,
    /// The addressee, if any.
    pub recipient: Option<Did>,
    /// Its payload.
    pub payload: Payload,
    /// `meta.ttl`, in seconds.
    pub ttl: Option<u64>,
}

/// Advances a thread by an envelope.
#[derive(Debug, Clone)]
pub struct SendEnvelope {
    /// The envelope.
    pub step: Step,
    /// When the relay received it.
    pub now: DateTime<Utc>,
    /// The thread's default timeouts.
    pub timeouts: Timeouts,
}

impl Command for SendEnvelope {
    type State<'a> = &'a Thread;
    type Event = ThreadEvent;
    type Error = RelayError;

    fn decide(&self, thread: &Thread) -> Result<Vec<ThreadEvent>, RelayError> {
        let kind = self.step.kind;
        if kind == MessageType::Request {
            return self.request(thread).map(|event| vec![event]);
        }
        let request = thread.request()?;
        if self.step.payload.request_id.as_ref().is_some_and(|id| *id != request.request_id) {
            return Err(RelayError::OtherRequest);
        }
        if !following(thread.phase).contains(&kind) {
            return Err(RelayError::OutOfTurn { kind: kind.as_str(), phase: thread.phase });
        }
        if thread.is_due(self.now) {
            return Err(RelayError::TimedOut);
        }
        let event = match kind {
            MessageType::Offer => self.offer(thread, request)?,
            MessageType::Accept => self.accept(thread, request)?,
            MessageType::Result => self.result(thread, request)?,
            MessageType::Cancel => self.cancel(thread, request)?,
            MessageType::Request | MessageType::Error => self.error(thread, request)?,
        };
        Ok(vec![event])
    }
}

impl SendEnvelope {
    fn request(&self, thread: &Thread) -> Result<ThreadEvent, RelayError> {
        if thread.request.is_some() {
            return Err(RelayError::AlreadyRequested);
        }
        let Step { envelope_id, thread_id, sender, recipient, payload, ttl, .. } = self.step.clone();
        let request_id = payload.request_id.unwrap_or_else(|| thread_id.to_string());
        let due_at = self.timeouts.of_request(self.now, ttl, payload.deadline);
        let (intent, deadline) = (payload.intent.unwrap_or_default(), payload.deadline);
        let requester = sender;
        Ok(ThreadRequested { thread_id, envelope_id, request_id, requester, recipient, intent, deadline, due_at }
            .into())
    }

    fn offer(&self, thread: &Thread, request: &ThreadRequested) -> Result<ThreadEvent, RelayError> {
        let Step { envelope_id, thread_id, sender, payload, .. } = self.step.clone();
        if sender == request.requester {
            return Err(RelayError::OwnRequest);
        }
        if request.recipient.as_ref().is_some_and(|addressed| *addressed != sender) {
            return Err(RelayError::NotAddressed);
        }
        self.goes_to(&[&request.requester])?;
        if thread.offers.len() >= OFFERS_MAX && !thread.offers.contains_key(&sender) {
            return Err(RelayError::TooManyOffers);
        }
        let Payload { valid_until, eta_seconds, .. } = payload;
        Ok(ThreadOffered { thread_id, envelope_id, agent: sender, valid_until, eta_seconds }.into())
    }

    fn accept(&self, thread: &Thread, request: &ThreadRequested) -> Result<ThreadEvent, RelayError> {
        self.by_requester(request)?;
        let (agent, offer) = self.chosen(thread)?;
        if offer.valid_until.is_some_and(|until| until <= self.now) {
            return Err(RelayError::OfferExpired);
        }
        let Step { envelope_id, thread_id, payload, .. } = self.step.clone();
        let (agent, offer_id, eta_seconds) = (agent.clone(), offer.envelope_id.clone(), offer.eta_seconds);
        let due_at = self.timeouts.of_accept(self.now, payload.deadline, request.deadline);
        let accepted_at = Some(self.now);
        Ok(ThreadAccepted { thread_id, envelope_id, agent, offer_id, eta_seconds, accepted_at, due_at }.into())
    }

    /// The offer to accept: that of the addressed agent, or the only one.
    fn chosen<'t>(&self, thread: &'t Thread) -> Result<(&'t Did, &'t Offer), RelayError> {
        if let Some(recipient) = &self.step.recipient {
            return thread.offers.get_key_value(recipient).ok_or(RelayError::NoOffer);
        }
        let mut offers = thread.offers.iter();
        match (offers.next(), offers.next()) {
            (Some(only), None) => Ok(only),
            (Some(_), Some(_)) => Err(RelayError::WhichOffer),
            (None, _) => Err(RelayError::NoOffer),
        }
    }

    fn result(&self, thread: &Thread, request: &ThreadRequested) -> Result<ThreadEvent, RelayError> {
        let Step { envelope_id, thread_id, sender: agent, payload, .. } = self.step.clone();
        if thread.agent.as_ref() != Some(&agent) {
            return Err(RelayError::NotChosen);
        }
        self.goes_to(&[&request.requester])?;
        let took_ms = thread.accepted_at.map(|accepted_at| (self.now - accepted_at).num_milliseconds().max(0));
        let promise_kept = took_ms.zip(thread.eta_seconds).map(|(took, eta)| took <= eta * 1000);
        let status = payload.status.unwrap_or_default();
        Ok(ThreadCompleted { thread_id, envelope_id, agent, status, took_ms, promise_kept }.into())
    }

    fn cancel(&self, thread: &Thread, request: &ThreadRequested) -> Result<ThreadEvent, RelayError> {
        self.by_requester(request)?;
        self.goes_to(&thread.participants())?;
        Ok(self.failed(Failure::Cancelled))
    }

    /// An ERROR from the requester, from the agent that the REQUEST addressed or from the chosen agent ends the thread.
    /// In a pending thread, an ERROR from another agent withdraws its offer, and the thread stays pending.
    fn error(&self, thread: &Thread, request: &ThreadRequested) -> Result<ThreadEvent, RelayError> {
        let sender = &self.step.sender;
        if self.may_end(thread, request) {
            self.goes_to(&thread.participants())?;
            return Ok(self.failed(Failure::Error));
        }
        if thread.agent.is_some() || !thread.offers.contains_key(sender) {
            return Err(RelayError::NotParticipant);
        }
        self.goes_to(&[&request.requester])?;
        Ok(self.withdrawn(thread, request))
    }

    fn may_end(&self, thread: &Thread, request: &ThreadRequested) -> bool {
        let other = thread.agent.as_ref().or(request.recipient.as_ref());
        self.step.sender == request.requester || other == Some(&self.step.sender)
    }

    /// The event that withdraws an offer. Without further offers, the thread's deadline is the same as if this agent
    /// had made none.
    fn withdrawn(&self, thread: &Thread, request: &ThreadRequested) -> ThreadEvent {
        let Step { envelope_id, thread_id, sender: agent, .. } = self.step.clone();
        let is_last = thread.offers.keys().all(|offering| *offering == agent);
        let due_at = if is_last { Some(request.due_at) } else { request.deadline };
        ThreadOfferWithdrawn { thread_id, envelope_id, agent, due_at }.into()
    }

    fn failed(&self, reason: Failure) -> ThreadEvent {
        let Step { envelope_id, thread_id, sender: by, .. } = self.step.clone();
        ThreadFailed { thread_id, envelope_id, reason, by }.into()
    }

    fn by_requester(&self, request: &ThreadRequested) -> Result<(), RelayError> {
        if self.step.sender == request.requester {
            Ok(())
        } else {
            Err(RelayError::NotRequester(self.step.kind.as_str()))
        }
    }

    /// Checks that the addressee, if any, is one of these.
    fn goes_to(&self, whom: &[&Did]) -> Result<(), RelayError> {
        match &self.step.recipient {
            Some(recipient) if !whom.contains(&recipient) => Err(RelayError::WrongRecipient(self.step.kind.as_str())),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
