//! Liveness of the worker: when its sender last had an answer from the database, for `/readyz`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

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
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(elapsed, Ordering::Relaxed);
    }

    /// Whether the sender has made progress within the last five seconds.
    pub fn is_alive(&self) -> bool {
        let last = Duration::from_millis(self.last.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(last) < SILENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_worker_without_progress_for_five_seconds_is_not_alive() {
        let pulse = Pulse::default();
        tokio::time::advance(Duration::from_millis(4999)).await;
        assert!(pulse.is_alive());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!pulse.is_alive());
        pulse.beat();
        assert!(pulse.is_alive());
    }
}
