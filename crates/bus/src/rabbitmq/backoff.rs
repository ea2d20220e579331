use std::time::Duration;

use tokio::time::{Instant, sleep_until};

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// Exponential backoff between attempts. Its state survives when a waiting caller is cancelled.
#[derive(Debug)]
pub(super) struct Backoff {
    next: Duration,
    until: Option<Instant>,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { next: FIRST, until: None }
    }
}

impl Backoff {
    pub(super) async fn wait(&self) {
        if let Some(until) = self.until {
            sleep_until(until).await;
        }
    }

    pub(super) fn failed(&mut self) {
        self.until = Some(Instant::now() + self.next);
        self.next = LONGEST.min(self.next * 2);
    }

    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }
}
