//! Liveness of the log's writer, for `/readyz`: whether a batch is pending for too long, or batches keep failing.

use std::time::{Duration, Instant};

/// How long a batch may be pending, and how long batches may fail, before the process is not ready.
const SILENT: Duration = Duration::from_secs(5);
/// After this time without a further failure the process is ready again: without requests no batch can succeed.
const PROBATION: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct WriterHealth {
    /// When the batch in progress was begun.
    pending: Option<Instant>,
    failing: Option<Failing>,
}

#[derive(Debug)]
struct Failing {
    since: Instant,
    last: Instant,
}

impl WriterHealth {
    pub(super) fn begin(&mut self, now: Instant) {
        self.pending = Some(now);
    }

    pub(super) fn succeed(&mut self) {
        *self = Self::default();
    }

    /// The connection or the commit failed. An error of one statement says nothing about the database.
    pub(super) fn fail(&mut self, now: Instant) {
        self.pending = None;
        self.failing.get_or_insert(Failing { since: now, last: now }).last = now;
    }

    pub(super) fn is_alive(&self, now: Instant) -> bool {
        let is_pending = self.pending.is_some_and(|begun| now - begun >= SILENT);
        let is_failing = self
            .failing
            .as_ref()
            .is_some_and(|failing| now - failing.since >= SILENT && now - failing.last < PROBATION);
        !is_pending && !is_failing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_batch_that_is_pending_for_five_seconds_makes_it_not_ready() {
        let (mut health, start) = (WriterHealth::default(), Instant::now());
        health.begin(start);
        assert!(health.is_alive(start + 4 * SECOND));
        assert!(!health.is_alive(start + 5 * SECOND));
        health.succeed();
        assert!(health.is_alive(start + 6 * SECOND));
    }

    #[test]
    fn batches_that_fail_for_five_seconds_make_it_not_ready() {
        let (mut health, start) = (WriterHealth::default(), Instant::now());
        for second in 0..=5 {
            health.begin(start + second * SECOND);
            health.fail(start + second * SECOND);
            assert_eq!(health.is_alive(start + second * SECOND), second < 5);
        }
        health.succeed();
        assert!(health.is_alive(start + 6 * SECOND));
    }

    #[test]
    fn after_ten_seconds_without_a_batch_it_is_ready_again() {
        let (mut health, start) = (WriterHealth::default(), Instant::now());
        health.fail(start);
        health.fail(start + 6 * SECOND);
        assert!(!health.is_alive(start + 15 * SECOND));
        assert!(health.is_alive(start + 16 * SECOND));
    }
}
