//! Work that runs beside the steps of a task, one piece for each item at a time.
//!
//! **Invariant:** an item that hangs or fails delays no other: a step begins the work and never waits for it.

use std::{collections::HashSet, panic::AssertUnwindSafe};

use buildtrack_store::{Store, StoreError};
use futures_util::FutureExt;
use tokio::task::JoinSet;

use crate::{decisions::on_thread, sweeps::Sweep};

/// Items whose work is under way. Each has a thread.
const ITEMS: usize = 64;

/// The work that is under way.
pub(super) struct Beside {
    sweep: Sweep,
    under_way: HashSet<String>,
    tasks: JoinSet<(String, Result<(), StoreError>)>,
}

impl Beside {
    /// No work yet. `name` is the label of the metric of failures.
    pub(super) fn new(name: &'static str) -> Self {
        Self { sweep: Sweep::new(name), under_way: HashSet::new(), tasks: JoinSet::new() }
    }

    /// Begins the work on an item, unless it is under way, it failed a short time ago, or too many others are under way.
    pub(super) fn begin<F: Future<Output = Result<(), StoreError>> + 'static>(
        &mut self,
        key: String,
        work: impl FnOnce() -> F + Send + 'static,
    ) {
        if self.under_way.len() >= ITEMS || self.sweep.is_postponed(&key) || !self.under_way.insert(key.clone()) {
            return;
        }
        self.tasks.spawn(async move {
            let panicked = |_| Err(StoreError::Damaged("the work on the item panicked".to_owned()));
            let caught = move || AssertUnwindSafe(work()).catch_unwind();
            let outcome = on_thread(caught).await.map(|outcome| outcome.unwrap_or_else(panicked));
            (key, outcome.flatten())
        });
    }

    /// Notes how the work ended that has ended.
    pub(super) async fn settle(&mut self, store: &Store) -> Result<(), StoreError> {
        while let Some(ended) = self.tasks.try_join_next() {
            // A task that was aborted has ended nothing.
            if let Ok((key, outcome)) = ended {
                self.under_way.remove(&key);
                self.sweep.attempt(store, &key, async { outcome }).await?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::{mpsc, oneshot};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_item_that_hangs_delays_no_other_and_is_begun_once() {
        let ((sender, mut done), (release, held)) = (mpsc::unbounded_channel(), oneshot::channel::<()>());
        let mut beside = Beside::new("test");
        beside.begin("hangs".to_owned(), || async {
            drop(held.await);
            Ok(())
        });
        for key in ["one", "other", "hangs"] {
            let sender = sender.clone();
            beside.begin(key.to_owned(), move || async move { sender.send(key).map_err(|_| StoreError::Closed) });
        }
        drop(sender);
        let mut found = Vec::new();
        while let Some(key) = done.recv().await {
            found.push(key);
        }
        found.sort_unstable();
        assert_eq!((found, beside.under_way.len()), (vec!["one", "other"], 3));
        drop(release);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_bounded_number_of_items_is_under_way() {
        let (release, held) = tokio::sync::watch::channel(());
        let mut beside = Beside::new("test");
        for number in 0..ITEMS + 2 {
            let mut held = held.clone();
            beside.begin(number.to_string(), move || async move {
                drop(held.changed().await);
                Ok(())
            });
        }
        assert_eq!(beside.under_way.len(), ITEMS);
        drop(release);
    }
}
