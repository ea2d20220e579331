//! Leased tasks: one holder at a time, retries after failures, release at the stop, and the end of a step without a lease.
//!
//! Only one process works on a SQLite file, so what concerns several holders is tested on PostgreSQL alone.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use buildtrack_store::Store;
use buildtrack_worker::leased::{self, LeasedTask, Next, Schedule};
use rstest_reuse::apply;
use tokio::{
    sync::{Notify, mpsc},
    task::{JoinHandle, yield_now},
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    both,
    database::{Kind, TestDatabase},
    receiver::PATIENCE,
};

const LEASE: &str = "probe";
const LENGTH: Duration = Duration::from_secs(3);
const PERIOD: Duration = Duration::from_millis(20);
const HOUR: Duration = Duration::from_hours(1);

/// What a step of the task does.
#[derive(Clone)]
enum Plan {
    Ends(Next),
    Fails,
    /// Waits for a notification, then ends.
    Waits(Arc<Notify>),
    Hangs,
}

/// A beginning or an end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Begins(u8),
    Completes(u8),
    /// The step was dropped or has completed.
    Ends(u8),
}

/// A task whose steps a test plans. The last one repeats.
struct Probe {
    number: u8,
    plan: VecDeque<Plan>,
    under_way: Arc<AtomicUsize>,
    seen: mpsc::UnboundedSender<Seen>,
}

struct Step<'a>(&'a Probe);

impl<'a> Step<'a> {
    fn begin(probe: &'a Probe) -> Self {
        let others = probe.under_way.fetch_add(1, Ordering::SeqCst);
        assert_eq!(others, 0, "a step of another holder is running");
        probe.report(Seen::Begins(probe.number));
        Self(probe)
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
        self.0.report(Seen::Ends(self.0.number));
    }
}

impl Probe {
    fn report(&self, seen: Seen) {
        _ = self.seen.send(seen);
    }
}

impl LeasedTask for Probe {
    type Error = &'static str;

    const SCHEDULE: Schedule = Schedule::every(PERIOD, LEASE, LENGTH);

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, &'static str> {
        let plan = self.plan.pop_front().unwrap();
        if self.plan.is_empty() {
            self.plan.push_back(plan.clone());
        }
        let step = Step::begin(self);
        let outcome = match plan {
            Plan::Ends(next) => {
                // Gives another holder every opportunity to begin a step too.
                for _ in 0..10 {
                    yield_now().await;
                }
                Ok(next)
            }
            Plan::Fails => Err("the step fails as planned"),
            Plan::Waits(notify) => {
                notify.notified().await;
                Ok(Next::Idle)
            }
            Plan::Hangs => std::future::pending().await,
        };
        self.report(Seen::Completes(self.number));
        drop(step);
        outcome
    }
}

/// A task that runs, as one of the processes that ask for its lease.
struct Holder {
    stop: CancellationToken,
    running: JoinHandle<()>,
}

impl Holder {
    async fn stop(self) {
        self.stop.cancel();
        timeout(PATIENCE, self.running).await.expect("the task does not end").unwrap();
    }

    /// Ends the task as the death of its process does.
    async fn kill(self) {
        self.running.abort();
        assert!(self.running.await.unwrap_err().is_cancelled());
    }
}

