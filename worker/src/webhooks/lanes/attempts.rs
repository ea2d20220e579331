//! The beginning and the end of attempts: permits of endpoints, agents and the process.

use std::collections::hash_map::Entry;

use buildtrack_domain::ids::{DeliveryId, WebhookId};
use buildtrack_store::Delivery;
use tokio::time::{Duration, Instant};

use super::{ATTEMPTS, Lanes, LeaseEnds, RunningAttempt};

/// Number of running attempts from which on each endpoint gets only one. So responsive endpoints never wait for unresponsive
/// ones.
const CROWD: usize = ATTEMPTS / 2;
/// Concurrent attempts at all endpoints of one agent.
pub(super) const AGENT: usize = 32;

impl Lanes {
    /// The deliveries of the next attempt, all of one endpoint, if the endpoint, its agent and the process each have a permit
    /// free. Endpoints are served round-robin. Deliveries whose lease would expire during the attempt are dropped.
    pub(crate) fn next(&mut self, now: Instant, needed: Duration) -> Option<Vec<Delivery>> {
        self.wake(now);
        while self.under_way < ATTEMPTS {
            let crowded = self.under_way >= CROWD;
            let uncrowded = || if crowded { None } else { self.crowded.pop_front() };
            let webhook_id = self.ready.pop_front().or_else(uncrowded)?;
            self.unqueue(webhook_id);
            let Some(lane) = self.endpoints.get_mut(&webhook_id) else { continue };
            let (dropped, behind, leases) = (&mut self.dropped, &mut self.behind, &mut self.leases);
            let mut in_time = |delivery: &Delivery| {
                let in_time = leases.get(&delivery.id).is_some_and(|until| now + needed < *until);
                if !in_time && let Some(until) = leases.remove(&delivery.id) {
                    dropped.push((delivery.id, until));
                    behind.insert(webhook_id);
                }
                in_time
            };
            while lane.waiting.pop_front_if(|delivery| !in_time(delivery)).is_some() {}
            let Some(agent_id) = lane.waiting.front().map(|delivery| delivery.agent_id) else {
                self.close_if_idle(webhook_id);
                continue;
            };
            if !lane.is_ready(now) {
                continue;
            }
            let agent = self.agents.entry(agent_id).or_default();
            if agent.under_way >= AGENT {
                lane.queued = true;
                agent.held_back.push(webhook_id);
            } else if crowded && lane.under_way > 0 {
                lane.queued = true;
                self.crowded.push_back(webhook_id);
            } else {
                let count = lane.policy.map_or(1, |policy| policy.batch).min(lane.waiting.len());
                let next = lane.waiting.drain(..count).filter(in_time).collect();
                lane.begin(now);
                agent.under_way += 1;
                self.under_way += 1;
                self.queue(webhook_id, now);
                return Some(next);
            }
        }
        None
    }

    /// The deliveries of a running attempt, with the end of their leases.
    pub(crate) fn leases_of(&self, running: &RunningAttempt) -> LeaseEnds {
        running.deliveries.iter().filter_map(|id| Some((*id, *self.leases.get(id)?))).collect()
    }

    /// Notes that the endpoint's target has reached its limits: fewer attempts run at a time, and fewer deliveries wait here, or none
    /// until `rests_until`. Those that the lane has too many of are dropped.
    pub(crate) fn narrow(&mut self, webhook_id: WebhookId, rests_until: Option<Instant>) -> LeaseEnds {
        let Some(lane) = self.endpoints.get_mut(&webhook_id) else { return vec![] };
        let dropped = lane.narrow(rests_until);
        if !dropped.is_empty() || rests_until.is_some() {
            self.behind.insert(webhook_id);
        }
        dropped.into_iter().filter_map(|delivery| Some((delivery.id, self.leases.remove(&delivery.id)?))).collect()
    }

    /// Measures how fast the endpoint takes deliveries: it was called for those that are not in `left`.
    pub(crate) fn measure(&mut self, running: &RunningAttempt, left: usize, now: Instant) {
        if let Some(lane) = self.endpoints.get_mut(&running.webhook_id) {
            lane.measure(running.deliveries.len().saturating_sub(left), now);
        }
    }

    /// Ends an attempt whose outcome, if any, is recorded. The deliveries in `left` wait again, with all others of the endpoint until
    /// `pause`. The attempt itself may have claimed one of them: `claimed` has its lease.
    pub(crate) fn finish(
        &mut self,
        running: &RunningAttempt,
        (left, claimed): (Vec<Delivery>, &[(DeliveryId, Instant)]),
        pause: Option<Instant>,
        now: Instant,
    ) {
        let RunningAttempt { webhook_id, agent_id, deliveries } = running;
        let remaining: Vec<_> = left.iter().map(|delivery| delivery.id).collect();
        deliveries.iter().filter(|id| !remaining.contains(id)).for_each(|id| _ = self.leases.remove(id));
        let leases = claimed.iter().filter(|(id, _)| remaining.contains(id));
        self.leases.extend(leases.copied());
        self.under_way -= 1;
        if let Entry::Occupied(mut agent) = self.agents.entry(*agent_id) {
            agent.get_mut().under_way -= 1;
            for webhook_id in std::mem::take(&mut agent.get_mut().held_back) {
                self.ready.push_back(webhook_id);
            }
            if agent.get().under_way == 0 {
                agent.remove();
            }
        }
        let Some(lane) = self.endpoints.get_mut(webhook_id) else { return };
        lane.under_way -= 1;
        // It is crowded only while it has an attempt of its own.
        if lane.under_way == 0
            && let Some(index) = self.crowded.iter().position(|crowded| crowded == webhook_id)
        {
            self.crowded.remove(index);
            self.ready.push_back(*webhook_id);
        }
        for delivery in left {
            lane.push(delivery);
        }
        match pause {
            Some(pause) if !lane.queued && !lane.waiting.is_empty() => {
                lane.queued = true;
                self.paused.insert((pause, *webhook_id));
            }
            _ => self.queue(*webhook_id, now),
        }
        self.close_if_idle(*webhook_id);
    }
}
