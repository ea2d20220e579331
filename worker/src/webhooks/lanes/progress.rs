//! Property test that ordered endpoints make progress under any sequence of events: a model of the database, the lanes and
//! the pusher.

use buildtrack_domain::webhooks::PushType;
use buildtrack_store::{FirstPending, NewDelivery, Verdict, clock::Clock};
use chrono::{DateTime, Utc};
use proptest::prelude::*;
use tokio::time::Duration;

use super::*;
use crate::webhooks::ordering::{NextStep, next_step};

const LEASE: Duration = Duration::from_secs(30);
const NEEDED: Duration = Duration::from_secs(22);
const RETRY: Duration = Duration::from_secs(1);
const BREAKER: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(100);
/// Longest time until a lane checks again for the delivery that it waits for, as in the sender.
const POLL: Duration = Duration::from_millis(500);
/// Waits for the budget of a target: in the lane, and in the database.
const REFUSED: [Duration; 2] = [Duration::from_millis(300), Duration::from_secs(10)];
const ENDPOINTS: usize = 2;

#[derive(Debug, Clone)]
enum Step {
    /// New deliveries, handed over by the dispatcher or left in the database.
    Arrive {
        endpoint: usize,
        count: usize,
        handed: bool,
    },
    /// This process claims due deliveries.
    Claim,
    /// One attempt, if a lane has one.
    Attempt {
        works: bool,
    },
    /// One attempt, if a lane has one, that the budget of the target refuses.
    Refused {
        is_long: bool,
    },
    /// Another process claims the first due delivery and dies.
    Lose {
        endpoint: usize,
    },
    /// Another process releases every delivery that it may hold.
    Release {
        endpoint: usize,
    },
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let endpoint = 0..ENDPOINTS;
    prop_oneof![
        2 => (endpoint.clone(), 1..120_usize, any::<bool>())
            .prop_map(|(endpoint, count, handed)| Step::Arrive { endpoint, count, handed }),
        2 => Just(Step::Claim),
        3 => any::<bool>().prop_map(|works| Step::Attempt { works }),
        1 => any::<bool>().prop_map(|is_long| Step::Refused { is_long }),
        1 => endpoint.clone().prop_map(|endpoint| Step::Lose { endpoint }),
        1 => endpoint.prop_map(|endpoint| Step::Release { endpoint }),
        1 => (10..15_000_u64).prop_map(Step::Pass),
    ]
}

struct Row {
    delivery: Delivery,
    next_at: DateTime<Utc>,
    settled: bool,
    /// Whether this process has claimed or been handed the delivery. Only the model knows this, not the code under test.
    ours: bool,
}

struct World {
    start: Instant,
    passed: Duration,
    lanes: Lanes,
    rows: Vec<Row>,
    webhooks: Vec<WebhookId>,
    /// Since when the first delivery of an endpoint has been due.
    due_since: HashMap<DeliveryId, Duration>,
}

impl World {
    fn new() -> Self {
        let webhooks = (0..ENDPOINTS).map(|_| WebhookId::new(Clock::System.uuid())).collect();
        let (start, lanes) = (Instant::now(), Lanes::default());
        Self { start, passed: Duration::ZERO, lanes, rows: vec![], webhooks, due_since: HashMap::new() }
    }

    fn now(&self) -> Instant {
        self.start + self.passed
    }

    fn time(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + self.passed
    }

    fn row(&mut self, id: DeliveryId) -> &mut Row {
        self.rows.iter_mut().find(|row| row.delivery.id == id).unwrap()
    }

    fn pending(&self, webhook_id: WebhookId) -> Vec<FirstPending> {
        let pending = self.rows.iter().filter(|row| row.delivery.webhook_id == webhook_id && !row.settled);
        let mut pending: Vec<_> = pending.collect();
        pending.sort_by_key(|row| row.delivery.position);
        pending.into_iter().map(|row| FirstPending { id: row.delivery.id, next_at: row.next_at }).collect()
    }

    fn admit(&mut self, delivery: Delivery) {
        let (id, until, now, time) = (delivery.id, self.now() + LEASE, self.now(), self.time());
        self.row(id).next_at = time + LEASE;
        self.row(id).ours = true;
        let admission = self.lanes.admit(Leased { delivery, until, shared: None }, now);
        let row = self.row(id);
        match admission {
            Admission::Queued => return,
            Admission::Full => row.next_at = time,
            Admission::Broken(until) => row.next_at = time + (until - now),
        }
        row.ours = false;
    }

