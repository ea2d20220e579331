//! What becomes of a thread for which nothing comes in time (seed: «Timeout Rules»).

use chrono::{DateTime, TimeDelta, Utc};

use super::{Did, EnvelopeId, Failure, Phase, RelayError, TTL_MAX, Thread, ThreadEvent, ThreadFailed};
use crate::decide::Command;

/// How long a thread waits where nobody says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the first OFFER, from the REQUEST on.
    pub offer: TimeDelta,
    /// For the RESULT, from the ACCEPT on.
    pub result: TimeDelta,
}

impl Timeouts {
    /// When a request has timed out without an offer: its `meta.ttl` and its deadline count, whichever is first.
    pub(super) fn of_request(
        self,
        now: DateTime<Utc>,
        ttl: Option<u64>,
        deadline: Option<DateTime<Utc>>,
    ) -> DateTime<Utc> {
        // No longer than those who poll are given it: no calendar reaches as far as a number of seconds can.
        let seconds = ttl.and_then(|ttl| i64::try_from(ttl.min(TTL_MAX)).ok());
        let wait = seconds.map_or(self.offer, TimeDelta::seconds);
        deadline.map_or(now + wait, |deadline| deadline.min(now + wait))
    }

    /// When an accepted offer has timed out without a result: the deadlines of both sides count.
    pub(super) fn of_accept(
        self,
        now: DateTime<Utc>,
        terms: Option<DateTime<Utc>>,
        deadline: Option<DateTime<Utc>>,
    ) -> DateTime<Utc> {
        // Whoever agreed on a time has it, be it longer than what nobody agreed on.
        let agreed = terms.or(deadline).unwrap_or(now + self.result);
        deadline.map_or(agreed, |deadline| deadline.min(agreed))
    }
}

/// Ends a thread whose time is over; one whose time is not stays as it is.
#[derive(Debug, Clone)]
pub struct TimeOut {
    /// The first of the envelopes with which the relay says so.
    pub envelope_id: EnvelopeId,
    /// The relay itself.
    pub relay: Did,
    /// When.
    pub now: DateTime<Utc>,
}

impl Command for TimeOut {
    type State<'a> = &'a Thread;
    type Event = ThreadEvent;
    type Error = RelayError;

    fn decide(&self, thread: &Thread) -> Result<Vec<ThreadEvent>, RelayError> {
        let request = thread.request()?;
        if !thread.is_due(self.now) {
            return Ok(vec![]);
        }
        let reason = match thread.phase {
            Phase::Active => Failure::NoResult,
            _ if thread.offers.is_empty() => Failure::NoOffer,
            _ => Failure::NoAccept,
        };
        let (thread_id, envelope_id, by) = (request.thread_id.clone(), self.envelope_id.clone(), self.relay.clone());
        Ok(vec![ThreadFailed { thread_id, envelope_id, reason, by }.into()])
    }
}
