//! Read models of exchanges: state, transcript, requests that wait for a response, open conversations for each holder, and where
//! updates are pushed.

mod holding;
mod projection;
mod requests;
mod task_pushes;
mod tasks;
mod transcripts;

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
