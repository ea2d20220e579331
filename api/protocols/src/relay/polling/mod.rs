//! Polls for envelopes: where a poll begins, what it returns and how long it waits (seed: «Subscribe to Events (Long
//! Polling)»).
//!
//! A client that follows the seed's loop sends as `since` the `ts` of the last event that it received. Senders' clocks
//! differ and times tie, so `since` names a position only roughly. The server takes the earliest position that it can
//! mean.
//!
//! **Invariant:** such a client receives every envelope that was recorded after its last answer.
//!
//! **Invariant:** a poll does not return at once with only envelopes that such a client has already seen. The server
//! repeats them together with new ones, or when the wait ends.

use std::time::Duration;

use actix_web::http::StatusCode;
use buildtrack_http::{
    page::{BYTES_MAX, fitting},
    problem::Problem,
};
use buildtrack_store::{EnvelopeFilter, EnvelopeView, Store, StoreError, Ties};
use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::waiters::Waiters;

/// How long before `since` an envelope that `since` covers may have been recorded: the allowed clock skew (seed:
/// «Replay Attack Prevention»).
const SKEW: TimeDelta = TimeDelta::minutes(5);
/// Maximum number of envelopes repeated for one `since`. The server must repeat all that `since` can mean; a client
/// beyond this limit, or whose repeated envelopes are longer than a page may be, must use the cursor.
const REPEATED_MAX: i64 = 10_000;

/// The point after which a poll begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// After this position.
    Cursor(i64),
    /// After this time.
    Since(DateTime<Utc>),
}

/// The parameters of a poll.
#[derive(Debug, Clone)]
pub(super) struct PollQuery {
    pub(super) filter: EnvelopeFilter,
    pub(super) from: From,
    /// Maximum number of envelopes, not counting repeated ones.
    pub(super) limit: i64,
    pub(super) wait: Duration,
}

/// The result of a poll.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) events: Vec<EnvelopeView>,
    /// Whether more envelopes are already recorded.
    pub(super) has_more: bool,
    /// The position to continue from.
    pub(super) cursor: i64,
}

/// The positions that a poll begins from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    /// The poll returns envelopes after this position.
    after: i64,
    /// The poll returns as soon as there is an envelope after this position.
    new_after: i64,
}

/// Answers a poll: at once if there are new envelopes, otherwise when one arrives, the wait ends or the server stops.
pub(super) async fn poll(
    store: &Store,
    waiters: &Waiters,
    query: &PollQuery,
    stopping: &CancellationToken,
) -> Result<Page, Problem> {
    let until = Instant::now() + query.wait;
    // A waiting poll must use little memory, so boxed futures hold the state of a query only while it runs.
    let start = Box::pin(start(store, query)).await?;
    let query_new = || Box::pin(store.relay().polled(&query.filter, start.new_after, query.limit + 1));
    let mut new_events = query_new().await?;
    if new_events.is_empty() && !query.wait.is_zero() {
        // Registers before the query, so that no envelope arrives unseen between the two.
        let registration = waiters.register(&query.filter, store);
        while new_events.is_empty() && !stopping.is_cancelled() {
            let notified = registration.notified();
            new_events = query_new().await?;
            if !new_events.is_empty() {
                break;
            }
            let waited = stopping.run_until_cancelled(timeout_at(until, notified)).await;
            if !matches!(waited, Some(Ok(()))) {
                break;
            }
        }
    }
    Box::pin(page(store, query, start, new_events)).await
}

/// The envelopes to repeat, followed by the new ones.
async fn page(
    store: &Store,
    query: &PollQuery,
    start: Start,
    mut new_events: Vec<EnvelopeView>,
) -> Result<Page, Problem> {
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let count = new_events.len();
    new_events.truncate(limit);
    new_events.truncate(fitting(&texts(&new_events)));
    let has_more = new_events.len() < count;
    let mut events = vec![];
    if start.after < start.new_after {
        let repeated = (start.after, start.new_after);
        events = store.relay().polled_within(&query.filter, repeated, REPEATED_MAX + 1, BYTES_MAX).await?;
        let is_too_long = fitting(&texts(&events)) < events.len();
        if is_too_long || i64::try_from(events.len()).unwrap_or(i64::MAX) > REPEATED_MAX {
            return Err(since_too_rough());
        }
    }
    events.extend(new_events);
    let cursor = events.last().map_or(start.new_after, |last| last.position);
    Ok(Page { events, has_more, cursor })
}

/// The envelopes as they are sent. Their size is counted as that of JSON texts, which is not less.
fn texts(events: &[EnvelopeView]) -> Vec<&str> {
    events.iter().map(|event| event.accepted.envelope.as_str()).collect()
}

async fn start(store: &Store, query: &PollQuery) -> Result<Start, StoreError> {
    let since = match query.from {
        From::Cursor(position) => return Ok(Start { after: position, new_after: position }),
        From::Since(since) => since,
    };
    if let Some(Ties { first, last }) = store.relay().ties(&query.filter, since).await? {
        return Ok(Start { after: first, new_after: last });
    }
    let floor = since.min(store.log().clock().now()).checked_sub_signed(SKEW).unwrap_or(DateTime::<Utc>::MIN_UTC);
    let before = store.relay().before_time(floor).await?;
    Ok(Start { after: before, new_after: before })
}

fn since_too_rough() -> Problem {
    let detail = format!(
        "More than {REPEATED_MAX} envelopes, or {} KiB of them, were recorded between those with the time \"since\".",
        BYTES_MAX / 1024
    );
    let hint = "Continue from the cursor of the last answer: send cursor=… instead of since.";
    Problem::new(StatusCode::CONFLICT, "since_too_rough", detail, hint)
}

#[cfg(test)]
mod tests;
