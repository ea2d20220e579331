//! Read models of exchanges: state, transcript, requests that wait for a response, open conversations for each holder, and where
//! updates are pushed.

mod holding;
mod projection;
mod requests;
mod task_pushes;
mod tasks;
mod transcripts;

use std::pin::pin;

use futures_util::{Stream, TryStreamExt};

pub use holding::conversations_cap;
pub(crate) use holding::{has_expired_holds, hold, prune_holds, release};
pub(crate) use projection::project;
pub use requests::{RequestView, waiting_requests_cap};
pub use task_pushes::{DueTaskPush, NewTaskPush, PUSHES_OF_REQUESTER, PUSHES_OF_TASK, TaskPush, TaskPushOutcome};
pub(crate) use task_pushes::{has_expired_task_pushes, prune_task_pushes, record, remove, set};
pub use tasks::{TaskFilter, TaskStates, Tasks};
pub use transcripts::{ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, TranscriptEvent};

/// Bytes of rounds read in one query; a conversation can be fifty times as large.
pub const ROUNDS_BYTES_MAX: usize = 256 * 1024;

/// Reads rows until their size exceeds [`ROUNDS_BYTES_MAX`], and at least two. A caller that returns all but the last row thus
/// knows that there are more.
async fn read_within_bytes<T>(
    rows: impl Stream<Item = Result<T, sqlx::Error>>,
    size: impl Fn(&T) -> usize,
) -> Result<Vec<T>, sqlx::Error> {
    let mut rows = pin!(rows);
    let (mut taken, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        bytes += size(&row);
        taken.push(row);
        if bytes > ROUNDS_BYTES_MAX && taken.len() > 1 {
            break;
        }
    }
    Ok(taken)
}
