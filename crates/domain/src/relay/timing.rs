//! Timeouts of relay threads (seed: «Timeout Rules»).

use chrono::{DateTime, TimeDelta, Utc};

use super::{Did, EnvelopeId, Failure, Phase, RelayError, TTL_MAX, Thread, ThreadEvent, ThreadFailed};
use crate::decide::Command;

/// The default timeouts of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// The wait for the first OFFER, from the REQUEST.
    pub offer: TimeDelta,
    /// The wait for the RESULT, from the ACCEPT.
    pub result: TimeDelta,
}

impl Timeouts {
    /// When a request without an offer times out: the earlier of `meta.ttl` and the requester's deadline.
    pub(super) fn of_request(
        self,
        now: DateTime<Utc>,
        ttl: Option<u64>,
        deadline: Option<DateTime<Utc>>,
    ) -> DateTime<Utc> {
        // Clamped to the maximum time to live, because larger numbers overflow calendar arithmetic.
        let seconds = ttl.and_then(|ttl| i64::try_from(ttl.min(TTL_MAX)).ok());
        let wait = seconds.map_or(self.offer, TimeDelta::seconds);
        deadline.map_or(now + wait, |deadline| deadline.min(now + wait))
    }

    /// When an accepted offer without a result times out. Both parties' deadlines apply.
    pub(super) fn of_accept(
        self,
        now: DateTime<Utc>,
        terms: Option<DateTime<Utc>>,
        deadline: Option<DateTime<Utc>>,
    ) -> DateTime<Utc> {
        // An agreed deadline applies even if it is longer than the default.
        let agreed = terms.or(deadline).unwrap_or(now + self.result);
        deadline.map_or(agreed, |deadline| deadline.min(agreed))
    }
}

/// Ends a thread that has timed out. Otherwise nothing changes.
#[derive(Debug, Clone)]
pub struct TimeOut {
    /// The first envelope of the relay's timeout.
    pub envelope_id: EnvelopeId,
    /// The relay itself.
    pub relay: Did,
    /// The current time.
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
