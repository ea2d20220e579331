//! Work that takes longer than a few milliseconds: it leaves the threads that answer requests, and only so much of it runs at
//! once.

use std::{sync::Arc, thread, time::Duration};

use actix_web::http::StatusCode;
use tokio::sync::Semaphore;

use super::problem::Problem;

/// How long a request waits for its turn: the first of all makes the schemas, which takes a while.
const PATIENCE: Duration = Duration::from_secs(10);
/// How soon to come back where that was not long enough.
const LATER: Duration = Duration::from_secs(2);

/// Places for such work, one for each core.
#[derive(Debug)]
pub(crate) struct Work(Arc<Semaphore>);

impl Work {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(thread::available_parallelism().map_or(1, usize::from))))
    }

    /// Does the work on a thread of its own. The place belongs to the work and not to the request: it stays taken where the
    /// client hangs up.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
        let permit = tokio::time::timeout(PATIENCE, Arc::clone(&self.0).acquire_owned()).await;
        let permit = permit.ok().and_then(Result::ok).ok_or_else(busy)?;
        let working = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        working.await.map_err(|error| Problem::internal(&error))
    }
}

fn busy() -> Problem {
    metrics::counter!("buildtrack_refused_total", "reason" => "work_queue_full").increment(1);
    let detail = "The server reads too many large or wrong requests at the moment.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail, "Try again after the wait.").retryable(Some(LATER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_place_is_free_again_when_the_work_has_ended_or_failed() {
        let work = Work(Arc::new(Semaphore::new(1)));
        assert_eq!(work.run(|| 7).await, Ok(7));
        assert!(work.run(|| panic!("on purpose")).await.is_err());
        assert_eq!(work.run(|| 8).await, Ok(8));
    }
}
