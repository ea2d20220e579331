//! Slots of the sandbox: which answer is judged next.
//!
//! **Invariant:** owners get slots by what judging has cost them in the window, the cheapest first, so that many answers, or slow ones, of one
//! owner delay its own turns. **Invariant:** an owner beyond its budget gets a slot only if no owner within its budget waits for one, and at most
//! half of the slots belong to such owners. **Invariant:** the last slot is for an owner that has none, so that its first answer waits for no
//! run to end. Of one owner, matches with other owners come first, then its matches take turns.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use buildtrack_domain::ids::{MatchId, OwnerId};
use buildtrack_sandbox::limits::CPU_SECONDS;
use tokio::{sync::oneshot, time::Instant};

/// What judging the answers of one owner may cost in a window before they wait for those of others.
pub(super) const BUDGET: Duration = Duration::from_mins(2);
const WINDOW: Duration = Duration::from_mins(10);
/// The slots beyond one for each core, for owners that have none.
pub(super) const SPARE: usize = 1;
/// What a run is counted as until it has ended.
const RESERVE: Duration = Duration::from_secs(CPU_SECONDS);

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) owner_id: OwnerId,
    pub(super) match_id: MatchId,
    /// Whether agents of other owners play in the match, who would wait too.
    pub(super) has_others: bool,
}

/// The slots. Copies share them.
#[derive(Debug, Clone)]
pub(super) struct Slots(Arc<Mutex<Queue<oneshot::Sender<Slot>>>>);

/// A slot, until it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Slots,
    granted: Granted,
    cost: Duration,
}

impl Slots {
    pub(super) fn new(count: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue::new(count))))
    }

    /// Waits for a slot. `None` cannot happen while a copy of the slots exists.
    pub(super) async fn take(&self, source: Source) -> Option<Slot> {
        let (sender, slot) = oneshot::channel();
        self.change(|queue| queue.add(source, sender, Instant::now()));
        slot.await.ok()
    }

    /// Changes the queue, and hands out the slots that are free then.
    fn change(&self, change: impl FnOnce(&mut Queue<oneshot::Sender<Slot>>)) {
        let mut granted = Vec::new();
        {
            let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            change(&mut queue);
            while let Some((slot, waiter)) = queue.next(Instant::now()) {
                if waiter.is_closed() {
                    queue.end(slot, Duration::ZERO);
                } else {
                    granted.push((slot, waiter));
                }
            }
        }
        for (granted, waiter) in granted {
            let slot = Slot { slots: self.clone(), granted, cost: Duration::ZERO };
            // If the waiter has gone meanwhile, the slot comes back and is dropped, which hands it to the next.
            drop(waiter.send(slot));
        }
    }
}

impl Slot {
    /// Notes what the run has cost.
    pub(super) fn charge(&mut self, cost: Duration) {
        self.cost += cost;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let (granted, cost) = (self.granted, self.cost);
        self.slots.clone().change(|queue| queue.end(granted, cost));
    }
}

/// A slot that an owner has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Granted {
    owner_id: OwnerId,
    is_beyond: bool,
}

/// Who waits, and what each owner has cost. Times are arguments.
#[derive(Debug)]
struct Queue<W> {
    free: usize,
    /// Slots that only an owner without one may get.
    spare: usize,
    /// Slots that owners beyond their budgets may still get.
    free_beyond: usize,
    accounts: HashMap<OwnerId, Account<W>>,
    /// The number of slots that were granted so far.
    granted: u64,
}

#[derive(Debug)]
struct Account<W> {
    matches: HashMap<MatchId, Line<W>>,
    running: u32,
    window_began: Instant,
    /// The cost in the window, and the reserve of each run under way.
    used: Duration,
    /// The number of the last slot that it got.
    served: u64,
}

/// The answers of one match and owner that wait.
#[derive(Debug)]
struct Line<W> {
    has_others: bool,
    waiting: Vec<W>,
    /// The number of the last slot that it got, or that was granted before it came.
    served: u64,
}

impl<W> Queue<W> {
    fn new(slots: usize) -> Self {
        let free = slots.max(1);
        let spare = SPARE.min(free - 1);
        Self { free, spare, free_beyond: (free - spare).div_ceil(2), accounts: HashMap::new(), granted: 0 }
    }

