//! Exchanges as they are read: how far they are, what waits for whom, and who holds how many open.

mod holding;
mod projection;
mod requests;
mod transcripts;

use std::pin::pin;

use futures_util::{Stream, TryStreamExt};

pub(crate) use holding::{hold, prune, release};
pub(crate) use projection::project;
pub use requests::RequestView;
pub use transcripts::{ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, SaidView};

/// Bytes of rounds that are read at once: a conversation can have fifty times as many.
pub const ROUNDS_BYTES_MAX: usize = 1024 * 1024;

/// Reads rows until they have more than [`ROUNDS_BYTES_MAX`], and two at least, so that a page of all but the last one
/// knows that there are more.
async fn fitting<T>(
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
