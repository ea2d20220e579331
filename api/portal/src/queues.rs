//! The queues of events that workers process: their depth and their dead letters, for operators.

use std::time::Duration;

use actix_web::http::StatusCode;
use buildtrack_bus::{Bus, BusError, DeadLetter, Queue};
use buildtrack_http::problem::Problem;

/// The longest time for which a page waits for the broker.
const BROKER_TIMEOUT: Duration = Duration::from_secs(3);

/// The queues that a process can see. Without a bus there are none.
#[derive(Debug, Default)]
pub struct Queues {
    bus: Option<Bus>,
    queues: Vec<Queue>,
}

/// A queue with the numbers of its notices.
#[derive(Debug)]
pub(crate) struct QueueLevel {
    /// The short name.
    pub(crate) name: String,
    /// Notices that no consumer holds.
    pub(crate) depth: u64,
    /// Dead letters.
    pub(crate) dead_letters: u64,
}

impl Queues {
    /// The queues of this bus.
    pub fn new(bus: Bus, queues: Vec<Queue>) -> Self {
        Self { bus: Some(bus), queues }
    }

    /// Whether dead letters survive this process.
    pub(crate) fn is_durable(&self) -> bool {
        self.bus.as_ref().is_some_and(Bus::is_durable)
    }

    /// All queues with their numbers.
    pub(crate) async fn levels(&self) -> Result<Vec<QueueLevel>, Problem> {
        let Some(bus) = &self.bus else { return Ok(vec![]) };
        answered(async {
            let mut levels = Vec::with_capacity(self.queues.len());
            for queue in &self.queues {
                let (depth, dead_letters) = (bus.depth(queue).await?, bus.dead_letter_count(queue).await?);
                levels.push(QueueLevel { name: queue.name().to_owned(), depth, dead_letters });
            }
            Ok(levels)
        })
        .await
    }

    /// The dead letters of each queue, the oldest first, with the queue's name; at most `limit` of each.
    pub(crate) async fn dead_letters(&self, limit: usize) -> Result<Vec<(String, DeadLetter)>, Problem> {
        let Some(bus) = &self.bus else { return Ok(vec![]) };
        answered(async {
            let mut letters = Vec::new();
            for queue in &self.queues {
                let found = bus.dead_letters(queue, limit).await?;
                letters.extend(found.into_iter().map(|letter| (queue.name().to_owned(), letter)));
            }
            Ok(letters)
        })
        .await
    }

    /// Puts dead letters back into their queues, the oldest first, at most `limit` of each. Returns their number.
    pub(crate) async fn replay(&self, limit: usize) -> Result<usize, Problem> {
        let Some(bus) = &self.bus else { return Ok(0) };
        let mut replayed = 0;
        for queue in &self.queues {
            replayed += bus.replay_dead_letters(queue, limit).await.map_err(|error| unavailable(&error))?;
        }
        Ok(replayed)
    }
}

/// Waits for the broker, but not long.
async fn answered<T>(asking: impl Future<Output = Result<T, BusError>>) -> Result<T, Problem> {
    match tokio::time::timeout(BROKER_TIMEOUT, asking).await {
        Ok(answer) => answer.map_err(|error| unavailable(&error)),
        Err(_) => Err(unavailable(&"it did not answer in time")),
    }
}

fn unavailable(error: &dyn std::fmt::Display) -> Problem {
    tracing::warn!(%error, "the broker's queues cannot be read");
    let hint = "Repeat the request after the time in Retry-After. The server accepts events meanwhile.";
    let detail = "The broker did not answer.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail, hint).retryable(Some(BROKER_TIMEOUT))
}
