//! Waiting for what must come.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// How often somebody else's state is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Waits for what comes by itself.
pub(crate) async fn soon<T>(what: &str, coming: impl Future<Output = T>) -> T {
    timeout(PATIENCE, coming).await.unwrap_or_else(|_| panic!("{what}: not within {PATIENCE:?}"))
}

/// Waits for what comes by itself, but not before so long.
pub(crate) async fn soon_after<T>(time: Duration, what: &str, coming: impl Future<Output = T>) -> T {
    let patience = time + PATIENCE;
    timeout(patience, coming).await.unwrap_or_else(|_| panic!("{what}: not within {patience:?}"))
}

/// Looks again and again, until there is something to see.
pub(crate) async fn until<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    within(PATIENCE, what, look).await
}

/// Like [`until`], where the time it takes is part of the promise.
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