    fn add(&mut self, source: Source, waiter: W, now: Instant) {
        let Source { owner_id, match_id, has_others } = source;
        let account = self.accounts.entry(owner_id).or_insert_with(|| Account::new(now));
        let line = account.matches.entry(match_id);
        // Behind the matches that wait already.
        let new = || Line { has_others, waiting: Vec::new(), served: self.granted };
        line.or_insert_with(new).waiting.push(waiter);
    }

    /// Grants a slot, if one is free and an answer waits that may have it.
    fn next(&mut self, now: Instant) -> Option<(Granted, W)> {
        if self.free == 0 {
            return None;
        }
        self.accounts.retain(|_, account| account.is_needed(now));
        let granted = self.granted + 1;
        let (has_more, has_beyond) = (self.free > self.spare, self.free > self.spare && self.free_beyond > 0);
        let waiting = self.accounts.iter_mut().filter(|(_, account)| !account.matches.is_empty());
        let may_have = waiting.filter(
            |(_, account)| {
                if account.is_beyond() { has_beyond } else { has_more || account.running == 0 }
            },
        );
        let (owner_id, account) =
            may_have.min_by_key(|(_, account)| (account.is_beyond(), account.used, account.served))?;
        let granted_to = Granted { owner_id: *owner_id, is_beyond: account.is_beyond() };
        let waiter = account.serve(granted)?;
        self.granted = granted;
        self.free -= 1;
        self.free_beyond -= usize::from(granted_to.is_beyond);
        Some((granted_to, waiter))
    }

    /// Takes a slot back.
    fn end(&mut self, granted: Granted, cost: Duration) {
        self.free += 1;
        self.free_beyond += usize::from(granted.is_beyond);
        if let Some(account) = self.accounts.get_mut(&granted.owner_id) {
            account.running = account.running.saturating_sub(1);
            account.used = account.used.saturating_sub(RESERVE) + cost;
        }
    }
}

impl<W> Account<W> {
    fn new(now: Instant) -> Self {
        Self { matches: HashMap::new(), running: 0, window_began: now, used: Duration::ZERO, served: 0 }
    }

    fn is_beyond(&self) -> bool {
        self.used >= BUDGET
    }

    /// Begins a new window if the last one has ended. Whether there is anything to remember.
    fn is_needed(&mut self, now: Instant) -> bool {
        if now.saturating_duration_since(self.window_began) >= WINDOW {
            (self.window_began, self.used) = (now, RESERVE * self.running);
        }
        !self.matches.is_empty() || !self.used.is_zero()
    }

    /// Takes the answer that is next: of a match with others before others, then of the match that has waited longest.
    fn serve(&mut self, granted: u64) -> Option<W> {
        let order = |line: &Line<W>| (!line.has_others, line.served);
        let match_id = self.matches.iter().min_by_key(|(id, line)| (order(line), **id)).map(|(id, _)| *id)?;
        let line = self.matches.get_mut(&match_id)?;
        let waiter = line.waiting.pop();
        line.served = granted;
        if line.waiting.is_empty() {
            self.matches.remove(&match_id);
        }
        self.running += 1;
        self.used += RESERVE;
        self.served = granted;
        waiter
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use uuid::Uuid;

    use super::*;

    fn source(owner: u128, number: u128, has_others: bool) -> Source {
        let (owner_id, match_id) = (OwnerId::new(Uuid::from_u128(owner)), MatchId::new(Uuid::from_u128(number)));
        Source { owner_id, match_id, has_others }
    }

    /// A queue at one time, in which each waiter is a name.
    struct Scene {
        queue: Queue<&'static str>,
        now: Instant,
        running: Vec<(Granted, &'static str)>,
    }

    impl Scene {
        fn new(slots: usize) -> Self {
            Self { queue: Queue::new(slots), now: Instant::now(), running: Vec::new() }
        }

        fn add(&mut self, count: usize, name: &'static str, source: Source) {
            (0..count).for_each(|_| self.queue.add(source, name, self.now));
        }

        /// Grants the slots that are free.
        fn grant(&mut self) -> Vec<&'static str> {
            let mut names = Vec::new();
            while let Some(granted) = self.queue.next(self.now) {
                names.push(granted.1);
                self.running.push(granted);
            }
            names
        }

        /// Ends the run that has gone on longest.
        fn end(&mut self, seconds: u64) {
            let (granted, _) = self.running.remove(0);
            self.queue.end(granted, Duration::from_secs(seconds));
        }

        /// Grants one slot after the other; each run costs as much as its owner's answers do.
        fn play(&mut self, count: usize, cost: impl Fn(&str) -> u64) -> Vec<&'static str> {
            let mut names = self.grant();
            while names.len() < count && !self.running.is_empty() {
                let seconds = cost(self.running[0].1);
                self.end(seconds);
                names.extend(self.grant());
            }
            names
        }
    }

