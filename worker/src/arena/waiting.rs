//! When the tasks of running matches look again.

use std::time::Duration;

use buildtrack_store::{Store, StoreError};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// The longest wait for a change of the log while a match is played. Deadlines are noticed this late.
const WAIT: Duration = Duration::from_millis(100);
/// The shortest pauses between two looks, so that a busy log costs no more than a slow one: of the task that opens the next turn, and
/// of those that wait for programs or for answers over the network.
pub(super) const SHORT_REST: Duration = Duration::from_millis(2);
pub(super) const LONG_REST: Duration = Duration::from_millis(10);
/// The shortest and the longest pause while no match is played. Only an event begins one; but other events follow each other closely.
const IDLE_REST: Duration = Duration::from_millis(50);
const IDLE_WAIT: Duration = Duration::from_secs(1);

/// Waits until the log has grown past `seen` or some time has passed.
pub(super) async fn wait(store: &Store, seen: i64, rest: Duration, stop: &CancellationToken) -> Result<(), StoreError> {
    let (rest, longest) = if store.arena().is_match_playing().await? { (rest, WAIT) } else { (IDLE_REST, IDLE_WAIT) };
    let grown = async {
        sleep(rest).await;
        timeout(longest, store.log().tail().wait_past(seen)).await.ok();
    };
    stop.run_until_cancelled(grown).await;
    Ok(())
}
