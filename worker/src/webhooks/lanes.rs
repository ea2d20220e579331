//! Deliveries that this process has taken up: a lane for each endpoint, so that a slow one holds up only itself.

use std::collections::{HashMap, VecDeque, hash_map::Entry};

use buildtrack_domain::ids::{DeliveryId, WebhookId};
use buildtrack_store::Delivery;
use tokio::time::{Duration, Instant};

/// Attempts at one endpoint at a time.
const ABREAST: usize = 4;
/// Deliveries that wait for one endpoint; further ones are let go, and taken up again when the lease is over.
const LANE: usize = 1024;
/// Deliveries that wait or are under way.
const HELD: usize = 8192;

/// A delivery, and until when it is this process's own.
#[derive(Debug, Clone)]
pub(crate) struct Leased {
    pub(crate) delivery: Delivery,
    pub(crate) until: Instant,
}

/// All lanes.
///
/// **Invariant:** an endpoint is in `ready` exactly once while something waits for it and fewer than [`ABREAST`]
/// attempts at it are under way, and otherwise not at all.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    endpoints: HashMap<WebhookId, Lane>,
    /// Whose turn it is.
    ready: VecDeque<WebhookId>,
    /// Every delivery that waits or is under way, with its lease.
    leases: HashMap<DeliveryId, Instant>,
}

#[derive(Debug, Default)]
struct Lane {
    waiting: VecDeque<Delivery>,
    under_way: usize,
}

impl Lane {
    fn is_ready(&self) -> bool {
        !self.waiting.is_empty() && self.under_way < ABREAST
    }
}

impl Lanes {
    /// How many more may be taken up.
    pub(crate) fn room(&self) -> usize {
        HELD.saturating_sub(self.leases.len())
    }

    /// Takes a delivery up. One that is here already only has its lease prolonged.
    pub(crate) fn hold(&mut self, Leased { delivery, until }: Leased) {
        let lane = self.endpoints.entry(delivery.webhook_id).or_default();
        match self.leases.entry(delivery.id) {
            Entry::Occupied(mut lease) => *lease.get_mut() = until,
            Entry::Vacant(lease) if lane.waiting.len() < LANE => {
                lease.insert(until);
                let was_ready = lane.is_ready();
                let webhook_id = delivery.webhook_id;
                lane.waiting.push_back(delivery);
                if !was_ready && lane.is_ready() {
                    self.ready.push_back(webhook_id);
                }
            }
            Entry::Vacant(_) => {}
        }
    }

    /// The next delivery to try, if its endpoint has a place free; endpoints take turns. What could not be finished
    /// within its lease is let go.
    pub(crate) fn next(&mut self, now: Instant, needed: Duration) -> Option<Delivery> {
        while let Some(webhook_id) = self.ready.pop_front() {
            let Some(lane) = self.endpoints.get_mut(&webhook_id) else { continue };
            let (leases, mut next) = (&mut self.leases, None);
            while next.is_none()
                && let Some(delivery) = lane.waiting.pop_front()
            {
                if leases.get(&delivery.id).is_some_and(|until| now + needed < *until) {
                    lane.under_way += 1;
                    next = Some(delivery);
                } else {
                    leases.remove(&delivery.id);
                }
            }
            if lane.is_ready() {
                self.ready.push_back(webhook_id);
            }
            self.close_if_empty(webhook_id);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// An attempt is over and its outcome is known to the database.
    pub(crate) fn finish(&mut self, webhook_id: WebhookId, delivery_id: DeliveryId) {
        self.leases.remove(&delivery_id);
        if let Some(lane) = self.endpoints.get_mut(&webhook_id) {
            let was_ready = lane.is_ready();
            lane.under_way -= 1;
            if !was_ready && lane.is_ready() {
                self.ready.push_back(webhook_id);
            }
        }
        self.close_if_empty(webhook_id);
    }

    fn close_if_empty(&mut self, webhook_id: WebhookId) {
        if self.endpoints.get(&webhook_id).is_some_and(|lane| lane.waiting.is_empty() && lane.under_way == 0) {
            self.endpoints.remove(&webhook_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buildtrack_domain::{ids::AgentId, webhooks::PushType};
    use buildtrack_store::clock::Clock;

    const NEEDED: Duration = Duration::from_secs(20);

    fn webhook() -> WebhookId {
        WebhookId::new(Clock::System.uuid())
    }

    fn leased(webhook_id: WebhookId, until: Instant) -> Leased {
        let (id, agent_id) = (DeliveryId::new(Clock::System.uuid()), AgentId::new(Clock::System.uuid()));
        let delivery =
            Delivery { id, webhook_id, agent_id, position: 1, push_type: PushType::WorkspaceJoin, attempts: 0 };
        Leased { delivery, until }
    }

    fn lanes(waiting: &[(WebhookId, usize)], now: Instant) -> Lanes {
        let mut lanes = Lanes::default();
        for (webhook, count) in waiting {
            (0..*count).for_each(|_| lanes.hold(leased(*webhook, now + NEEDED * 2)));
        }
        lanes
    }

    #[test]
    fn endpoints_take_turns_and_none_has_more_than_its_places() {
        let (now, busy, calm) = (Instant::now(), webhook(), webhook());
        let mut lanes = lanes(&[(busy, 100), (calm, 2)], now);
        let turns: Vec<_> = std::iter::from_fn(|| lanes.next(now, NEEDED)).map(|next| next.webhook_id).collect();
        assert_eq!(turns, [busy, calm, busy, calm, busy, busy]);
    }

    #[test]
    fn a_place_that_becomes_free_is_taken_by_the_next() {
        let (now, busy) = (Instant::now(), webhook());
        let mut lanes = lanes(&[(busy, 10)], now);
        let mut under_way: VecDeque<_> = std::iter::from_fn(|| lanes.next(now, NEEDED)).collect();
        let mut made = 0;
        while let Some(delivery) = under_way.pop_front() {
            made += 1;
            lanes.finish(busy, delivery.id);
            under_way.extend(std::iter::from_fn(|| lanes.next(now, NEEDED)));
        }
        assert_eq!(made, 10);
        assert_eq!((lanes.room(), lanes.endpoints.len(), lanes.ready.len()), (HELD, 0, 0));
    }

    #[test]
    fn what_is_here_already_is_not_made_twice() {
        let (now, webhook) = (Instant::now(), webhook());
        let mut lanes = Lanes::default();
        let leased = leased(webhook, now);
        lanes.hold(leased.clone());
        // Its lease was over, and this process was the one to take it up anew.
        lanes.hold(Leased { until: now + NEEDED * 2, ..leased.clone() });
        assert_eq!(lanes.next(now, NEEDED).map(|next| next.id), Some(leased.delivery.id));
        lanes.hold(leased);
        assert!(lanes.next(now, NEEDED).is_none());
    }

    #[test]
    fn what_has_waited_too_long_is_let_go() {
        let (now, slow, other) = (Instant::now(), webhook(), webhook());
        let mut lanes = lanes(&[(slow, 3)], now);
        lanes.hold(leased(other, now + NEEDED * 4));
        let next = lanes.next(now + NEEDED, NEEDED);
        assert_eq!(next.map(|next| next.webhook_id), Some(other));
        assert!(lanes.next(now + NEEDED, NEEDED).is_none());
        assert_eq!(lanes.room(), HELD - 1);
    }

    #[test]
    fn one_endpoint_holds_only_so_many() {
        let (now, busy) = (Instant::now(), webhook());
        let lanes = lanes(&[(busy, LANE + 10)], now);
        assert_eq!(lanes.room(), HELD - LANE);
    }
}
