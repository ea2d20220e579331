//! Pushes the updates of tasks (Agent2Agent protocol) to the addresses that their clients have set, in one process at a time.
//!
//! **Invariant:** a config gets the updates of its task in the order of the log, each at least once unless all its retries
//! fail. An update is read from the log when it is pushed, so that it holds no text that was redacted or hidden before.
//!
//! These are no deliveries of webhooks: a requester may be an owner, who has no endpoints, and a config is authorized by
//! secrets of the client, has no filter, and ends with its task. The calls have the same limits, retries and vetted addresses.

mod pusher;

use std::{collections::HashMap, time::Duration};

use buildtrack_domain::ids::ExchangeId;
use buildtrack_store::{DueTaskPush, StoreError};
use tokio::{
    task::JoinSet,
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::leased::{LeasedTask, Next, Schedule};

pub(crate) use pusher::TaskPusher;

const LEASE: &str = "task pushes";
/// Configs that are pushed to at once.
const CONFIGS: usize = 500;
/// Those of one owner with all agents: its slow receivers hold up few others.
const CONFIGS_OF_OWNER: usize = 20;
/// Longest pause between two polls: due retries and expired conversations are noticed this late.
const IDLE: Duration = Duration::from_secs(1);
/// Shortest and longest pause between two polls, so that a busy log costs few of them.
const REST: Duration = Duration::from_millis(50);
const REST_MAX: Duration = Duration::from_secs(30);
/// The pause as a multiple of the time of a poll, which reads every config whose task goes on.
const REST_FACTOR: u32 = 20;
/// How often a process without the lease asks for it.
const LEASE_POLL: Duration = Duration::from_secs(1);

type Key = (ExchangeId, String);

/// The leased task: finds due configs, each of which is pushed to in a task of its own.
pub(crate) struct TaskPushes {
    pusher: TaskPusher,
    /// What is pushed to, with the owner that it counts to.
    under_way: HashMap<Key, String>,
    calls: JoinSet<Key>,
}

impl TaskPushes {
    pub(crate) fn new(pusher: TaskPusher) -> Self {
        Self { pusher, under_way: HashMap::new(), calls: JoinSet::new() }
    }

    /// Begins the pushes that there is room for.
    fn begin(&mut self, due: Vec<DueTaskPush>) {
        let mut running: HashMap<String, usize> = HashMap::new();
        for owner_id in self.under_way.values() {
            *running.entry(owner_id.clone()).or_default() += 1;
        }
        for DueTaskPush { owner_id, push } in due {
            let key = (push.exchange_id, push.id.clone());
            let of_owner = running.entry(owner_id.clone()).or_default();
            let has_room = self.calls.len() < CONFIGS && *of_owner < CONFIGS_OF_OWNER;
            if !has_room || self.under_way.contains_key(&key) {
                continue;
            }
            *of_owner += 1;
            self.under_way.insert(key.clone(), owner_id);
            let pusher = self.pusher.clone();
            self.calls.spawn(async move {
                pusher.push_or_report(push).await;
                key
            });
        }
    }
}

impl LeasedTask for TaskPushes {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::following(LEASE, Duration::from_secs(10), LEASE_POLL);

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let seen = self.pusher.store.log().tail().head();
        while let Some(done) = self.calls.try_join_next() {
            if let Ok(key) = done {
                self.under_way.remove(&key);
            }
        }
        if self.calls.is_empty() {
            // The key of a call that panicked is not known.
            self.under_way.clear();
        }
        let begun = Instant::now();
        let due = self.pusher.due().await?;
        let rest = rest_after(begun.elapsed());
        self.begin(due);
        tokio::select! {
            // A timeout is as good as a new event.
            _ = timeout(IDLE, stop.run_until_cancelled(self.pusher.store.log().tail().wait_past(seen))) => {}
            // Another config of the same owner may wait for this one.
            Some(done) = self.calls.join_next() => {
                if let Ok(key) = done {
                    self.under_way.remove(&key);
                }
            }
        }
        Ok(Next::After(rest))
    }
}

/// The pause after a poll that took so long.
fn rest_after(poll: Duration) -> Duration {
    poll.saturating_mul(REST_FACTOR).clamp(REST, REST_MAX)
}

#[cfg(test)]
mod tests {
    use buildtrack_store::{Database, Secret, Settings, Store, TaskPush, clock::Clock};
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use crate::outbound::Client;

    #[tokio::test]
    async fn an_owner_has_a_share_of_the_pushes_that_are_under_way() {
        let folder = TempDir::new().unwrap();
        let database = Database::Sqlite(folder.path().join("buildtrack.sqlite"));
        let secret = Secret::new(&Secret::generate()).unwrap();
        let store = Store::open(Settings { database, secret, clock: Clock::System }).await.unwrap();
        let (client, timeout, schedule) = (Client::new(true).unwrap(), Duration::from_secs(1), "1".parse().unwrap());
        let mut pushes = TaskPushes::new(TaskPusher { store, client, timeout, schedule });
        let due = |owner: &str, tasks: std::ops::Range<u128>| {
            let push = |task| DueTaskPush {
                owner_id: owner.to_owned(),
                push: TaskPush {
                    exchange_id: ExchangeId::new(Uuid::from_u128(task)),
                    id: "one".to_owned(),
                    config_sealed: String::new(),
                    pushed_to: 0,
                    failures: 0,
                },
            };
            tasks.map(push).collect::<Vec<_>>()
        };
        pushes.begin(due("ada", 0..15));
        assert_eq!(pushes.under_way.len(), 15);
        pushes.begin(due("ada", 0..15));
        assert_eq!(pushes.under_way.len(), 15, "they are under way");
        pushes.begin([due("ada", 10..40), due("ben", 100..103)].concat());
        assert_eq!(pushes.under_way.values().filter(|owner| *owner == "ada").count(), CONFIGS_OF_OWNER);
        assert_eq!(pushes.under_way.len(), CONFIGS_OF_OWNER + 3);
        for owner in 0..200 {
            pushes.begin(due(&owner.to_string(), 1000 * (owner + 1)..1000 * (owner + 1) + 10));
        }
        assert_eq!(pushes.under_way.len(), CONFIGS);
    }

    #[test]
    fn polls_take_at_most_a_small_share_of_the_time() {
        let rest = |poll| rest_after(Duration::from_millis(poll)).as_millis();
        assert_eq!([0, 2, 10, 500, 5000].map(rest), [50, 50, 200, 10_000, 30_000]);
    }
}
