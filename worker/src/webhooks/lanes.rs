//! Deliveries that this process has taken up: a lane for each endpoint, so that a slow one holds up only itself.

use std::collections::{BTreeSet, HashMap, VecDeque, hash_map::Entry};

use buildtrack_domain::ids::{AgentId, DeliveryId, WebhookId};
use buildtrack_store::{Delivery, Verdict};
use tokio::time::{Duration, Instant};

use super::{
    breaker::{Shared, State},
    courier::Manner,
};

mod lane;

use lane::{Lane, PLENTY, SHARE};
pub(crate) use lane::{Leased, LetGo, Place};

/// Attempts at a time, to all endpoints together.
pub(crate) const ATTEMPTS: usize = 512;
/// From so many on, an endpoint has one place: those that answer never wait for those that do not.
const CROWD: usize = ATTEMPTS / 2;
/// Attempts at a time at all endpoints of one agent.
const AGENT: usize = 32;
/// Deliveries that wait or are under way.
pub(crate) const HELD: usize = 8192;
/// Endpoints whose last attempts are remembered; beyond, those with nothing to do are forgotten.
const REMEMBERED: usize = 10_000;

/// What became of a delivery that was brought here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// It waits for its turn.
    Waits,
    /// As many as there may be wait for its endpoint already.
    Full,
    /// Its endpoint is left alone until then.
    Broken(Instant),
}

/// All lanes.
///
/// **Invariant:** a lane in which something waits is in exactly one of these places: with those whose settings are not
/// known, in `ready`, in `crowded`, held back with its agent, paused, or at work with all the places it may have.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    endpoints: HashMap<WebhookId, Lane>,
    /// Whose turn it is.
    ready: VecDeque<WebhookId>,
    /// Who has a place already, while there are few.
    crowded: VecDeque<WebhookId>,
    /// Whose settings are to be looked at.
    unknown: VecDeque<WebhookId>,
    paused: BTreeSet<(Instant, WebhookId)>,
    agents: HashMap<AgentId, Agent>,
    /// Every delivery that waits or is under way, with its lease.
    leases: HashMap<DeliveryId, Instant>,
    /// What could not be finished within its lease.
    late: LetGo,
    /// The same, of ordered endpoints: what waits there for an earlier delivery.
    stalled: LetGo,
    under_way: usize,
    /// How many breakers are open, or about to be tried.
    broken: BTreeSet<WebhookId>,
}

#[derive(Debug, Default)]
struct Agent {
    under_way: usize,
    held_back: Vec<WebhookId>,
}

impl Lanes {
    /// How many more may be taken up.
    pub(crate) fn room(&self) -> usize {
        HELD.saturating_sub(self.leases.len())
    }

    /// How many more may be handed over, whatever endpoints they are for.
    pub(crate) fn places(&self) -> usize {
        PLENTY.saturating_sub(self.leases.len())
    }

