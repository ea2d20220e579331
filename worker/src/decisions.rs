//! Runs decisions outside the task that waits for them.

use buildtrack_store::StoreError;
use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::{runtime::Handle, task::spawn_blocking};

/// Runs work on a thread of its own. The future of a decision over references is not `Send` (rust-lang/rust#110338), so it cannot
/// run in a spawned task.
pub(crate) async fn on_thread<T: Send + 'static, F: Future<Output = T> + 'static>(
    work: impl FnOnce() -> F + Send + 'static,
) -> Result<T, StoreError> {
    let runtime = Handle::current();
    // Boxed, so that the runtime's part is compiled once for each result, and not for each decision.
    let work: Box<dyn FnOnce() -> LocalBoxFuture<'static, T> + Send> = Box::new(|| work().boxed_local());
    spawn_blocking(move || runtime.block_on(work())).await.map_err(|_| StoreError::Closed)
}
