//! A fair queue for a limited number of permits: parties take turns, and each party's requests are served in order.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// The number of permits, and the maximum number of waiting requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) permits: usize,
    pub(super) waiting: usize,
    pub(super) waiting_per_network: usize,
}

/// The reason why a request cannot wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The party has the maximum number of waiting requests.
    ByShare,
    /// The queue has the maximum number of waiting requests.
    Full,
}

/// The permits and the requests that wait for one.
#[derive(Debug)]
pub(super) struct Queue<P: Eq + Hash + Copy> {
    shared: Arc<Shared<P>>,
}

#[derive(Debug)]
struct Shared<P: Eq + Hash + Copy> {
    bounds: Bounds,
    state: Mutex<State<P>>,
}

#[derive(Debug)]
struct State<P: Eq + Hash + Copy> {
    /// The number of permits in use by each party.
    used: HashMap<P, usize>,
    in_use: usize,
    /// The parties with waiting requests, each once, next one first.
    order: VecDeque<P>,
    waiting: HashMap<P, VecDeque<Waiter<P>>>,
    waiting_in_all: usize,
    next_key: u64,
}

#[derive(Debug)]
struct Waiter<P: Eq + Hash + Copy> {
    key: u64,
    grant: oneshot::Sender<Permit<P>>,
}

/// The right to use one unit of capacity, until it is dropped.
#[derive(Debug)]
pub(super) struct Permit<P: Eq + Hash + Copy> {
    shared: Arc<Shared<P>>,
    party: P,
}

/// A request that waits for its permit or already has it. Dropping it removes the request from the queue.
#[derive(Debug)]
pub(super) struct Turn<P: Eq + Hash + Copy> {
    shared: Arc<Shared<P>>,
    party: P,
    key: u64,
    granted: oneshot::Receiver<Permit<P>>,
}

impl<P: Eq + Hash + Copy> Queue<P> {
    pub(super) fn new(bounds: Bounds) -> Self {
        let state = State {
            used: HashMap::new(),
            in_use: 0,
            order: VecDeque::new(),
            waiting: HashMap::new(),
            waiting_in_all: 0,
            next_key: 0,
        };
        Self { shared: Arc::new(Shared { bounds, state: Mutex::new(state) }) }
    }

    /// Adds a request of a party to the queue.
    pub(super) fn enter(&self, party: P) -> Result<Turn<P>, Refused> {
        let Bounds { permits, waiting, waiting_per_network } = self.shared.bounds;
        let mut state = self.shared.state();
        if state.in_use >= permits {
            if state.waiting.get(&party).is_some_and(|waiters| waiters.len() >= waiting_per_network) {
                return Err(Refused::ByShare);
            }
            if state.waiting_in_all >= waiting {
                return Err(Refused::Full);
            }
        }
        let (grant, granted) = oneshot::channel();
        let key = state.line_up(party, grant);
        drop(state);
        self.shared.grant();
        Ok(Turn { shared: Arc::clone(&self.shared), party, key, granted })
    }
}

impl<P: Eq + Hash + Copy> Turn<P> {
    /// Waits for the permit.
    pub(super) async fn granted(mut self) -> Permit<P> {
        match (&mut self.granted).await {
            Ok(permit) => permit,
            // Only the grant drops the sender, or the drop of the queue together with this.
            Err(_) => std::future::pending().await,
        }
    }
}

impl<P: Eq + Hash + Copy> Drop for Turn<P> {
    fn drop(&mut self) {
        // If the permit has already been granted, dropping the receiver drops it.
        self.shared.state().leave(self.party, self.key);
    }
}

impl<P: Eq + Hash + Copy> Drop for Permit<P> {
    fn drop(&mut self) {
        self.shared.state().release(self.party);
        self.shared.grant();
    }
}

impl<P: Eq + Hash + Copy> Shared<P> {
    fn state(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Grants every free permit.
    fn grant(self: &Arc<Self>) {
        // Permits of requests that were dropped at this moment must be released after the lock is released.
        let mut unwanted = Vec::new();
        let mut state = self.state();
        while state.in_use < self.bounds.permits
            && let Some((party, waiter)) = state.next()
        {
            let permit = Permit { shared: Arc::clone(self), party };
            unwanted.extend(waiter.grant.send(permit).err());
        }
        drop(state);
        drop(unwanted);
    }
}

impl<P: Eq + Hash + Copy> State<P> {
    fn line_up(&mut self, party: P, grant: oneshot::Sender<Permit<P>>) -> u64 {
        let key = self.next_key;
        self.next_key += 1;
        let waiters = self.waiting.entry(party).or_default();
        if waiters.is_empty() {
            self.order.push_back(party);
        }
        waiters.push_back(Waiter { key, grant });
        self.waiting_in_all += 1;
        key
    }

