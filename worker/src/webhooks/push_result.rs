//! Results of pushes, for the lanes and the sender.

use std::time::Duration;

use buildtrack_store::{Delivery, Verdict};
use chrono::{DateTime, Utc};

use super::{lanes::LeaseEnds, policy::DeliveryPolicy};

/// The result of an attempt for deliveries of one endpoint.
#[derive(Debug)]
pub(crate) struct PushResult {
    /// The effect of the attempt on the health of the endpoint.
    pub(crate) verdict: Verdict,
    /// The endpoint's delivery policy, if it was read.
    pub(crate) policy: Option<DeliveryPolicy>,
    /// When the first of the deliveries is retried.
    pub(crate) next_at: Option<DateTime<Utc>>,
    /// Deliveries that were not attempted. This process still holds their leases.
    pub(crate) left: Vec<Delivery>,
    /// The deliveries in `left` wait for an earlier one, which is attempted at this time at the latest.
    pub(crate) blocked_until: Option<DateTime<Utc>>,
    /// Whether the database failed before anything was sent: all deliveries are to be retried once it is back.
    pub(crate) failed: bool,
    /// The delivery that was claimed for this attempt, with the end of its lease.
    pub(crate) claimed: LeaseEnds,
    /// The deliveries in `left` wait for this long, because their target has reached its rate or concurrency limit.
    pub(crate) refused: Option<Duration>,
}

impl PushResult {
    /// No attempt was made. Deliveries not in `left` become due when their leases expire.
    pub(crate) fn nothing() -> Self {
        Self {
            verdict: Verdict::Silent,
            policy: None,
            next_at: None,
            left: vec![],
            blocked_until: None,
            failed: false,
            claimed: vec![],
            refused: None,
        }
    }
}
