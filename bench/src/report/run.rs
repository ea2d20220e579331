//! Figures of runs of `messages`, and their derived values.

use std::time::Duration;

use crate::api;
use crate::load::{Cpu, Outcome, Window};
use crate::reference::Rates;

/// The parameters of a run.
pub(crate) struct Title {
    pub(crate) subject: String,
    pub(crate) scene: api::Options,
    pub(crate) seconds: u64,
    pub(crate) warmup: u64,
}

/// The figures of one run of `messages`.
pub(crate) struct Run {
    /// The closed loop, then the open loop, if any.
    pub(crate) loops: Vec<Outcome>,
    pub(crate) count: Count,
    /// The mean size of a stored event's data in bytes, if the log shows it.
    pub(crate) event_bytes: Option<usize>,
    pub(crate) usage: Option<Usage>,
    pub(crate) reference: Option<Rates>,
    pub(crate) verified: Option<bool>,
}

/// Message counts of the load generator and of the server.
pub(crate) struct Count {
    pub(crate) accepted: u64,
    /// Sent on a connection that was closed before the response.
    pub(crate) unknown: u64,
    pub(crate) stored: u64,
}

/// The server's start times, and its memory in bytes.
pub(crate) struct Usage {
    pub(crate) start_new: Duration,
    pub(crate) start_existing: Duration,
    pub(crate) idle_new: u64,
    pub(crate) idle_existing: u64,
    pub(crate) peak: u64,
}

impl Count {
    pub(super) fn agrees(&self) -> bool {
        (self.accepted..=self.accepted + self.unknown).contains(&self.stored)
    }
}

impl Run {
    /// Whether the counts agree, every message was accepted, and the server's own checks passed if requested.
    pub(crate) fn is_sound(&self) -> bool {
        let refused = self.loops.iter().any(|outcome| !outcome.totals.refusals.is_empty());
        self.count.agrees() && !refused && self.verified != Some(false)
    }

    /// Accepted messages a second in the closed loop divided by `pgbench`'s transactions a second.
    pub(super) fn ratio(&self) -> Option<f64> {
        Some(per_second(self.loops.first()?.window.as_ref()?) / self.reference?.mean())
    }
}

/// Accepted messages a second as a whole number.
pub(crate) fn accepted_per_second(window: &Window) -> Option<u32> {
    u32::try_from(u128::from(window.accepted) * 1000 / window.took.as_millis().max(1)).ok()
}

pub(super) fn per_second(window: &Window) -> f64 {
    number(window.accepted) / window.took.as_secs_f64()
}

pub(super) fn cores(window: &Window, time: Duration) -> f64 {
    time.as_secs_f64() / window.took.as_secs_f64()
}

pub(super) fn micros_each(window: &Window, time: Duration) -> f64 {
    time.as_secs_f64() * 1e6 / number(window.accepted.max(1))
}

/// Processor time of the machine outside the measured processes: interrupts, the host, and other processes. If it is large,
/// the figures are unreliable. Unknown for a server that was running already.
pub(super) fn others(cpu: &Cpu) -> Option<Duration> {
    let watched = cpu.server? + cpu.generator? + cpu.worker.unwrap_or_default() + cpu.postgres.unwrap_or_default();
    Some(cpu.machine?.saturating_sub(watched))
}

#[expect(clippy::cast_precision_loss, reason = "only printed, and never near 2^53")]
pub(super) fn number(value: u64) -> f64 {
    value as f64
}

pub(super) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get(values.len().saturating_sub(1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_of_runs_is_the_mean_of_the_middle_two() {
        assert_eq!(median([4.0, 1.0, 3.0, 2.0].into_iter()), Some(2.5));
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median(std::iter::empty()), None);
    }
}
