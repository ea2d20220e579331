//! Waiting on a condition, never on time.

use std::time::Duration;

/// How long something may take that happens in another task, thread or process.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until it is so; fails when that takes too long.
pub async fn eventually(condition: impl AsyncFn() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it never came true");
}
