//! Lanes: the in-memory queues of leased deliveries, one for each endpoint, so that a slow endpoint delays only itself.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque, hash_map::Entry};

use buildtrack_domain::ids::{AgentId, DeliveryId, WebhookId};
use buildtrack_store::{ClaimLimits, ClaimedDeliveries, Delivery};
use tokio::time::Instant;

use super::{breaker::State, policy::DeliveryPolicy};

mod attempts;
mod breakers;
mod lane;
mod window;

use lane::{Lane, PLENTY, SHARE};
pub(crate) use lane::{LeaseEnds, Leased, RunningAttempt};

/// Concurrent attempts at all endpoints together.
pub(crate) const ATTEMPTS: usize = 512;
/// Deliveries that wait or are being attempted.
pub(crate) const CAPACITY: usize = 8192;
/// Cached endpoints with the outcome of their last attempts. Beyond this number, idle ones are dropped.
const CACHED: usize = 10_000;

/// Whether a lane accepted a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is queued.
    Queued,
    /// The endpoint's lane is full.
    Full,
    /// The endpoint's breaker is open until this time.
    Broken(Instant),
}

/// All lanes.
///
/// **Invariant:** a lane with waiting deliveries is in exactly one of these states: in `unknown`, in `ready`, in `crowded`,
/// held back with its agent, paused, or running as many attempts as it may.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    endpoints: HashMap<WebhookId, Lane>,
    /// Endpoints that may start an attempt, in round-robin order.
    ready: VecDeque<WebhookId>,
    /// Endpoints that already have a running attempt, while permits are scarce.
    crowded: VecDeque<WebhookId>,
    /// Endpoints whose delivery policy must be read first.
    unknown: VecDeque<WebhookId>,
    paused: BTreeSet<(Instant, WebhookId)>,
    agents: HashMap<AgentId, Agent>,
    /// Every delivery that waits or is being attempted, with the end of its lease.
    leases: HashMap<DeliveryId, Instant>,
    /// Deliveries dropped because an attempt would not end within their leases, or because a breaker is open.
    dropped: LeaseEnds,
    /// Endpoints that have due deliveries in the database. Newer ones wait there too, so that they do not overtake.
    behind: HashSet<WebhookId>,
    under_way: usize,
    /// Endpoints whose breaker is open or half-open.
    broken: BTreeSet<WebhookId>,
}

#[derive(Debug, Default)]
struct Agent {
    under_way: usize,
    held_back: Vec<WebhookId>,
}

impl Lanes {
    /// Number of deliveries that may be added.
    pub(crate) fn capacity(&self) -> usize {
        CAPACITY.saturating_sub(self.leases.len())
    }

    /// Number of deliveries that the dispatcher may hand over, for any endpoint.
    pub(crate) fn handover_capacity(&self) -> usize {
        PLENTY.saturating_sub(self.leases.len())
    }

