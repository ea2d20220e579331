//! Waiting that ends when the worker shall stop.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// How long is waited after the database has failed.
pub(crate) const BACK_OFF: Duration = Duration::from_secs(1);

/// Waits for `length`, or until `stop`.
pub(crate) async fn pause(length: Duration, stop: &CancellationToken) {
    // Running out of time is what is waited for.
    drop(tokio::time::timeout(length, stop.cancelled()).await);
}
