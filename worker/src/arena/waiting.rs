//! When the tasks of running matches look again.

use std::time::Duration;

use buildtrack_store::{Store, StoreError};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::pause::pause;

/// The longest wait for a change of the log while a match is played. Deadlines are noticed this late.
const WAIT: Duration = Duration::from_millis(100);
/// The shortest pauses between two looks, so that a busy log costs no more than a slow one: of the task that opens the next turn, and
/// of those that wait for programs or for answers over the network.
pub(super) const SHORT_REST: Duration = Duration::from_millis(2);
pub(super) const LONG_REST: Duration = Duration::from_millis(10);
/// The pause while no match is played.
const IDLE: Duration = Duration::from_millis(50);

/// Waits until the log has grown past `seen` or some time has passed. Without a match that is played, the log is not followed: other
/// events would wake the task for nothing.
pub(super) async fn wait(store: &Store, seen: i64, rest: Duration, stop: &CancellationToken) -> Result<(), StoreError> {
    if !store.is_match_playing().await? {
        pause(IDLE, stop).await;
        return Ok(());
    }
    let grown = async {
        sleep(rest).await;
        timeout(WAIT, store.tail().wait_past(seen)).await.ok();
    };
    stop.run_until_cancelled(grown).await;
    Ok(())
}
