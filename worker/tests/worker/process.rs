//! A worker that runs beside a test.

use std::time::Duration;

use buildtrack_store::Store;
use buildtrack_worker::{Worker, WorkerSettings};
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::cast::{local_bus, settings};

/// A running worker.
pub(crate) struct Running {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    pub(crate) fn new(store: &Store) -> Self {
        Self::with(store, settings())
    }

    pub(crate) fn with(store: &Store, settings: WorkerSettings) -> Self {
        Self::of(Worker::new(store.clone(), local_bus(), settings).unwrap())
    }

    pub(crate) fn of(worker: Worker) -> Self {
        let stop = CancellationToken::new();
        let task = tokio::spawn(worker.run(stop.clone()));
        Self { stop, task }
    }

    /// Ends all its work in the middle, as a crash does.
    pub(crate) fn kill(self) {
        self.task.abort();
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }
}

/// How long a test waits for what the worker does. A match has many rounds, and a busy machine plays them slowly.
const WAIT: Duration = Duration::from_mins(3);

/// Waits until `read` finds something.
pub(crate) async fn eventually<T>(read: impl AsyncFn() -> Option<T>) -> T {
    let found = async {
        loop {
            match read().await {
                Some(found) => break found,
                None => sleep(Duration::from_millis(20)).await,
            }
        }
    };
    timeout(WAIT, found).await.expect("it did not happen")
}
