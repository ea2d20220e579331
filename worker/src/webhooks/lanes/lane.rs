//! The lane of one endpoint: its waiting deliveries, and the number of permits for its attempts.

use std::collections::VecDeque;

use buildtrack_domain::ids::{AgentId, DeliveryId, WebhookId};
use buildtrack_store::Delivery;
use tokio::time::{Duration, Instant};

use super::{CAPACITY, window::Window};
use crate::webhooks::{
    breaker::{Breaker, Shared},
    policy::DeliveryPolicy,
};

/// Waiting deliveries per endpoint, and for one whose last attempt failed.
pub(super) const LANE: usize = 1024;
const FAILING_LANE: usize = 8;
/// Total number of deliveries from which on each lane is limited to `SHARE`.
pub(super) const PLENTY: usize = CAPACITY / 2;
pub(super) const SHARE: usize = 16;
/// Deliveries are claimed for as long as their endpoint takes them in this time, but at least `CLAIM` of them, and `UNMEASURED` while
/// it is not known how fast it takes them.
const AHEAD: Duration = Duration::from_secs(2);
const CLAIM: usize = 8;
const UNMEASURED: usize = 64;
/// The weight of the average pace against the last measurement.
const STEADY: u32 = 7;

/// A delivery leased by this process, and the end of its lease.
#[derive(Debug, Clone)]
pub(crate) struct Leased {
    pub(crate) delivery: Delivery,
    pub(crate) until: Instant,
    /// The endpoint's breaker in the database, if it was read.
    pub(crate) shared: Option<Shared>,
}

/// Deliveries with the end of their leases.
pub(crate) type LeaseEnds = Vec<(DeliveryId, Instant)>;

#[derive(Debug, Default)]
pub(super) struct Lane {
    /// In log order.
    pub(super) waiting: VecDeque<Delivery>,
    pub(super) under_way: usize,
    /// Whether it is in one of the queues, or paused.
    pub(super) queued: bool,
    pub(super) policy: Option<DeliveryPolicy>,
    pub(super) breaker: Breaker,
    pub(super) window: Window,
    /// Average time from the end of a delivery to the end of the next, while the endpoint is kept busy.
    pace: Option<Duration>,
    /// When the last delivery ended, or when the first began after the lane was idle.
    measured_at: Option<Instant>,
    /// Until when it has no deliveries, because its target has reached its limits.
    rests_until: Option<Instant>,
}

impl Lane {
    pub(super) fn is_ready(&self, now: Instant) -> bool {
        !self.queued && !self.waiting.is_empty() && self.under_way < self.permits(now)
    }

    fn permits(&self, now: Instant) -> usize {
        // An endpoint without a success gets one attempt at a time.
        let one = self.policy.is_none_or(|policy| policy.ordered || !(policy.verified || self.breaker.is_working()));
        self.breaker.permits(now).min(self.window.permits()).min(if one { 1 } else { usize::MAX })
    }

    pub(super) fn capacity(&self, leased: usize) -> usize {
        self.most(leased).saturating_sub(self.waiting.len())
    }

    /// Number of deliveries to claim: as many as the endpoint takes soon, so that they wait in the database, where every process
    /// finds them, and not here. `0` while the lane is more than half full.
    pub(super) fn wanted(&self, leased: usize, now: Instant) -> usize {
        if self.rests(now) {
            return 0;
        }
        let (batch, most) = (self.batch(), self.soon().min(self.most(leased)));
        let room = most.saturating_sub(self.waiting.len());
        match room {
            _ if !self.waiting.is_empty() && room < most.div_ceil(2) => 0,
            // A batch that is not whole costs a push of its own.
            _ if room > batch => room - room % batch,
            _ => room,
        }
    }

    /// How many deliveries the endpoint takes in the time of `AHEAD`, as far as that is known.
    fn soon(&self) -> usize {
        let least = self.window.permits().min(CLAIM);
        let taken = self.pace.map(|pace| AHEAD.as_nanos() / pace.as_nanos().max(1));
        let unmeasured = if self.window.is_open() { UNMEASURED } else { least };
        taken.map_or(unmeasured, |taken| usize::try_from(taken).unwrap_or(LANE).max(least)).max(self.batch())
    }

    fn batch(&self) -> usize {
        self.policy.map_or(1, |policy| policy.batch)
    }

    /// Whether the lane has no deliveries for now, because its target has reached its limits.
    pub(super) fn rests(&self, now: Instant) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }

    /// Notes that the target has reached its limits, for so long that the deliveries are to wait elsewhere if `rests_until` is given.
    /// Returns the deliveries that the lane has too many of, in log order.
    pub(super) fn narrow(&mut self, rests_until: Option<Instant>) -> VecDeque<Delivery> {
        self.window.narrow();
        self.rests_until = rests_until;
        let most = if rests_until.is_some() { 0 } else { self.soon() };
        self.waiting.split_off(most.min(self.waiting.len()))
    }

    /// Notes that the lane was idle: the time without deliveries does not count.
    pub(super) fn restart(&mut self) {
        if self.under_way == 0 && self.waiting.is_empty() {
            self.measured_at = None;
        }
    }

    /// Notes the beginning of an attempt.
    pub(super) fn begin(&mut self, now: Instant) {
        if self.under_way == 0 {
            self.measured_at.get_or_insert(now);
        }
        self.under_way += 1;
    }

    /// Notes that the endpoint was called for `count` more deliveries.
    pub(super) fn measure(&mut self, count: usize, now: Instant) {
        self.window.widen();
        let Ok(count @ 1..) = u32::try_from(count) else { return };
        if let Some(since) = self.measured_at.replace(now) {
            let last = (now - since) / count;
            self.pace = Some(self.pace.map_or(last, |pace| (pace * STEADY + last) / (STEADY + 1)));
        }
        self.restart();
    }

    fn most(&self, leased: usize) -> usize {
        let most = if self.breaker.is_failing() { FAILING_LANE } else { LANE };
        most.min(if leased >= PLENTY { SHARE } else { LANE })
    }

    pub(super) fn push(&mut self, delivery: Delivery) {
        let behind = self.waiting.iter().rev().take_while(|other| other.position > delivery.position).count();
        self.waiting.insert(self.waiting.len() - behind, delivery);
    }
}

/// The endpoint and the deliveries of a running attempt.
#[derive(Debug, Clone)]
pub(crate) struct RunningAttempt {
    pub(crate) webhook_id: WebhookId,
    pub(crate) agent_id: AgentId,
    pub(crate) deliveries: Vec<DeliveryId>,
}

impl RunningAttempt {
    pub(crate) fn of(deliveries: &[Delivery]) -> Option<Self> {
        let first = deliveries.first()?;
        let ids = deliveries.iter().map(|delivery| delivery.id).collect();
        Some(Self { webhook_id: first.webhook_id, agent_id: first.agent_id, deliveries: ids })
    }
}
