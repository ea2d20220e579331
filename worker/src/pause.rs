//! Interruptible waiting: ends early when the worker stops.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Pause after a failure of the database.
pub(crate) const BACK_OFF: Duration = Duration::from_secs(1);

/// Waits for `length`, or until `stop`.
pub(crate) async fn pause(length: Duration, stop: &CancellationToken) {
    // The timeout is the normal outcome.
    drop(tokio::time::timeout(length, stop.cancelled()).await);
}