    fn arrive(&mut self, endpoint: usize, count: usize, handed: bool) {
        let webhook_id = self.webhooks[endpoint];
        for _ in 0..count {
            let (position, next_at) = (i64::try_from(self.rows.len()).unwrap() + 1, self.time());
            let (id, agent_id) = (DeliveryId::new(Clock::System.uuid()), AgentId::new(Clock::System.uuid()));
            let push_type = PushType::WorkspaceMessage;
            let new = NewDelivery { id, webhook_id, agent_id, position, push_type, next_at };
            let delivery = Delivery::from(new);
            self.rows.push(Row { delivery: delivery.clone(), next_at, settled: false, ours: false });
            // The dispatcher leaves the deliveries of an endpoint that is behind in the database.
            if handed && !self.lanes.behind().any(|behind| behind == webhook_id) {
                self.admit(delivery);
            }
        }
    }

    fn claim(&mut self) {
        let (limits, time) = (self.lanes.limits(512, self.now()), self.time());
        let due = |row: &&Row| !row.settled && row.next_at <= time && limits.of(row.delivery.webhook_id) > 0;
        let mut due: Vec<_> = self
            .rows
            .iter()
            .filter(due)
            .map(|row| (row.next_at, row.delivery.position, row.delivery.clone()))
            .collect();
        due.sort_by_key(|(next_at, position, _)| (*next_at, *position));
        let is_partial = due.len() >= limits.all;
        due.truncate(limits.all);
        let mut taken: HashMap<WebhookId, usize> = HashMap::new();
        due.retain(|(.., delivery)| {
            let taken = taken.entry(delivery.webhook_id).or_default();
            *taken += 1;
            *taken <= limits.of(delivery.webhook_id)
        });
        due.sort_by_key(|(_, position, _)| *position);
        let deliveries: Vec<_> = due.into_iter().map(|(.., delivery)| delivery).collect();
        let claimed = ClaimedDeliveries { deliveries, is_partial };
        self.lanes.learn_claim(&limits, &claimed);
        for delivery in claimed.deliveries {
            self.admit(delivery);
        }
        self.apply_updates();
    }

    fn apply_updates(&mut self) {
        while let Some(delivery) = self.lanes.next_unknown() {
            let (policy, now) = (DeliveryPolicy { ordered: true, ..DeliveryPolicy::PLAIN }, self.now());
            self.lanes.learn(delivery.webhook_id, Some(policy), now);
        }
        let time = self.time();
        for (id, _) in self.lanes.take_dropped() {
            self.row(id).next_at = time;
            self.row(id).ours = false;
        }
    }

    /// Whether there was an attempt to make.
    fn attempt(&mut self, works: bool) -> bool {
        let (now, time) = (self.now(), self.time());
        let next = self.lanes.next(now, NEEDED);
        self.apply_updates();
        let Some(load) = next else { return false };
        let running = RunningAttempt::of(&load).unwrap();
        // The pusher reads as many as fit into one push.
        let mut pending = self.pending(running.webhook_id);
        pending.truncate(1);
        let mut decided = next_step(load, &pending, time);
        if let NextStep::Claim(id, mut held) = decided {
            self.row(id).next_at = time + LEASE;
            held.insert(0, self.row(id).delivery.clone());
            decided = next_step(held, &pending, time);
        }
        match decided {
            NextStep::Send { first, left } => self.send(&running, &first, left, works),
            NextStep::Wait(until, held) => {
                let pause = (until - time).to_std().unwrap_or_default().clamp(TICK, POLL);
                self.lanes.finish(&running, (held, &[]), Some(now + pause), now);
            }
            NextStep::Claim(..) => panic!("a claimed delivery must be sent"),
        }
        true
    }

