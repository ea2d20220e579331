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
mod tests;
