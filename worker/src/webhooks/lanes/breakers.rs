//! The circuit breakers of the lanes.

use buildtrack_domain::ids::WebhookId;
use buildtrack_store::Verdict;
use tokio::time::{Duration, Instant};

use super::{Lanes, LeaseEnds};
use crate::webhooks::{
    breaker::{Shared, State},
    policy::DeliveryPolicy,
};

impl Lanes {
    /// Number of open breakers, and of half-open ones.
    pub(crate) fn broken(&self, now: Instant) -> (usize, usize) {
        let half_open =
            |id: &&WebhookId| self.endpoints.get(*id).is_some_and(|lane| lane.breaker.state(now) == State::HalfOpen);
        let half_open = self.broken.iter().filter(half_open).count();
        (self.broken.len() - half_open, half_open)
    }

    /// Applies the state of an endpoint's breaker in the database. If it was closed, waiting deliveries may proceed.
    pub(crate) fn learn_breaker(&mut self, webhook_id: WebhookId, shared: Shared, now: Instant) {
        let lane = self.endpoints.entry(webhook_id).or_default();
        lane.breaker.learn(shared, now);
        match lane.breaker.state(now) {
            State::Closed => _ = self.broken.remove(&webhook_id),
            State::HalfOpen => _ = self.broken.insert(webhook_id),
            State::Open(_) => {
                self.broken.insert(webhook_id);
                let dropped = self.drop_waiting(webhook_id);
                self.dropped.extend(dropped);
            }
        }
        self.queue(webhook_id, now);
    }

    /// The reset count of an endpoint's breaker that this process last read.
    pub(crate) fn resets(&self, webhook_id: WebhookId) -> Option<i64> {
        self.endpoints.get(&webhook_id).and_then(|lane| lane.breaker.resets())
    }

    /// Endpoints whose breaker is open.
    pub(crate) fn open(&self, now: Instant) -> Vec<WebhookId> {
        let open = |id: &&WebhookId| {
            self.endpoints.get(*id).is_some_and(|lane| matches!(lane.breaker.state(now), State::Open(_)))
        };
        self.broken.iter().filter(open).copied().collect()
    }

    /// Applies the outcome of an attempt to its endpoint. If it opens the breaker, returns the open time and the waiting
    /// deliveries that the lane dropped.
    pub(crate) fn judge(
        &mut self,
        webhook_id: WebhookId,
        (verdict, policy): (Verdict, Option<DeliveryPolicy>),
        now: Instant,
        breaker_wait: Duration,
    ) -> Option<(Duration, LeaseEnds)> {
        let lane = self.endpoints.get_mut(&webhook_id)?;
        lane.policy = policy.or(lane.policy);
        let wait = match verdict {
            Verdict::Silent => return None,
            Verdict::Works => {
                lane.breaker.worked();
                self.broken.remove(&webhook_id);
                return None;
            }
            Verdict::Fails => lane.breaker.failed(now, breaker_wait)?,
        };
        self.broken.insert(webhook_id);
        Some((wait, self.drop_waiting(webhook_id)))
    }
}
