//! Which answer gets a slot.

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
