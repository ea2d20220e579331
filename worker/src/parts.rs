//! Runs the parts of the worker side by side.

use std::panic::AssertUnwindSafe;

use buildtrack_store::Store;
use futures_util::{FutureExt, future::BoxFuture};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{
    leased::{self, LeasedTask},
    pause::{BACK_OFF, pause},
};

/// The parts of the worker. Each runs in its own task, so that progress in one does not wake the others.
pub(crate) struct Parts {
    pub(crate) store: Store,
    pub(crate) stop: CancellationToken,
    pub(crate) tasks: JoinSet<()>,
}

impl Parts {
    /// Runs a leased task.
    pub(crate) fn lease<T: LeasedTask + 'static>(&mut self, task: impl Fn(Store) -> T + Send + 'static) {
        self.begin(T::SCHEDULE.lease, move |store, stop| leased::run(store.clone(), task(store), stop));
    }

    /// Runs one part and restarts it after a panic. The part resumes from the state in the database.
    pub(crate) fn begin<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        work: &'static str,
        begin: impl Fn(Store, CancellationToken) -> F + Send + 'static,
    ) {
        let begin: Begin = Box::new(move |store, stop| begin(store, stop).boxed());
        self.tasks.spawn(restart_after_panics(work, begin, self.store.clone(), self.stop.clone()));
    }
}

/// Begins a part. Boxed, so that the task is compiled once, and not for each part.
type Begin = Box<dyn Fn(Store, CancellationToken) -> BoxFuture<'static, ()> + Send>;

async fn restart_after_panics(work: &'static str, begin: Begin, store: Store, stop: CancellationToken) {
    while AssertUnwindSafe(begin(store.clone(), stop.clone())).catch_unwind().await.is_err() {
        tracing::error!(work, "a part of the worker panicked; it restarts");
        pause(BACK_OFF, &stop).await;
    }
}