    fn send(&mut self, running: &RunningAttempt, first: &[Delivery], left: Vec<Delivery>, works: bool) {
        let (now, time) = (self.now(), self.time());
        for delivery in first {
            assert_eq!(self.pending(running.webhook_id)[0].id, delivery.id, "deliveries keep the log's order");
            let row = self.row(delivery.id);
            (row.settled, row.ours) = (works, false);
            row.next_at = time + RETRY;
        }
        let verdict = match (first.is_empty(), works) {
            (true, _) => Verdict::Silent,
            (_, true) => Verdict::Works,
            (_, false) => Verdict::Fails,
        };
        let remaining = left.len();
        self.lanes.finish(running, (left, &[]), None, now);
        if verdict != Verdict::Silent {
            self.lanes.measure(running, remaining, now);
        }
        if let Some((wait, _)) = self.lanes.judge(running.webhook_id, (verdict, None), now, BREAKER) {
            let waiting =
                self.rows.iter_mut().filter(|row| row.delivery.webhook_id == running.webhook_id && !row.settled);
            for row in waiting {
                row.next_at = row.next_at.max(time + wait);
                row.ours = false;
            }
        }
    }

    /// The budget of the target is checked before the endpoint is called, as the sender does it.
    fn refuse(&mut self, is_long: bool) {
        let (now, time, wait) = (self.now(), self.time(), REFUSED[usize::from(is_long)]);
        let next = self.lanes.next(now, NEEDED);
        self.apply_updates();
        let Some(mut load) = next else { return };
        let running = RunningAttempt::of(&load).unwrap();
        let dropped = self.lanes.narrow(running.webhook_id, is_long.then(|| now + wait));
        let mut released: Vec<_> = dropped.into_iter().map(|(id, _)| id).collect();
        if is_long {
            released.extend(load.drain(..).map(|delivery| delivery.id));
        }
        for id in released {
            let row = self.row(id);
            (row.next_at, row.ours) = (if is_long { time + wait } else { time }, false);
        }
        self.lanes.finish(&running, (load, &[]), Some(now + wait.min(REFUSED[0])), now);
    }

    fn take(&mut self, step: &Step) {
        let time = self.time();
        match *step {
            Step::Arrive { endpoint, count, handed } => self.arrive(endpoint, count, handed),
            Step::Claim => self.claim(),
            Step::Attempt { works } => _ = self.attempt(works),
            Step::Refused { is_long } => self.refuse(is_long),
            Step::Lose { endpoint } => {
                let due = self.pending(self.webhooks[endpoint]).into_iter().find(|first| first.next_at <= time);
                if let Some(first) = due {
                    self.row(first.id).next_at = time + LEASE;
                }
            }
            Step::Release { endpoint } => {
                let webhook_id = self.webhooks[endpoint];
                let others = |row: &&mut Row| row.delivery.webhook_id == webhook_id && !row.settled && !row.ours;
                self.rows.iter_mut().filter(others).for_each(|row| row.next_at = row.next_at.min(time + RETRY));
            }
            Step::Pass(millis) => self.passed += Duration::from_millis(millis),
        }
        self.apply_updates();
    }

    /// From now on every push succeeds, and every step happens in time.
    fn heal(&mut self) {
        let ticks = 1000;
        for _ in 0..ticks {
            self.passed += TICK;
            self.claim();
            while self.attempt(true) {}
            for webhook_id in self.webhooks.clone() {
                let Some(head) = self.pending(webhook_id).first().copied() else { continue };
                let rests = self.lanes.endpoints.get(&webhook_id).is_some_and(|lane| lane.rests(self.now()));
                if head.next_at > self.time() || rests {
                    self.due_since.remove(&head.id);
                    continue;
                }
                let since = *self.due_since.entry(head.id).or_insert(self.passed);
                assert!(self.passed <= since + POLL, "the first delivery has been due for longer than one poll");
            }
            if self.rows.iter().all(|row| row.settled) {
                return;
            }
        }
        panic!("{} of {} wait", self.rows.iter().filter(|row| !row.settled).count(), self.rows.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_lane_with_a_due_head_makes_progress_within_one_poll(steps in prop::collection::vec(step(), 1..60)) {
        let mut world = World::new();
        for step in &steps {
            world.take(step);
        }
        world.heal();
    }
}

#[test]
fn one_failure_costs_one_retry_delay() {
    let mut world = World::new();
    world.arrive(0, 100, true);
    world.apply_updates();
    assert!(world.attempt(false));
    let mut ticks = 0;
    while world.rows.iter().any(|row| !row.settled) {
        world.passed += TICK;
        ticks += 1;
        world.claim();
        while world.attempt(true) {}
        assert!(ticks < 100, "{} wait", world.rows.iter().filter(|row| !row.settled).count());
    }
    // The retry delay, and at most one poll.
    assert!(TICK * ticks <= RETRY + TICK, "{ticks}");
}
