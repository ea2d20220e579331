//! Sweeps over what is due. **Invariant:** an item that fails keeps no other waiting: it is logged, counted and put off, each time
//! for twice as long, and the sweep goes on.

use std::{collections::HashMap, panic::AssertUnwindSafe, time::Duration};

use buildtrack_store::{Store, StoreError};
use futures_util::FutureExt;
use tokio::time::Instant;

/// How long an item that failed once is put off, and how long at most.
const FIRST: Duration = Duration::from_secs(1);
const LAST: Duration = Duration::from_mins(10);
/// How many items that failed are remembered. Beyond that, those that may be tried again are forgotten.
const CAPACITY: usize = 10_000;

/// What one process remembers of the items that failed.
#[derive(Debug)]
pub(crate) struct Sweep {
    name: &'static str,
    failed: HashMap<String, PutOff>,
}

#[derive(Debug)]
struct PutOff {
    tries: u32,
    again_at: Instant,
}

impl Sweep {
    /// A sweep that has seen no failure; its name is the metric's label.
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, failed: HashMap::new() }
    }

    /// Whether the item failed a short while ago and is left alone.
    pub(crate) fn is_put_off(&self, key: &str) -> bool {
        self.failed.get(key).is_some_and(|put_off| put_off.again_at > Instant::now())
    }

    /// Works on an item. Fails only where the database does not answer, which is no fault of the item's.
    pub(crate) async fn attempt(
        &mut self,
        store: &Store,
        key: &str,
        work: impl Future<Output = Result<(), StoreError>>,
    ) -> Result<(), StoreError> {
        let broke_off = |_| Err(StoreError::Damaged("the work broke off".to_owned()));
        match AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(broke_off) {
            Ok(()) => {
                self.failed.remove(key);
                Ok(())
            }
            Err(StoreError::Closed) => Err(StoreError::Closed),
            Err(error) => {
                store.check().await?;
                self.put_off(key, &error);
                Ok(())
            }
        }
    }

    fn put_off(&mut self, key: &str, error: &StoreError) {
        let now = Instant::now();
        if self.failed.len() >= CAPACITY {
            self.failed.retain(|_, put_off| put_off.again_at > now);
        }
        let tries = self.failed.get(key).map_or(0, |put_off| put_off.tries) + 1;
        let wait = FIRST.saturating_mul(2_u32.saturating_pow(tries - 1)).min(LAST);
        tracing::error!(sweep = self.name, item = key, tries, %error, ?wait, "an item of a sweep failed; it is put off");
        metrics::counter!("buildtrack_sweep_failures_total", "sweep" => self.name).increment(1);
        if self.failed.len() < CAPACITY || self.failed.contains_key(key) {
            self.failed.insert(key.to_owned(), PutOff { tries, again_at: now + wait });
        }
    }
}
