//! Sweeps over due items with a backoff per item.
//!
//! **Invariant:** an item that fails delays no other item. It is logged, counted and postponed, each time for twice as long,
//! and the sweep continues.

use std::{collections::HashMap, panic::AssertUnwindSafe, time::Duration};

use buildtrack_store::{Store, StoreError};
use futures_util::FutureExt;
use tokio::time::Instant;

/// First and longest backoff of a failed item.
const FIRST: Duration = Duration::from_secs(1);
const LAST: Duration = Duration::from_mins(10);
/// Failed items that are tracked. When full, items whose backoff has passed are dropped.
const CAPACITY: usize = 10_000;

/// The failed items that one process tracks.
#[derive(Debug)]
pub(crate) struct Sweep {
    name: &'static str,
    failed: HashMap<String, Postponed>,
}

#[derive(Debug)]
struct Postponed {
    failures: u32,
    retry_at: Instant,
}

impl Sweep {
    /// A sweep without failures. `name` becomes the metric's label.
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, failed: HashMap::new() }
    }

    /// Whether the item failed recently and its backoff has not passed.
    pub(crate) fn is_postponed(&self, key: &str) -> bool {
        self.failed.get(key).is_some_and(|postponed| postponed.retry_at > Instant::now())
    }

    /// Works on an item. Returns an error only if the database is unavailable, which is not the item's fault.
    pub(crate) async fn attempt(
        &mut self,
        store: &Store,
        key: &str,
        work: impl Future<Output = Result<(), StoreError>>,
    ) -> Result<(), StoreError> {
        let panicked = |_| Err(StoreError::Damaged("the work on the item panicked".to_owned()));
        match AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(panicked) {
            Ok(()) => {
                self.failed.remove(key);
                Ok(())
            }
            Err(StoreError::Closed) => Err(StoreError::Closed),
            Err(error) => {
                store.check().await?;
                self.postpone(key, &error);
                Ok(())
            }
        }
    }

    fn postpone(&mut self, key: &str, error: &StoreError) {
        let now = Instant::now();
        if self.failed.len() >= CAPACITY {
            self.failed.retain(|_, postponed| postponed.retry_at > now);
        }
        let failures = self.failed.get(key).map_or(0, |postponed| postponed.failures) + 1;
        let wait = FIRST.saturating_mul(2_u32.saturating_pow(failures - 1)).min(LAST);
        tracing::error!(sweep = self.name, item = key, failures, %error, ?wait, "an item of a sweep failed; it is postponed");
        metrics::counter!("buildtrack_sweep_failures_total", "sweep" => self.name).increment(1);
        if self.failed.len() < CAPACITY || self.failed.contains_key(key) {
            self.failed.insert(key.to_owned(), Postponed { failures, retry_at: now + wait });
        }
    }
}