    #[test]
    fn as_many_answers_are_judged_at_once_as_there_are_slots() {
        let mut scene = Scene::new(2 + SPARE);
        scene.add(5, "scout", source(1, 1, true));
        assert_eq!(scene.grant().len(), 2);
        scene.end(1);
        assert_eq!(scene.grant().len(), 1);
    }

    #[test]
    fn a_hundred_slow_answers_of_one_owner_delay_no_answer_of_another() {
        let mut scene = Scene::new(2 + SPARE);
        scene.add(100, "slow", source(1, 1, false));
        assert_eq!(scene.grant(), ["slow", "slow"]);
        scene.add(3, "quick", source(2, 2, false));
        assert_eq!(scene.grant(), ["quick"], "the last slot is for an owner that has none");
        scene.end(5);
        assert!(scene.grant().is_empty(), "as many run as there are cores");
        scene.end(5);
        assert_eq!(scene.grant(), ["quick", "slow"], "the one that has cost less is first");
    }

    #[test]
    fn owners_whose_answers_cost_the_same_take_turns() {
        let mut scene = Scene::new(1 + SPARE);
        scene.add(10, "scout", source(1, 1, true));
        scene.add(10, "ranger", source(2, 1, true));
        let served = scene.play(10, |_| 1);
        assert_eq!(served.iter().filter(|name| **name == "scout").count(), 5);
        assert!(served.windows(3).all(|three| three.iter().any(|name| name != &three[0])), "{served:?}");
    }

    #[test]
    fn the_matches_of_an_owner_take_turns_and_those_with_others_come_first() {
        let mut scene = Scene::new(1 + SPARE);
        scene.add(2, "large", source(1, 1, false));
        scene.add(2, "small", source(1, 2, false));
        scene.add(2, "shared", source(1, 3, true));
        assert_eq!(scene.play(6, |_| 1), ["shared", "shared", "large", "small", "large", "small"]);
    }

    #[test]
    fn an_owner_beyond_its_budget_waits_for_all_others_and_gets_half_of_the_slots() {
        let mut scene = Scene::new(4 + SPARE);
        let spent = usize::try_from(BUDGET.as_secs() / 5).unwrap();
        scene.add(spent + 10, "spender", source(1, 1, false));
        scene.play(spent, |_| 5);
        while !scene.running.is_empty() {
            scene.end(5);
        }
        // It has cost as much as its budget, and one that has cost almost as much does not wait for it.
        scene.add(10, "saver", source(2, 2, false));
        assert_eq!(scene.grant(), ["saver"; 4]);
        scene.end(100);
        assert_eq!(scene.grant(), ["saver"]);
        scene.queue.accounts.get_mut(&source(2, 2, false).owner_id).unwrap().matches.clear();
        (0..4).for_each(|_| scene.end(1));
        assert_eq!(scene.grant(), ["spender"; 2], "two slots stay free for others");
        scene.now += WINDOW;
        assert_eq!(scene.grant(), ["spender"; 2], "its budget is whole again");
    }

    #[test]
    fn an_owner_that_waits_for_nothing_is_forgotten_after_the_window() {
        let mut scene = Scene::new(1 + SPARE);
        scene.add(1, "scout", source(1, 1, true));
        scene.play(1, |_| 1);
        scene.end(1);
        scene.grant();
        assert_eq!(scene.queue.accounts.len(), 1);
        scene.now += WINDOW;
        scene.grant();
        assert!(scene.queue.accounts.is_empty());
    }

    #[tokio::test]
    async fn a_slot_whose_waiter_has_gone_is_another_waiters() {
        let slots = Slots::new(1);
        let held = slots.take(source(1, 1, true)).await.unwrap();
        // More than would fit on the stack if each handed the slot to the next.
        for _ in 0..20_000 {
            assert!(Box::pin(slots.take(source(1, 1, true))).now_or_never().is_none());
        }
        let next = slots.take(source(2, 2, true));
        drop(held);
        assert!(next.await.is_some());
    }
}
