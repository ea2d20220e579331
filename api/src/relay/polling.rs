//! Polling: where it begins, what it gives, and how long it waits (seed: «Subscribe to Events (Long Polling)»).
//!
//! A client that follows the seed's loop sends as `since` the `ts` of the last event that it got. Senders' clocks differ, and
//! times tie, so that `since` names a place only roughly; it is taken for the earliest place that it can mean. **Invariant:**
//! nothing that was recorded after such a client's last answer is left out of its next ones. **Invariant:** what such a client
//! has seen is not given again at once: it is given together with what is new, or when the time is up.

use std::time::Duration;

use actix_web::http::StatusCode;
use buildtrack_store::{EnvelopeFilter, EnvelopeView, Store, StoreError, Ties};
use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::waiters::Waiters;
use crate::http::problem::Problem;

/// How far before `since` something may have been recorded that is meant by it: as far as clocks may differ (seed:
/// «Replay Attack Prevention»).
const SKEW: TimeDelta = TimeDelta::minutes(5);
/// The most envelopes that are given again because one of them is meant by `since`: it takes all of them to be sure, and
/// whoever polls for so much goes on by the cursor.
const AGAIN: i64 = 10_000;

/// Where somebody wants to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// After this position.
    Cursor(i64),
    /// After this time.
    Since(DateTime<Utc>),
}

/// What somebody polls for.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    pub(super) filter: EnvelopeFilter,
    pub(super) from: From,
    /// Envelopes beyond those that share the time it goes on from.
    pub(super) limit: i64,
    pub(super) wait: Duration,
}

/// What it is given.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) events: Vec<EnvelopeView>,
    /// Whether there are more already.
    pub(super) has_more: bool,
    /// Where to go on, to the position.
    pub(super) cursor: i64,
}

/// Where a poll goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    /// It is given what is beyond this.
    after: i64,
    /// And is answered as soon as there is something beyond this.
    news: i64,
}

/// Answers a poll: at once where there is news, else when there is, or when time is up or the server stops.
pub(super) async fn poll(
    store: &Store,
    waiters: &Waiters,
    wish: &Wish,
    stopping: &CancellationToken,
) -> Result<Page, Problem> {
    let until = Instant::now() + wish.wait;
    // Whoever waits is to cost little: what a look takes is kept only while it is taken.
    let start = Box::pin(start(store, wish)).await?;
    let look = || Box::pin(store.polled(&wish.filter, start.news, wish.limit + 1));
    let mut news = look().await?;
    if news.is_empty() && !wish.wait.is_zero() {
        // In its place before the look, so that nothing comes unseen between the two.
        let place = waiters.enter(&wish.filter, store);
        while news.is_empty() && !stopping.is_cancelled() {
            let called = place.called();
            news = look().await?;
            if !news.is_empty() {
                break;
            }
            let waited = stopping.run_until_cancelled(timeout_at(until, called)).await;
            if !matches!(waited, Some(Ok(()))) {
                break;
            }
        }
    }
    Box::pin(page(store, wish, start, news)).await
}

/// What stands between the place it goes on from and the news, and the news.
async fn page(store: &Store, wish: &Wish, start: Start, mut news: Vec<EnvelopeView>) -> Result<Page, Problem> {
    let limit = usize::try_from(wish.limit).unwrap_or(usize::MAX);
    let has_more = news.len() > limit;
    news.truncate(limit);
    let mut events = vec![];
    if start.after < start.news {
        events = store.polled(&wish.filter, start.after, AGAIN + 1).await?;
        events.retain(|event| event.position <= start.news);
        if i64::try_from(events.len()).unwrap_or(i64::MAX) > AGAIN {
            return Err(too_rough());
        }
    }
    events.extend(news);
    let cursor = events.last().map_or(start.news, |last| last.position);
    Ok(Page { events, has_more, cursor })
}

async fn start(store: &Store, wish: &Wish) -> Result<Start, StoreError> {
    let since = match wish.from {
        From::Cursor(position) => return Ok(Start { after: position, news: position }),
        From::Since(since) => since,
    };
    if let Some(Ties { first, last }) = store.ties(&wish.filter, since).await? {
        return Ok(Start { after: first, news: last });
    }
    let floor = since.min(store.clock().now()).checked_sub_signed(SKEW).unwrap_or(DateTime::<Utc>::MIN_UTC);
    let before = store.before_time(floor).await?;
    Ok(Start { after: before, news: before })
}

fn too_rough() -> Problem {
    let detail = format!("More than {AGAIN} envelopes came in between those that were made at the time of \"since\".");
    let hint = "Go on from the cursor of the last answer: cursor=…, in the place of since.";
    Problem::new(StatusCode::CONFLICT, "since_too_rough", detail, hint)
}

#[cfg(test)]
mod tests;
