//! Whether an endpoint works, as its last attempts tell: how much of it is tried at a time, and when not at all.

use tokio::time::{Duration, Instant};

/// Failures in a row after which an endpoint is left alone for a while.
const FAILURES: u32 = 5;
/// The longest while, in first ones.
const LONGEST: u32 = 10;
/// Attempts at a time.
const WORKING: usize = 8;
const UNTRIED: usize = 2;
const FAILING: usize = 1;

/// The state of one endpoint's breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It is tried.
    Closed,
    /// It is left alone until then.
    Open(Instant),
    /// Its next attempt decides.
    HalfOpen,
}

/// What the last attempts say of one endpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Breaker {
    last_worked: Option<bool>,
    failures: u32,
    open: Option<Open>,
    /// How often it had been closed when the database was asked last.
    resets: Option<i64>,
}

/// A breaker as the database has it, for all processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shared {
    /// How often it was closed.
    pub(crate) resets: i64,
    /// Until when it is open.
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

    /// How many attempts may be made at a time.
    pub(crate) fn places(&self, now: Instant) -> usize {
        match (self.state(now), self.last_worked) {
            (State::Open(_), _) => 0,
            (State::HalfOpen, _) | (State::Closed, Some(false)) => FAILING,
            (State::Closed, Some(true)) => WORKING,
            (State::Closed, None) => UNTRIED,
        }
    }

    /// Whether its last attempt failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.last_worked == Some(false)
    }

    /// Whether its last attempt worked.
    pub(crate) fn is_working(&self) -> bool {
        self.last_worked == Some(true)
    }

    /// How often it had been closed, as far as this process knows.
    pub(crate) fn resets(&self) -> Option<i64> {
        self.resets
    }

    pub(crate) fn worked(&mut self) {
        *self = Self { last_worked: Some(true), resets: self.resets, ..Self::default() };
    }

    /// Takes over what the database says: that it was closed since this process asked last, or that another process has
    /// opened it.
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

    /// An attempt failed. Gives how long the endpoint is to be left alone, where that has just become clear; the first
    /// time it is `first`, and then twice as long each time.
    pub(crate) fn failed(&mut self, now: Instant, first: Duration) -> Option<Duration> {
        self.last_worked = Some(false);
        self.failures = self.failures.saturating_add(1);
        let length = match self.open {
            // It was under way already.
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
    fn it_trusts_what_worked_last() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        assert_eq!(breaker.places(now), UNTRIED);
        breaker.worked();
        assert_eq!(breaker.places(now), WORKING);
        breaker.failed(now, FIRST);
        assert_eq!(breaker.places(now), FAILING);
    }

    #[test]
    fn after_five_failures_in_a_row_it_opens() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        assert_eq!(fail(&mut breaker, now, 4), [None; 4]);
        breaker.worked();
        assert_eq!(fail(&mut breaker, now, 6), [None, None, None, None, Some(FIRST), None]);
        assert_eq!((breaker.state(now), breaker.places(now)), (State::Open(now + FIRST), 0));
    }

    #[test]
    fn one_probe_decides_and_the_wait_doubles_up_to_a_bound() {
        let (mut breaker, mut now) = (Breaker::default(), Instant::now());
        let mut length = *fail(&mut breaker, now, 5).last().unwrap();
        let mut lengths = vec![];
        while let Some(wait) = length.filter(|_| lengths.len() < 6) {
            lengths.push(wait.as_secs());
            now += wait;
            assert_eq!((breaker.state(now), breaker.places(now)), (State::HalfOpen, 1));
            length = breaker.failed(now, FIRST);
        }
        assert_eq!(lengths, [30, 60, 120, 240, 300, 300]);
        breaker.worked();
        assert_eq!((breaker.state(now), breaker.places(now)), (State::Closed, WORKING));
    }

    #[test]
    fn a_reset_in_the_database_closes_it_once() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        let shared = |resets, open_until| Shared { resets, open_until };
        breaker.learn(shared(3, None), now);
        fail(&mut breaker, now, 5);
        assert_eq!(breaker.state(now), State::Open(now + FIRST));
        breaker.learn(shared(3, Some(now + FIRST)), now);
        assert_eq!(breaker.state(now), State::Open(now + FIRST), "nothing has happened");
        breaker.learn(shared(4, None), now);
        assert_eq!((breaker.state(now), breaker.places(now)), (State::Closed, UNTRIED));
        fail(&mut breaker, now, 5);
        breaker.learn(shared(3, None), now);
        assert_eq!(breaker.state(now), State::Open(now + FIRST), "what was read earlier does not count");
    }

    #[test]
    fn what_another_process_has_opened_is_open_here() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        breaker.learn(Shared { resets: 1, open_until: Some(now + FIRST) }, now);
        assert_eq!(breaker.state(now), State::Open(now + FIRST));
        assert_eq!(breaker.state(now + FIRST), State::HalfOpen);
        assert_eq!(breaker.failed(now + FIRST, FIRST), Some(FIRST * 2));
    }
}
