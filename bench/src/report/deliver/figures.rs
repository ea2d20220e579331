//! Figures of runs of `deliver`, and their derived values.

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::api;
use crate::ledger::Reckoning;
use crate::load::Cpu;
use crate::reference::Rates;
use crate::report::run::number;

/// The parameters of a run.
pub(crate) struct Title {
    pub(crate) subject: String,
    pub(crate) scene: api::Options,
    pub(crate) seconds: u64,
    pub(crate) warmup: u64,
}

/// The figures of one run, by step.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) latency: Option<Latency>,
    pub(crate) sustained: Option<Sustained>,
    /// Its figures are of pushes, not of messages.
    pub(crate) fan_out: Option<Sustained>,
    pub(crate) drain: Option<Drain>,
    pub(crate) hanging: Option<Hanging>,
    /// The mean size of a stored event's data in bytes, if the log shows it.
    pub(crate) event_bytes: Option<usize>,
    /// After `sustained`.
    pub(crate) peaks: Option<Peaks>,
    pub(crate) pgbench: Option<Rates>,
    /// Messages a second through the broker alone.
    pub(crate) broker: Option<Rates>,
    /// One per stage.
    pub(crate) balances: Vec<Balance>,
}

/// An open loop; times in microseconds.
pub(crate) struct Latency {
    pub(crate) rate: u32,
    pub(crate) reckoning: Reckoning,
    /// From the intended start to the 201.
    pub(crate) answered: Histogram<u64>,
    /// From the intended to the actual start.
    pub(crate) late: Histogram<u64>,
}

/// A closed loop and its remaining deliveries.
pub(crate) struct Sustained {
    /// Duration of the load.
    pub(crate) accepting: Duration,
    /// From the first message's start to the last message's delivery.
    pub(crate) took: Duration,
    /// Outstanding deliveries when the last message was answered.
    pub(crate) behind: u64,
    /// Processor time over the whole duration.
    pub(crate) cpu: Cpu,
    /// Connections to the receiver.
    pub(crate) connections: u64,
    /// Microseconds from the intended start to the 201.
    pub(crate) answered: Histogram<u64>,
    pub(crate) reckoning: Reckoning,
}

/// A backlog that was delivered while other messages arrived.
pub(crate) struct Drain {
    pub(crate) backlog: u64,
    /// Messages a second that arrived meanwhile.
    pub(crate) trickle: u32,
    /// Time until the delivering process was ready.
    pub(crate) ready: Duration,
    /// From that process's start to the backlog's last delivery.
    pub(crate) took: Duration,
    /// Covers the backlog and the messages that arrived meanwhile.
    pub(crate) reckoning: Reckoning,
}

/// An open loop beside hanging endpoints; the reckoning covers the other endpoints.
pub(crate) struct Hanging {
    pub(crate) listeners: u16,
    pub(crate) hanging: u16,
    /// Messages a second.
    pub(crate) rate: u32,
    pub(crate) took: Duration,
    /// Pushes that were read and never answered.
    pub(crate) hung: u64,
    pub(crate) reckoning: Reckoning,
}

/// Peak memory in bytes.
pub(crate) struct Peaks {
    pub(crate) server: Option<u64>,
    pub(crate) worker: Option<u64>,
}

/// Comparison of all accepted messages of a stage with all its pushes.
pub(crate) struct Balance {
    pub(crate) reckoning: Reckoning,
    pub(crate) faults: Faults,
}

/// Faults of the load.
#[derive(Default)]
pub(crate) struct Faults {
    /// Messages that were sent and never answered.
    pub(crate) unknown: u64,
    /// Messages that should have started and did not.
    pub(crate) untaken: u64,
    /// Responses other than 201, one per line.
    pub(crate) refusals: String,
}

impl Run {
    /// Whether every message was accepted and pushed, and no unexpected push arrived.
    pub(crate) fn is_sound(&self) -> bool {
        self.balances.iter().all(Balance::is_sound)
    }

    /// Accepted and delivered messages divided by `pgbench`'s transactions.
    pub(super) fn ratio(&self) -> Option<f64> {
        Some(self.sustained.as_ref()?.per_second() / self.pgbench?.mean())
    }

    /// Accepted and delivered messages divided by the messages through the broker alone.
    pub(super) fn broker_ratio(&self) -> Option<f64> {
        Some(self.sustained.as_ref()?.per_second() / self.broker?.mean())
    }
}

impl Balance {
    pub(super) fn is_sound(&self) -> bool {
        let Faults { unknown, untaken, refusals } = &self.faults;
        let asked_for = self.reckoning.strangers == 0 || *unknown > 0;
        self.reckoning.lost() == 0 && self.reckoning.accepted > 0 && asked_for && *untaken == 0 && refusals.is_empty()
    }
}

impl Sustained {
    /// Accepted and delivered messages a second, over the whole time until the last delivery.
    pub(super) fn per_second(&self) -> f64 {
        rate(self.reckoning.delivered, self.took)
    }
}

impl Drain {
    pub(super) fn per_second(&self) -> f64 {
        rate(self.backlog, self.took)
    }
}

impl Hanging {
    /// Pushes a second to the endpoints that answer.
    pub(super) fn per_second(&self) -> f64 {
        rate(self.reckoning.delivered, self.took)
    }
}

fn rate(count: u64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { number(count) / time.as_secs_f64() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::tally::histogram;

    pub(crate) fn reckoning(accepted: u64, delivered: u64, strangers: u64) -> Reckoning {
        let mut latency = histogram().unwrap();
        latency.record(2500).unwrap();
        Reckoning { accepted, expected: accepted, delivered, duplicates: 0, strangers, latency, last: None }
    }

    #[test]
    fn a_lost_delivery_a_refusal_and_an_unexpected_push_are_unsound() {
        let sound = |accepted, delivered, strangers, faults| {
            Balance { reckoning: reckoning(accepted, delivered, strangers), faults }.is_sound()
        };
        assert!(sound(5, 5, 0, Faults::default()));
        assert!(!sound(5, 4, 0, Faults::default()));
        assert!(!sound(0, 0, 0, Faults::default()));
        assert!(!sound(5, 5, 1, Faults::default()));
        assert!(sound(5, 5, 1, Faults { unknown: 1, ..Faults::default() }));
        assert!(!sound(5, 5, 0, Faults { refusals: "status 429".to_owned(), ..Faults::default() }));
        assert!(!sound(5, 5, 0, Faults { untaken: 1, ..Faults::default() }));
    }
}