/// The processes that run the task in a test, and what is seen of its steps.
struct World {
    under_way: Arc<AtomicUsize>,
    sender: mpsc::UnboundedSender<Seen>,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl World {
    fn new() -> Self {
        let (sender, seen) = mpsc::unbounded_channel();
        Self { under_way: Arc::default(), sender, seen }
    }

    fn start(&self, number: u8, store: &Store, plan: impl Into<VecDeque<Plan>>) -> Holder {
        let (under_way, seen, stop) = (self.under_way.clone(), self.sender.clone(), CancellationToken::new());
        let probe = Probe { number, plan: plan.into(), under_way, seen };
        let running = tokio::spawn(leased::run(store.clone(), probe, stop.clone()));
        Holder { stop, running }
    }

    async fn next(&mut self) -> Seen {
        timeout(PATIENCE, self.seen.recv()).await.expect("no step begins or ends").unwrap()
    }

    /// The number of the next holder that begins a step.
    async fn next_holder(&mut self) -> u8 {
        loop {
            if let Seen::Begins(number) = self.next().await {
                return number;
            }
        }
    }

    fn rest(&mut self) -> Vec<Seen> {
        std::iter::from_fn(|| self.seen.try_recv().ok()).collect()
    }
}

async fn is_free(store: &Store) -> bool {
    store.log().lease(LEASE, "another process", LENGTH).await.unwrap()
}

#[apply(both)]
async fn a_failed_step_is_retried_after_the_period_and_the_task_goes_on(kind: Kind) {
    let database = TestDatabase::now(kind).await;
    let (store, mut world) = (database.open().await, World::new());
    let begun = Instant::now();
    let plan = [Plan::Fails, Plan::Fails, Plan::Ends(Next::Now), Plan::Ends(Next::After(HOUR))];
    let holder = world.start(1, &store, plan);
    for _ in 0..4 {
        assert_eq!(world.next_holder().await, 1);
    }
    assert!(begun.elapsed() >= 2 * PERIOD, "the failures were followed by no pause");
    holder.stop().await;
    assert!(is_free(&database.open().await).await);
}

#[apply(both)]
async fn the_stop_ends_a_pause_and_releases_the_lease(kind: Kind) {
    let database = TestDatabase::now(kind).await;
    let (store, other) = tokio::join!(database.open(), database.open());
    let mut world = World::new();
    let holder = world.start(1, &store, [Plan::Ends(Next::After(HOUR))]);
    world.next_holder().await;
    let begun = Instant::now();
    holder.stop().await;
    assert!(begun.elapsed() < LENGTH, "the task waited for its pause or its lease");
    assert!(is_free(&other).await);
}

#[apply(both)]
async fn a_step_under_way_is_awaited_at_the_stop(kind: Kind) {
    let database = TestDatabase::now(kind).await;
    let (store, notify, mut world) = (database.open().await, Arc::new(Notify::new()), World::new());
    let holder = world.start(1, &store, [Plan::Waits(notify.clone())]);
    world.next_holder().await;
    holder.stop.cancel();
    notify.notify_one();
    holder.stop().await;
    assert_eq!(world.rest(), [Seen::Completes(1), Seen::Ends(1)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_holders_never_run_at_once_and_the_second_takes_over_at_the_stop() {
    let database = TestDatabase::now(Kind::Postgres).await;
    let (one, two) = tokio::join!(database.open(), database.open());
    let mut world = World::new();
    let mut holders = [(1, &one), (2, &two)].map(|(number, store)| {
        let plan = [Plan::Ends(Next::Now), Plan::Ends(Next::Idle)];
        (number, Some(world.start(number, store, plan)))
    });
    let first = world.next_holder().await;
    for _ in 0..30 {
        assert_eq!(world.next_holder().await, first, "another process holds the lease");
    }
    let held = holders.iter_mut().find(|(number, _)| *number == first).and_then(|(_, holder)| holder.take());
    held.unwrap().stop().await;
    let begun = Instant::now();
    while world.next_holder().await == first {}
    assert!(begun.elapsed() < LENGTH, "the lease was not released");
    for (_, holder) in holders {
        if let Some(holder) = holder {
            holder.stop().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_holder_that_dies_is_succeeded_when_its_lease_has_expired() {
    let database = TestDatabase::at_noon(Kind::Postgres).await;
    let (one, two) = tokio::join!(database.open(), database.open());
    let mut world = World::new();
    let first = world.start(1, &one, [Plan::Ends(Next::Idle)]);
    assert_eq!(world.next_holder().await, 1);
    let second = world.start(2, &two, [Plan::Ends(Next::Idle)]);
    first.kill().await;
    while world.seen.try_recv().is_ok() {}
    for _ in 0..10 {
        assert!(!is_free(&one).await);
    }
    assert_eq!(world.rest(), []);
    database.clock.advance(LENGTH);
    assert_eq!(world.next_holder().await, 2);
    second.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_ends_when_another_process_takes_its_lease() {
    let database = TestDatabase::at_noon(Kind::Postgres).await;
    let (one, two) = tokio::join!(database.open(), database.open());
    let mut world = World::new();
    let holder = world.start(1, &one, [Plan::Hangs]);
    world.next_holder().await;
    // The holder may renew between the two statements.
    loop {
        database.clock.advance(LENGTH);
        if is_free(&two).await {
            break;
        }
    }
    assert_eq!(world.next().await, Seen::Ends(1));
    assert!(!one.log().lease(LEASE, "a third process", LENGTH).await.unwrap());
    assert_eq!(world.rest(), []);
    two.log().release(LEASE, "another process").await.unwrap();
    assert_eq!(world.next().await, Seen::Begins(1));
    holder.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_ends_when_the_database_renews_no_lease() {
    let database = TestDatabase::now(Kind::Postgres).await;
    let (store, mut world) = (database.open().await, World::new());
    let holder = world.start(1, &store, [Plan::Hangs]);
    world.next_holder().await;
    let begun = Instant::now();
    store.close().await;
    assert_eq!(world.next().await, Seen::Ends(1));
    assert!(begun.elapsed() >= LENGTH / 2, "the step ended while its lease was valid");
    holder.stop().await;
    assert_eq!(world.rest(), []);
}
