//! A bounded pool for CPU work of more than a few milliseconds, such as parsing large bodies. It runs outside the HTTP threads.

use std::{sync::Arc, thread, time::Duration};

use actix_web::http::StatusCode;
use tokio::sync::Semaphore;

use super::problem::Problem;

/// How long a request waits for a permit. The first use compiles the schemas, which takes a while.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// The suggested wait before a retry after that time.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Permits for the work, one per core.
#[derive(Debug)]
pub struct Work(Arc<Semaphore>);

impl Work {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(thread::available_parallelism().map_or(1, usize::from))))
    }

    /// Runs the work on a blocking thread. The permit belongs to the work, not to the request: it stays in use if the client
    /// disconnects.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
        let permit = tokio::time::timeout(PERMIT_TIMEOUT, Arc::clone(&self.0).acquire_owned()).await;
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
    let detail = "The server is processing as many large bodies and texts as it can.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail, "Repeat the request after the time in Retry-After.")
        .retryable(Some(RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_permit_is_released_when_its_work_ends_or_panics() {
        let work = Work(Arc::new(Semaphore::new(1)));
        assert_eq!(work.run(|| 7).await, Ok(7));
        assert!(work.run(|| panic!("on purpose")).await.is_err());
        assert_eq!(work.run(|| 8).await, Ok(8));
    }
}