    /// How many attempts are under way.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way
    }

    /// How many endpoints are left alone, and how many of those may be tried again.
    pub(crate) fn broken(&self, now: Instant) -> (usize, usize) {
        let half_open =
            |id: &&WebhookId| self.endpoints.get(*id).is_some_and(|lane| lane.breaker.state(now) == State::HalfOpen);
        let half_open = self.broken.iter().filter(half_open).count();
        (self.broken.len() - half_open, half_open)
    }

    /// How many to take up from the database at once, `most` at most.
    pub(crate) fn wanted(&self, most: usize) -> usize {
        match self.places() {
            0 => self.room().min(SHARE),
            places => places.min(most),
        }
    }

    /// Endpoints for which nothing more need be taken up.
    pub(crate) fn full(&self) -> Vec<WebhookId> {
        let held = self.leases.len();
        let full = self.endpoints.iter().filter(|(_, lane)| !lane.wants_more(held));
        full.map(|(id, _)| *id).collect()
    }

    /// Takes a delivery up, if there is room for it. One that is here already only has its lease prolonged.
    pub(crate) fn hold(&mut self, Leased { delivery, until, shared }: Leased, now: Instant) -> Held {
        let (held, webhook_id) = (self.leases.len(), delivery.webhook_id);
        if let Some(shared) = shared {
            self.learn_breaker(webhook_id, shared, now);
        }
        let lane = self.endpoints.entry(webhook_id).or_default();
        match self.leases.entry(delivery.id) {
            Entry::Occupied(mut lease) => *lease.get_mut() = until,
            Entry::Vacant(lease) => {
                if let State::Open(until) = lane.breaker.state(now) {
                    return Held::Broken(until);
                }
                if lane.room(held) == 0 {
                    return Held::Full;
                }
                lease.insert(until);
                lane.push(delivery);
                self.queue(webhook_id, now);
            }
        }
        Held::Waits
    }

    /// Takes over what the database says of an endpoint's breaker. What waits may go on where it was closed.
    pub(crate) fn learn_breaker(&mut self, webhook_id: WebhookId, shared: Shared, now: Instant) {
        let lane = self.endpoints.entry(webhook_id).or_default();
        lane.breaker.learn(shared, now);
        match lane.breaker.state(now) {
            State::Closed => _ = self.broken.remove(&webhook_id),
            State::HalfOpen => _ = self.broken.insert(webhook_id),
            State::Open(_) => {
                self.broken.insert(webhook_id);
                let let_go = self.let_go(webhook_id);
                self.stalled.extend(let_go);
            }
        }
        self.queue(webhook_id, now);
    }

    /// How often an endpoint's breaker had been closed, as far as this process knows.
    pub(crate) fn resets(&self, webhook_id: WebhookId) -> Option<i64> {
        self.endpoints.get(&webhook_id).and_then(|lane| lane.breaker.resets())
    }

    /// Endpoints that are left alone.
    pub(crate) fn open(&self, now: Instant) -> Vec<WebhookId> {
        let open = |id: &&WebhookId| {
            self.endpoints.get(*id).is_some_and(|lane| matches!(lane.breaker.state(now), State::Open(_)))
        };
        self.broken.iter().filter(open).copied().collect()
    }

    /// An endpoint whose settings are to be looked at, with one of its deliveries.
    pub(crate) fn next_unknown(&mut self) -> Option<Delivery> {
        while let Some(webhook_id) = self.unknown.pop_front() {
            if let Some(delivery) = self.endpoints.get(&webhook_id).and_then(|lane| lane.waiting.front()) {
                return Some(delivery.clone());
            }
            self.unqueue(webhook_id);
        }
        None
    }

    /// The endpoint's settings; none where they cannot be read, and then nothing waits for it here any more. Gives what
    /// does no longer.
    pub(crate) fn learn(&mut self, webhook_id: WebhookId, manner: Option<Manner>, now: Instant) -> LetGo {
        self.unqueue(webhook_id);
        if manner.is_none() {
            return self.let_go(webhook_id);
        }
        if let Some(lane) = self.endpoints.get_mut(&webhook_id) {
            lane.manner = manner;
            self.queue(webhook_id, now);
        }
        vec![]
    }

    /// What to try next, all of one endpoint, if it, its agent and all together have a place free; endpoints take turns.
    /// What could not be finished within its lease is let go.
    pub(crate) fn next(&mut self, now: Instant, needed: Duration) -> Option<Vec<Delivery>> {
        self.wake(now);
        while self.under_way < ATTEMPTS {
            let crowded = self.under_way >= CROWD;
            let uncrowded = || if crowded { None } else { self.crowded.pop_front() };
            let webhook_id = self.ready.pop_front().or_else(uncrowded)?;
            self.unqueue(webhook_id);
            let Some(lane) = self.endpoints.get_mut(&webhook_id) else { continue };
            let late = if lane.is_ordered() { &mut self.stalled } else { &mut self.late };
            let leases = &mut self.leases;
            let mut in_time = |delivery: &Delivery| {
                let in_time = leases.get(&delivery.id).is_some_and(|until| now + needed < *until);
                if !in_time && let Some(until) = leases.remove(&delivery.id) {
                    late.push((delivery.id, until));
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
                let count = lane.manner.map_or(1, |manner| manner.batch).min(lane.waiting.len());
                let next = lane.waiting.drain(..count).filter(in_time).collect();
                lane.under_way += 1;
                agent.under_way += 1;
                self.under_way += 1;
                self.queue(webhook_id, now);
                return Some(next);
            }
        }
        None
    }

    /// What could not be finished within its lease since the last time this was asked.
    pub(crate) fn take_late(&mut self) -> LetGo {
        std::mem::take(&mut self.late)
    }

    /// What waited for an earlier delivery of its endpoint for as long as its lease allows.
    pub(crate) fn take_stalled(&mut self) -> LetGo {
        std::mem::take(&mut self.stalled)
    }

    /// What is under way there, with its leases.
    pub(crate) fn leases_of(&self, place: &Place) -> LetGo {
        place.deliveries.iter().filter_map(|id| Some((*id, *self.leases.get(id)?))).collect()
    }

    /// An attempt is over, and its outcome, if any, is known to the database. Those `left` wait on; where they wait for
    /// another delivery, until `pause`.
    pub(crate) fn finish(&mut self, place: &Place, left: Vec<Delivery>, pause: Option<Instant>, now: Instant) {
        let Place { webhook_id, agent_id, deliveries } = place;
        let kept: Vec<_> = left.iter().map(|delivery| delivery.id).collect();
        deliveries.iter().filter(|id| !kept.contains(id)).for_each(|id| _ = self.leases.remove(id));
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

    /// What an attempt says of its endpoint. Gives how long that is to be left alone, where this has just become clear,
    /// and what waited for it here and does no longer.
    pub(crate) fn judge(
        &mut self,
        webhook_id: WebhookId,
        (verdict, manner): (Verdict, Option<Manner>),
        now: Instant,
        breaker_wait: Duration,
    ) -> Option<(Duration, LetGo)> {
        let lane = self.endpoints.get_mut(&webhook_id)?;
        lane.manner = manner.or(lane.manner);
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
        Some((wait, self.let_go(webhook_id)))
    }

    /// When a paused lane goes on.
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

    /// Puts a lane where it belongs.
    fn queue(&mut self, webhook_id: WebhookId, now: Instant) {
        let Some(lane) = self.endpoints.get_mut(&webhook_id).filter(|lane| lane.is_ready(now)) else { return };
        lane.queued = true;
        let queue = if lane.manner.is_some() { &mut self.ready } else { &mut self.unknown };
        queue.push_back(webhook_id);
    }

    fn unqueue(&mut self, webhook_id: WebhookId) {
        if let Some(lane) = self.endpoints.get_mut(&webhook_id) {
            lane.queued = false;
        }
    }

    /// Forgets what waits for an endpoint. It is the database's again when its leases are over, or before.
    fn let_go(&mut self, webhook_id: WebhookId) -> LetGo {
        let waiting = self.endpoints.get_mut(&webhook_id).map(|lane| std::mem::take(&mut lane.waiting));
        let ids = waiting.into_iter().flatten().map(|delivery| delivery.id);
        let let_go = ids.filter_map(|id| Some((id, self.leases.remove(&id)?))).collect();
        self.close_if_idle(webhook_id);
        let_go
    }

    fn close_if_idle(&mut self, webhook_id: WebhookId) {
        if self.endpoints.len() > REMEMBERED
            && let Entry::Occupied(lane) = self.endpoints.entry(webhook_id)
            && lane.get().waiting.is_empty()
            && lane.get().under_way == 0
            && !lane.get().queued
            && !self.broken.contains(&webhook_id)
        {
            lane.remove();
        }
    }
}

#[cfg(test)]
mod progress;
#[cfg(test)]
mod tests;
