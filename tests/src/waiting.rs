//! Waiting for a condition, never for a fixed time.

use std::time::Duration;

/// How long another task, thread or process may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// The pause between two looks, in which other tests use the processor.
const LOOK: Duration = Duration::from_millis(5);

/// Waits until the condition is true; fails after a timeout.
pub async fn eventually(condition: impl AsyncFn() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("the condition did not become true in time");
}
