//! Waiting for conditions, with a deadline.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// The interval between two polls of another process's state.
const LOOK: Duration = Duration::from_millis(10);

/// Waits for a future; fails after the deadline.
pub(crate) async fn soon<T>(what: &str, coming: impl Future<Output = T>) -> T {
    timeout(PATIENCE, coming).await.unwrap_or_else(|_| panic!("{what}: not within {PATIENCE:?}"))
}

/// Waits for a future that takes at least `time`.
pub(crate) async fn soon_after<T>(time: Duration, what: &str, coming: impl Future<Output = T>) -> T {
    let patience = time + PATIENCE;
    timeout(patience, coming).await.unwrap_or_else(|_| panic!("{what}: not within {patience:?}"))
}

/// Polls until `look` returns a value.
pub(crate) async fn until<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    within(PATIENCE, what, look).await
}

/// Like [`until`], for a guaranteed maximum time.
pub(crate) async fn within<T>(time: Duration, what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Some(seen) = look().await {
            return seen;
        }
        assert!(begin.elapsed() < time, "{what}: not within {time:?}");
    }
}