    /// Number of running attempts.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way
    }

    /// Number of deliveries to claim from the database at once, at most `most`, and of which endpoints.
    pub(crate) fn limits(&self, most: usize, now: Instant) -> ClaimLimits {
        let all = match self.handover_capacity() {
            0 => self.capacity().min(SHARE),
            capacity => capacity.min(most),
        };
        let leased = self.leases.len();
        let wanted = self.endpoints.iter().map(|(id, lane)| (*id, lane.wanted(leased, now)));
        ClaimLimits { all, endpoints: wanted.filter(|(_, wanted)| *wanted < all).collect() }
    }

    /// Learns from a claim within `limits` which endpoints have more due deliveries.
    pub(crate) fn learn_claim(&mut self, limits: &ClaimLimits, claimed: &ClaimedDeliveries) {
        let mut taken: HashMap<WebhookId, usize> = HashMap::new();
        for delivery in &claimed.deliveries {
            *taken.entry(delivery.webhook_id).or_default() += 1;
        }
        let is_excluded = |id: &WebhookId| limits.of(*id) == 0;
        self.behind.retain(|id| claimed.is_partial || is_excluded(id));
        let reached = taken.into_iter().filter(|(id, taken)| *taken >= limits.of(*id));
        self.behind.extend(reached.map(|(id, _)| id));
    }

    /// Learns that no delivery is due in the database.
    pub(crate) fn learn_nothing_due(&mut self, now: Instant) {
        self.behind.retain(|id| self.endpoints.get(id).is_some_and(|lane| lane.rests(now)));
    }

    /// Endpoints whose new deliveries the dispatcher must leave in the database.
    pub(crate) fn behind(&self) -> impl Iterator<Item = WebhookId> {
        self.behind.iter().copied()
    }

    /// Adds a delivery if its lane has capacity. For a delivery that is here already, only extends the lease.
    pub(crate) fn admit(&mut self, Leased { delivery, until, shared }: Leased, now: Instant) -> Admission {
        let (leased, webhook_id) = (self.leases.len(), delivery.webhook_id);
        if let Some(shared) = shared {
            self.learn_breaker(webhook_id, shared, now);
        }
        let lane = self.endpoints.entry(webhook_id).or_default();
        match self.leases.entry(delivery.id) {
            Entry::Occupied(mut lease) => *lease.get_mut() = until,
            Entry::Vacant(lease) => {
                if let State::Open(until) = lane.breaker.state(now) {
                    return Admission::Broken(until);
                }
                if lane.capacity(leased) == 0 || lane.rests(now) {
                    self.behind.insert(webhook_id);
                    return Admission::Full;
                }
                lease.insert(until);
                lane.restart();
                lane.push(delivery);
                self.queue(webhook_id, now);
            }
        }
        Admission::Queued
    }

    /// The next endpoint whose delivery policy must be read, as one of its deliveries.
    pub(crate) fn next_unknown(&mut self) -> Option<Delivery> {
        while let Some(webhook_id) = self.unknown.pop_front() {
            if let Some(delivery) = self.endpoints.get(&webhook_id).and_then(|lane| lane.waiting.front()) {
                return Some(delivery.clone());
            }
            self.unqueue(webhook_id);
        }
        None
    }

    /// Sets the endpoint's delivery policy. `None` means that it cannot be read: the lane drops its waiting deliveries, which
    /// are returned with the end of their leases.
    pub(crate) fn learn(&mut self, webhook_id: WebhookId, policy: Option<DeliveryPolicy>, now: Instant) -> LeaseEnds {
        self.unqueue(webhook_id);
        if policy.is_none() {
            return self.drop_waiting(webhook_id);
        }
        if let Some(lane) = self.endpoints.get_mut(&webhook_id) {
            lane.policy = policy;
            self.queue(webhook_id, now);
        }
        vec![]
    }

    /// Takes the deliveries dropped for their leases, or for an open breaker, since the last call.
    pub(crate) fn take_dropped(&mut self) -> LeaseEnds {
        std::mem::take(&mut self.dropped)
    }

    /// When the next paused lane resumes.
    pub(crate) fn wakes_at(&self) -> Option<Instant> {
        self.paused.first().map(|(at, _)| *at)
    }

    fn wake(&mut self, now: Instant) {
        while let Some(&(at, webhook_id)) = self.paused.first()
            && at <= now
        {
            self.paused.pop_first();
            self.unqueue(webhook_id);
            self.queue(webhook_id, now);
        }
    }

    /// Queues a lane if it may start an attempt.
    fn queue(&mut self, webhook_id: WebhookId, now: Instant) {
        let Some(lane) = self.endpoints.get_mut(&webhook_id).filter(|lane| lane.is_ready(now)) else { return };
        lane.queued = true;
        let queue = if lane.policy.is_some() { &mut self.ready } else { &mut self.unknown };
        queue.push_back(webhook_id);
    }

    fn unqueue(&mut self, webhook_id: WebhookId) {
        if let Some(lane) = self.endpoints.get_mut(&webhook_id) {
            lane.queued = false;
        }
    }

    /// Drops the waiting deliveries of an endpoint and returns them with the end of their leases.
    fn drop_waiting(&mut self, webhook_id: WebhookId) -> LeaseEnds {
        let waiting = self.endpoints.get_mut(&webhook_id).map(|lane| std::mem::take(&mut lane.waiting));
        let ids = waiting.into_iter().flatten().map(|delivery| delivery.id);
        let dropped = ids.filter_map(|id| Some((id, self.leases.remove(&id)?))).collect();
        self.close_if_idle(webhook_id);
        dropped
    }

    /// Drops all deliveries that wait, or were dropped before, and returns them with the end of their leases.
    pub(crate) fn drop_all_waiting(&mut self) -> LeaseEnds {
        let endpoints: Vec<_> = self.endpoints.keys().copied().collect();
        let mut dropped = self.take_dropped();
        dropped.extend(endpoints.into_iter().flat_map(|webhook_id| self.drop_waiting(webhook_id)));
        dropped
    }

    fn close_if_idle(&mut self, webhook_id: WebhookId) {
        if self.endpoints.len() > CACHED
            && let Entry::Occupied(lane) = self.endpoints.entry(webhook_id)
            && lane.get().waiting.is_empty()
            && lane.get().under_way == 0
            && !lane.get().queued
            && !self.broken.contains(&webhook_id)
        {
            lane.remove();
            self.behind.remove(&webhook_id);
        }
    }
}

#[cfg(test)]
mod progress;
#[cfg(test)]
mod tests;
