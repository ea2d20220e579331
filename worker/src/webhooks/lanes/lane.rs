//! The lane of one endpoint: its waiting deliveries, and the number of permits for its attempts.

use std::collections::VecDeque;

use buildtrack_domain::ids::{AgentId, DeliveryId, WebhookId};
use buildtrack_store::Delivery;
use tokio::time::Instant;

use super::CAPACITY;
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
}

impl Lane {
    pub(super) fn is_ready(&self, now: Instant) -> bool {
        !self.queued && !self.waiting.is_empty() && self.under_way < self.permits(now)
    }

    fn permits(&self, now: Instant) -> usize {
        // An endpoint without a success gets one attempt at a time.
        let one = self.policy.is_none_or(|policy| policy.ordered || !(policy.verified || self.breaker.is_working()));
        self.breaker.permits(now).min(if one { 1 } else { usize::MAX })
    }

    pub(super) fn is_ordered(&self) -> bool {
        self.policy.is_some_and(|policy| policy.ordered)
    }

    pub(super) fn capacity(&self, leased: usize) -> usize {
        self.most(leased).saturating_sub(self.waiting.len())
    }

    /// Whether claiming is worth a query: with little capacity, most of the claimed deliveries would be released again.
    pub(super) fn wants_more(&self, leased: usize) -> bool {
        self.waiting.is_empty() || self.capacity(leased) >= self.most(leased) / 2
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
