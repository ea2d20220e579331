//! What a run has cost so far: its processor time, and the time in which it slept.
//!
//! The kernel counts for each process how long it ran and how long it waited for a processor (`/proc/<pid>/schedstat`, in nanoseconds). What is
//! left of the time is sleep, whose length an answer chooses; a wait for a processor is the fault of others. Without these counts, nothing but
//! the time itself is known.

use std::{fs, time::Duration};

use tokio::time::Instant;

use crate::limits::IDLE_TIME;

/// How often a run is looked at.
pub(crate) const PERIOD: Duration = Duration::from_millis(50);

/// What the kernel has counted for a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    ran: Duration,
    waited: Duration,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It runs, or waits for a processor: that wait is not counted before it ends.
    Runnable,
    /// The kernel reads a file for it.
    Reading,
    /// It waits for what it asked for, or has ended.
    Asleep,
}

/// Measures one run. **Invariant:** time in which the server did not look counts as sleep for two periods at most.
#[derive(Debug)]
pub(crate) struct Meter {
    pid: Option<u32>,
    began: Instant,
    first: Option<Counts>,
    last: Option<Counts>,
    looked_at: Instant,
    /// The look before the process last ran: a wait that goes on has begun later.
    seen_running: Instant,
    /// Time that the answer has not chosen: the server did not look, or a file was read.
    excused: Duration,
    idle: Duration,
}

impl Meter {
    /// Begins to measure a process, which must not be reaped before the last look.
    pub(crate) fn start(pid: Option<u32>) -> Self {
        let now = Instant::now();
        let first = pid.and_then(counts);
        Self {
            pid,
            began: now,
            first,
            last: first,
            looked_at: now,
            seen_running: now,
            excused: Duration::ZERO,
            idle: Duration::ZERO,
        }
    }

    /// Looks at the process. Whether it has slept for as long as it may.
    pub(crate) fn look(&mut self) -> bool {
        if let Some(counts) = self.pid.and_then(counts) {
            self.record(counts, Instant::now());
        }
        self.idle >= IDLE_TIME
    }

    /// Counts time in which the process was not looked at as the run's own.
    pub(crate) fn add(&mut self, time: Duration) {
        self.idle += time;
    }

    /// Whether sleep can be told from work.
    pub(crate) fn is_precise(&self) -> bool {
        self.first.is_some()
    }

    /// The time that the run has taken from others: the processor time of its process, and its sleep.
    pub(crate) fn cost(&self) -> Duration {
        self.last.map_or_else(|| self.began.elapsed(), |counts| counts.ran + self.idle)
    }

    fn record(&mut self, counts: Counts, now: Instant) {
        let (Some(first), Some(last)) = (self.first, self.last) else { return };
        let passed = now.saturating_duration_since(self.looked_at);
        self.excused += match counts.state {
            State::Reading => passed,
            State::Runnable | State::Asleep => passed.saturating_sub(2 * PERIOD),
        };
        if counts.ran > last.ran {
            self.seen_running = self.looked_at;
        }
        let pending = match counts.state {
            State::Runnable => now.saturating_duration_since(self.seen_running),
            State::Reading | State::Asleep => Duration::ZERO,
        };
        let busy = counts.ran.saturating_sub(first.ran) + counts.waited.saturating_sub(first.waited);
        let idle = now.saturating_duration_since(self.began).saturating_sub(busy + self.excused + pending);
        (self.idle, self.last, self.looked_at) = (self.idle.max(idle), Some(counts), now);
    }
}

/// What the kernel counts for a process that is not reaped. `None` on a system or kernel that does not tell.
fn counts(pid: u32) -> Option<Counts> {
    let schedule = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    let mut nanoseconds = schedule.split_whitespace().map(str::parse);
    let (ran, waited) = (nanoseconds.next()?.ok()?, nanoseconds.next()?.ok()?);
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets is the program's, and may hold anything.
    let (_, fields) = stat.rsplit_once(") ")?;
    let state = match fields.chars().next()? {
        'R' => State::Runnable,
        'D' => State::Reading,
        _ => State::Asleep,
    };
    // A kernel that does not count tells 0 of a process that has started Python.
    (ran > 0).then_some(Counts { ran: Duration::from_nanos(ran), waited: Duration::from_nanos(waited), state })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A meter, and what it says after looks at these milliseconds: (time, ran, waited, state).
    fn idle(looks: &[(u64, u64, u64, State)]) -> u128 {
        let began = Instant::now();
        let counts = |ran, waited, state| Counts {
            ran: Duration::from_millis(100 + ran),
            waited: Duration::from_millis(waited),
            state,
        };
        let first = Some(counts(0, 0, State::Runnable));
        let mut meter =
            Meter { first, last: first, began, looked_at: began, seen_running: began, ..Meter::start(None) };
        for (time, ran, waited, state) in looks {
            meter.record(counts(*ran, *waited, *state), began + Duration::from_millis(*time));
        }
        meter.idle.as_millis()
    }

    use State::{Asleep, Reading, Runnable};

    #[test]
    fn sleep_is_what_is_left_of_the_time() {
        assert_eq!(idle(&[(50, 10, 0, Asleep), (100, 10, 0, Asleep)]), 90);
        assert_eq!(idle(&[(50, 50, 0, Runnable), (100, 100, 0, Runnable)]), 0);
        assert_eq!(idle(&[(50, 10, 40, Asleep), (100, 20, 80, Asleep)]), 0, "a wait for a processor is no sleep");
    }

    #[test]
    fn a_process_that_waits_for_a_processor_does_not_sleep() {
        assert_eq!(idle(&[(50, 0, 0, Runnable), (100, 0, 0, Runnable), (150, 1, 149, Asleep)]), 0);
        assert_eq!(idle(&[(50, 10, 0, Runnable), (100, 10, 0, Runnable), (150, 11, 139, Asleep)]), 0);
    }

    #[test]
    fn a_process_that_runs_at_each_look_and_sleeps_between_them_sleeps() {
        let looks: Vec<_> = (1..=20).map(|look| (50 * look, 5 * look, 0, Runnable)).collect();
        assert_eq!(idle(&looks), 1000 - 100 - 50);
    }

    #[test]
    fn time_in_which_the_server_does_not_look_or_files_are_read_is_no_sleep() {
        assert_eq!(idle(&[(10_000, 0, 0, Asleep)]), 100);
        assert_eq!(idle(&[(50, 0, 0, Reading), (100, 0, 0, Reading), (150, 0, 0, Asleep)]), 50);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_kernel_counts_this_process() {
        let counts = counts(std::process::id()).unwrap();
        assert!(counts.ran > Duration::ZERO, "{counts:?}");
        assert_eq!(super::counts(u32::MAX), None);
    }
}
