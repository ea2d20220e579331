//! Long polling: a query that waits until the log has a result for it.

use std::time::Duration;

use actix_web::HttpRequest;
use tokio::time::{Instant, sleep, timeout_at};

use super::{
    problem::Problem,
    rights::{Ending, Right},
    streaming::{Holder, Permit},
};
use crate::app::App;

/// The maximum number of seconds that a request may wait.
pub const WAIT_MAX: u64 = 30;
/// The shortest and the longest pause between two queries while unrelated events arrive.
const PAUSE_MIN: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// Repeats a query whenever the log has grown, until it has a result, the time is up, the caller's right
/// ends or the server stops. `nothing` gives the
/// position up to which a query without a result has looked. The next query continues there.
pub async fn long_poll<T>(
    (app, request): (&App, &HttpRequest),
    (from, wait): (i64, Duration),
    nothing: impl Fn(&T) -> Option<i64>,
    look: impl AsyncFn(i64) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let until = Instant::now() + wait;
    let found = look(from).await?;
    if wait.is_zero() || nothing(&found).is_none() {
        return Ok(found);
    }
    let _permit = take_permit(app, request)?;
    poll_again((app, &Right::of(app, request)), (found, until), nothing, look).await
}

/// As [`long_poll`], for a caller that already has a permit. The wait ends with the caller's right.
pub async fn poll_until<T>(
    (app, right): (&App, &Right),
    wait: Duration,
    nothing: impl Fn(&T) -> Option<i64>,
    look: impl AsyncFn(i64) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let until = Instant::now() + wait;
    let found = look(0).await?;
    poll_again((app, right), (found, until), nothing, look).await
}

async fn poll_again<T>(
    (app, right): (&App, &Right),
    (mut found, until): (T, Instant),
    nothing: impl Fn(&T) -> Option<i64>,
    look: impl AsyncFn(i64) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let mut pause = PAUSE_MIN;
    let mut has_waited = false;
    while let Some(seen) = nothing(&found).filter(|_| !app.stopping.is_cancelled()) {
        has_waited = true;
        let grown = tokio::select! {
            grown = app.stopping.run_until_cancelled(timeout_at(until, app.store.log().tail().wait_past(seen))) => grown,
            ending = right.ended() => return Err(ending.problem()),
        };
        if !matches!(grown, Some(Ok(()))) {
            break;
        }
        found = look(seen).await?;
        if nothing(&found).is_some() {
            // The log grows by events of other recipients, too. They are not worth a query each.
            app.stopping.run_until_cancelled(sleep(pause)).await;
            pause = PAUSE_MAX.min(pause * 2);
        }
    }
    if has_waited {
        // The caller may have lost its right during the wait.
        right.check(app).await.map_err(Ending::problem)?;
    }
    Ok(found)
}

/// A permit to wait, for [`poll_until`]; none if the caller does not wait.
pub fn waiting_permit(app: &App, request: &HttpRequest, wait: Duration) -> Result<Option<Permit>, Problem> {
    if wait.is_zero() { Ok(None) } else { take_permit(app, request).map(Some) }
}

fn take_permit(app: &App, request: &HttpRequest) -> Result<Permit, Problem> {
    app.waiting.take(&app.store, &Holder::of(app, request))
}
