//! One endpoint's lane: what waits for it, and how much of that may be under way.

use std::collections::VecDeque;

use buildtrack_domain::ids::{AgentId, DeliveryId, WebhookId};
use buildtrack_store::Delivery;
use tokio::time::Instant;

use super::HELD;
use crate::webhooks::{
    breaker::{Breaker, Shared},
    courier::Manner,
};

/// Deliveries that wait for one endpoint, and for one whose last attempt failed.
pub(super) const LANE: usize = 1024;
const FAILING_LANE: usize = 8;
/// From so many on, an endpoint has this much of them.
pub(super) const PLENTY: usize = HELD / 2;
pub(super) const SHARE: usize = 16;

/// A delivery, and until when it is this process's own.
#[derive(Debug, Clone)]
pub(crate) struct Leased {
    pub(crate) delivery: Delivery,
    pub(crate) until: Instant,
    /// Its endpoint's breaker in the database, where that was looked at.
    pub(crate) shared: Option<Shared>,
}

/// Deliveries that are let go of, each with the end of its lease: the database's again then, or before.
pub(crate) type LetGo = Vec<(DeliveryId, Instant)>;

#[derive(Debug, Default)]
pub(super) struct Lane {
    /// In the order of the log.
    pub(super) waiting: VecDeque<Delivery>,
    pub(super) under_way: usize,
    /// Whether it is in one of the queues, or paused.
    pub(super) queued: bool,
    pub(super) manner: Option<Manner>,
    pub(super) breaker: Breaker,
}

impl Lane {
    pub(super) fn is_ready(&self, now: Instant) -> bool {
        !self.queued && !self.waiting.is_empty() && self.under_way < self.places(now)
    }

    fn places(&self, now: Instant) -> usize {
        // An endpoint that has yet to show that it wants pushes gets one at a time.
        let one = self.manner.is_none_or(|manner| manner.ordered || !(manner.verified || self.breaker.is_working()));
        self.breaker.places(now).min(if one { 1 } else { usize::MAX })
    }

    pub(super) fn is_ordered(&self) -> bool {
        self.manner.is_some_and(|manner| manner.ordered)
    }

    pub(super) fn room(&self, held: usize) -> usize {
        self.most(held).saturating_sub(self.waiting.len())
    }

    /// Whether it is worth a look at the database: one more delivery at a time would be taken up with many that are then
    /// given back.
    pub(super) fn wants_more(&self, held: usize) -> bool {
        self.waiting.is_empty() || self.room(held) >= self.most(held) / 2
    }

    fn most(&self, held: usize) -> usize {
        let most = if self.breaker.is_failing() { FAILING_LANE } else { LANE };
        most.min(if held >= PLENTY { SHARE } else { LANE })
    }

    pub(super) fn push(&mut self, delivery: Delivery) {
        let behind = self.waiting.iter().rev().take_while(|other| other.position > delivery.position).count();
        self.waiting.insert(self.waiting.len() - behind, delivery);
    }
}

/// Where an attempt is made, and of what.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) webhook_id: WebhookId,
    pub(crate) agent_id: AgentId,
    pub(crate) deliveries: Vec<DeliveryId>,
}

impl Place {
    pub(crate) fn of(deliveries: &[Delivery]) -> Option<Self> {
        let first = deliveries.first()?;
        let ids = deliveries.iter().map(|delivery| delivery.id).collect();
        Some(Self { webhook_id: first.webhook_id, agent_id: first.agent_id, deliveries: ids })
    }
}
