//! Liveness of the worker: when its sender last had an answer from the database, for `/readyz`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// How long the sender may be without an answer before the process is not ready.
const SILENT: Duration = Duration::from_secs(5);

/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pulse {
    started: Instant,
    /// Milliseconds after the start.
    last: Arc<AtomicU64>,
}

impl Default for Pulse {
    fn default() -> Self {
        Self { started: Instant::now(), last: Arc::default() }
    }
}

impl Pulse {
    /// Records that the sender has just made progress.
    pub(crate) fn beat(&self) {
        self.beat_at(Instant::now());
    }

    /// Whether the sender has made progress within the last five seconds.
    pub fn is_alive(&self) -> bool {
        self.is_alive_at(Instant::now())
    }

    fn beat_at(&self, now: Instant) {
        let elapsed = u64::try_from((now - self.started).as_millis()).unwrap_or(u64::MAX);
        self.last.store(elapsed, Ordering::Relaxed);
    }

    fn is_alive_at(&self, now: Instant) -> bool {
        let last = self.started + Duration::from_millis(self.last.load(Ordering::Relaxed));
        now.saturating_duration_since(last) < SILENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_progress_for_five_seconds_is_not_alive() {
        let pulse = Pulse::default();
        let after = |milliseconds| pulse.started + Duration::from_millis(milliseconds);
        assert!(pulse.is_alive_at(after(4999)));
        assert!(!pulse.is_alive_at(after(5000)));
        pulse.beat_at(after(6000));
        assert!(pulse.is_alive_at(after(10_999)));
        assert!(!pulse.is_alive_at(after(11_000)));
    }
}
