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
                store.log().check().await?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(sweep: &mut Sweep, key: &str) -> Duration {
        sweep.postpone(key, &StoreError::Closed);
        sweep.failed.get(key).map_or(Duration::ZERO, |postponed| postponed.retry_at - Instant::now())
    }

    /// Lets the backoff of every item have passed.
    fn wait(sweep: &mut Sweep) {
        sweep.failed.values_mut().for_each(|postponed| postponed.retry_at = Instant::now());
    }

    /// Lets every item be postponed for long, so that a slow machine changes nothing.
    fn hold(sweep: &mut Sweep) {
        sweep.failed.values_mut().for_each(|postponed| postponed.retry_at = Instant::now() + LAST);
    }

    #[test]
    fn an_item_is_postponed_twice_as_long_after_each_failure() {
        let mut sweep = Sweep::new("test");
        assert!(!sweep.is_postponed("one"));
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600] {
            let left = fail(&mut sweep, "one").as_secs_f64();
            assert!((left - f64::from(seconds)).abs() < 0.5, "{left} of {seconds} s");
            assert!(sweep.is_postponed("one") && !sweep.is_postponed("two"));
            wait(&mut sweep);
            assert!(!sweep.is_postponed("one"));
        }
    }

    #[test]
    fn a_bounded_number_of_failed_items_is_tracked() {
        let mut sweep = Sweep::new("test");
        for number in 0..CAPACITY {
            fail(&mut sweep, &number.to_string());
        }
        hold(&mut sweep);
        assert_eq!(fail(&mut sweep, "one more"), Duration::ZERO, "it is not tracked");
        assert!(fail(&mut sweep, "0") > Duration::from_secs(1), "a tracked one is postponed again");
        assert_eq!(sweep.failed.len(), CAPACITY);
        wait(&mut sweep);
        assert!(fail(&mut sweep, "one more") > Duration::ZERO);
        assert_eq!(sweep.failed.len(), 1, "the others may be tried anew");
    }
}
