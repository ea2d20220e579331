//! Circuit breaker of an endpoint: how many attempts it admits at a time, judging by the outcomes of the last attempts.

use tokio::time::{Duration, Instant};

/// Consecutive failures that open the breaker.
const FAILURES: u32 = 5;
/// Longest open time as a multiple of the first.
const LONGEST: u32 = 10;
/// Concurrent attempts at an endpoint whose last attempt succeeded, that was never attempted, and whose last attempt failed.
const WORKING: usize = 8;
const UNATTEMPTED: usize = 2;
const FAILING: usize = 1;

/// The state of one endpoint's breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Attempts are made.
    Closed,
    /// No attempt is made until this time.
    Open(Instant),
    /// One probe is made; its outcome closes or reopens the breaker.
    HalfOpen,
}

/// The breaker of one endpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Breaker {
    last_worked: Option<bool>,
    failures: u32,
    open: Option<Open>,
    /// The reset count in the database when this process last read it.
    resets: Option<i64>,
}

/// The breaker's state in the database, shared by all processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shared {
    /// How often it was closed.
    pub(crate) resets: i64,
    /// When the open time ends; `None` if it is closed.
    pub(crate) open_until: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    until: Instant,
    length: Duration,
}

impl Breaker {
    pub(crate) fn state(&self, now: Instant) -> State {
        match self.open {
            Some(open) if now < open.until => State::Open(open.until),
            Some(_) => State::HalfOpen,
            None => State::Closed,
        }
    }

    /// Number of attempts that may run at a time.
    pub(crate) fn permits(&self, now: Instant) -> usize {
        match (self.state(now), self.last_worked) {
            (State::Open(_), _) => 0,
            (State::HalfOpen, _) | (State::Closed, Some(false)) => FAILING,
            (State::Closed, Some(true)) => WORKING,
            (State::Closed, None) => UNATTEMPTED,
        }
    }

    /// Whether the last attempt failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.last_worked == Some(false)
    }

    /// Whether the last attempt succeeded.
    pub(crate) fn is_working(&self) -> bool {
        self.last_worked == Some(true)
    }

    /// The reset count that this process last read from the database.
    pub(crate) fn resets(&self) -> Option<i64> {
        self.resets
    }

    pub(crate) fn worked(&mut self) {
        *self = Self { last_worked: Some(true), resets: self.resets, ..Self::default() };
    }

    /// Applies the state in the database: closes the breaker if it was reset since this process last read it, and opens it if
    /// another process opened it.
    pub(crate) fn learn(&mut self, shared: Shared, now: Instant) {
        match self.resets {
            Some(known) if shared.resets < known => return,
            Some(known) if shared.resets > known => {
                *self = Self { last_worked: self.last_worked.filter(|worked| *worked), ..Self::default() };
            }
            _ => {}
        }
        self.resets = Some(shared.resets);
        if let Some(until) = shared.open_until.filter(|until| now < *until)
            && !matches!(self.state(now), State::Open(_))
        {
            self.last_worked = Some(false);
            self.open = Some(Open { until, length: until - now });
        }
    }

    /// Records a failed attempt. If it opens the breaker, returns the open time: `first` at first, and twice the previous one
    /// after each failed probe.
    pub(crate) fn failed(&mut self, now: Instant, first: Duration) -> Option<Duration> {
        self.last_worked = Some(false);
        self.failures = self.failures.saturating_add(1);
        let length = match self.open {
            // The attempt was under way when the breaker opened.
            Some(open) if now < open.until => return None,
            Some(open) => (open.length * 2).min(first * LONGEST),
            None if self.failures >= FAILURES => first,
            None => return None,
        };
        self.open = Some(Open { until: now + length, length });
        Some(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_secs(30);

    fn fail(breaker: &mut Breaker, now: Instant, times: usize) -> Vec<Option<Duration>> {
        (0..times).map(|_| breaker.failed(now, FIRST)).collect()
    }

    #[test]
    fn the_last_outcome_sets_the_number_of_permits() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        assert_eq!(breaker.permits(now), UNATTEMPTED);
        breaker.worked();
        assert_eq!(breaker.permits(now), WORKING);
        breaker.failed(now, FIRST);
        assert_eq!(breaker.permits(now), FAILING);
    }

    #[test]
    fn five_consecutive_failures_open_the_breaker() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        assert_eq!(fail(&mut breaker, now, 4), [None; 4]);
        breaker.worked();
        assert_eq!(fail(&mut breaker, now, 6), [None, None, None, None, Some(FIRST), None]);
        assert_eq!((breaker.state(now), breaker.permits(now)), (State::Open(now + FIRST), 0));
    }

    #[test]
    fn each_failed_probe_doubles_the_open_time_up_to_a_bound() {
        let (mut breaker, mut now) = (Breaker::default(), Instant::now());
        let mut length = *fail(&mut breaker, now, 5).last().unwrap();
        let mut lengths = vec![];
        while let Some(wait) = length.filter(|_| lengths.len() < 6) {
            lengths.push(wait.as_secs());
            now += wait;
            assert_eq!((breaker.state(now), breaker.permits(now)), (State::HalfOpen, 1));
            length = breaker.failed(now, FIRST);
        }
        assert_eq!(lengths, [30, 60, 120, 240, 300, 300]);
        breaker.worked();
        assert_eq!((breaker.state(now), breaker.permits(now)), (State::Closed, WORKING));
    }

    #[test]
    fn a_reset_in_the_database_closes_the_breaker_once() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        let shared = |resets, open_until| Shared { resets, open_until };
        breaker.learn(shared(3, None), now);
        fail(&mut breaker, now, 5);
        assert_eq!(breaker.state(now), State::Open(now + FIRST));
        breaker.learn(shared(3, Some(now + FIRST)), now);
        assert_eq!(breaker.state(now), State::Open(now + FIRST), "the reset count is unchanged");
        breaker.learn(shared(4, None), now);
        assert_eq!((breaker.state(now), breaker.permits(now)), (State::Closed, UNATTEMPTED));
        fail(&mut breaker, now, 5);
        breaker.learn(shared(3, None), now);
        assert_eq!(breaker.state(now), State::Open(now + FIRST), "an older state is ignored");
    }

    #[test]
    fn a_breaker_opened_by_another_process_is_open_here() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        breaker.learn(Shared { resets: 1, open_until: Some(now + FIRST) }, now);
        assert_eq!(breaker.state(now), State::Open(now + FIRST));
        assert_eq!(breaker.state(now + FIRST), State::HalfOpen);
        assert_eq!(breaker.failed(now + FIRST, FIRST), Some(FIRST * 2));
    }
}