    /// Removes the next request from the queue and counts its permit: the first party without a permit, else the first one.
    fn next(&mut self) -> Option<(P, Waiter<P>)> {
        let at = self.order.iter().position(|party| !self.used.contains_key(party)).unwrap_or(0);
        let party = self.order.remove(at)?;
        let waiters = self.waiting.get_mut(&party)?;
        let waiter = waiters.pop_front()?;
        if waiters.is_empty() {
            self.waiting.remove(&party);
        } else {
            self.order.push_back(party);
        }
        self.waiting_in_all -= 1;
        self.in_use += 1;
        *self.used.entry(party).or_default() += 1;
        Some((party, waiter))
    }

    fn release(&mut self, party: P) {
        self.in_use -= 1;
        if let Some(used) = self.used.get_mut(&party) {
            *used -= 1;
            if *used == 0 {
                self.used.remove(&party);
            }
        }
    }

    fn leave(&mut self, party: P, key: u64) {
        let Some(waiters) = self.waiting.get_mut(&party) else { return };
        let before = waiters.len();
        waiters.retain(|waiter| waiter.key != key);
        self.waiting_in_all -= before - waiters.len();
        if waiters.is_empty() {
            self.waiting.remove(&party);
            self.order.retain(|waiting| *waiting != party);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn queue(permits: usize) -> Queue<&'static str> {
        Queue::new(Bounds { permits, waiting: 6, waiting_per_network: 3 })
    }

    /// Returns the permit, if it has been granted.
    fn now(turn: &mut Turn<&'static str>) -> Option<Permit<&'static str>> {
        (&mut turn.granted).now_or_never().and_then(Result::ok)
    }

    #[test]
    fn a_free_permit_goes_to_a_network_without_one() {
        let queue = queue(2);
        let [first, second] = [(); 2].map(|()| now(&mut queue.enter("greedy").unwrap()).unwrap());
        let mut greedy = [(); 3].map(|()| queue.enter("greedy").unwrap());
        let mut other = queue.enter("other").unwrap();
        assert!(now(&mut other).is_none());
        drop(first);
        let others = now(&mut other).unwrap();
        assert!(greedy.iter_mut().all(|turn| now(turn).is_none()));
        let mut third = queue.enter("third").unwrap();
        drop(second);
        let _again = now(&mut greedy[0]).expect("greedy holds none now, and has waited for longer");
        drop(others);
        assert!(now(&mut greedy[1]).is_none() && now(&mut third).is_some());
    }

    #[test]
    fn networks_take_turns_and_each_is_served_in_its_order() {
        let queue = queue(1);
        let mut held = now(&mut queue.enter("a").unwrap());
        let mut turns: Vec<_> = ["a", "a", "b", "b", "c"].map(|party| (party, queue.enter(party).unwrap())).into();
        let mut order = vec![];
        while !turns.is_empty() {
            drop(held.take());
            let at = turns.iter_mut().position(|(_, turn)| {
                held = now(turn);
                held.is_some()
            });
            order.push(turns.remove(at.unwrap()).0);
        }
        assert_eq!(order, ["a", "b", "c", "a", "b"]);
    }

    #[test]
    fn the_number_of_waiting_requests_is_bounded() {
        let queue = queue(1);
        let _held = now(&mut queue.enter("a").unwrap()).unwrap();
        let mut waiting = Vec::from([(); 3].map(|()| queue.enter("a").unwrap()));
        assert_eq!(queue.enter("a").err(), Some(Refused::ByShare));
        waiting.extend([(); 3].map(|()| queue.enter("b").unwrap()));
        assert_eq!(queue.enter("c").err(), Some(Refused::Full));
        waiting.pop();
        assert!(queue.enter("c").is_ok());
    }

    #[test]
    fn a_dropped_request_leaves_the_queue() {
        let queue = queue(1);
        let held = now(&mut queue.enter("a").unwrap()).unwrap();
        let (waits, gone) = (queue.enter("b").unwrap(), queue.enter("c").unwrap());
        drop(gone);
        drop(held);
        // The permit was granted but never received.
        drop(waits);
        let state = queue.shared.state();
        assert_eq!((state.in_use, state.waiting_in_all, state.order.len()), (0, 0, 0));
        assert!(state.used.is_empty() && state.waiting.is_empty());
    }
}
