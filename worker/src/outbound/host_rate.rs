//! How many calls a second a host takes: congestion control by its answers.
//!
//! The rate begins at the configured one and never falls below it. It grows by a fixed amount (additive increase) while calls are refused
//! for it and the host answers with 2xx as promptly as it did at its best, and falls by a factor (multiplicative decrease) when answers
//! get late, and when the host is overloaded or does not answer.

use tokio::time::{Duration, Instant};

/// The shortest time between two increases.
const STEP: Duration = Duration::from_millis(100);
/// The part of the configured rate that an increase adds.
const PART: u32 = 10;
/// The shortest time between two decreases: answers to calls that were made before a decrease say nothing about it.
const HOLD: Duration = Duration::from_secs(1);
/// Answers are late from this multiple of the best time on, and from this much more than it.
const LATE_FACTOR: u32 = 4;
const LATE: Duration = Duration::from_millis(100);
/// The weight of the average time of answers against that of the last one.
const STEADY: u32 = 7;
/// The best time is that of this period and the one before, so that a host that has become slower for good is not late for ever.
const PERIOD: Duration = Duration::from_secs(30);

/// The rate of calls that a verified host takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostRate {
    /// Calls a second.
    rate: u32,
    /// The lowest rate and the highest.
    bounds: (u32, u32),
    answers: Option<Answers>,
    /// Whether a call was refused for the rate since the last change.
    is_limiting: bool,
    raised_at: Option<Instant>,
    lowered_at: Option<Instant>,
}

/// Times of answers.
#[derive(Debug, Clone, Copy)]
struct Answers {
    average: Duration,
    /// The best of the last period, of this one, and when this one began.
    best: [Duration; 2],
    since: Instant,
}

impl Answers {
    fn new(took: Duration, now: Instant) -> Self {
        Self { average: took, best: [took; 2], since: now }
    }

    fn add(mut self, took: Duration, now: Instant) -> Self {
        self.average = (self.average * STEADY + took) / (STEADY + 1);
        if now >= self.since + PERIOD {
            (self.best[0], self.best[1], self.since) = (self.best[1], took, now);
        } else {
            self.best[1] = self.best[1].min(took);
        }
        self
    }

    fn are_late(&self) -> bool {
        let best = self.best[0].min(self.best[1]);
        self.average > best * LATE_FACTOR && self.average > best + LATE
    }
}

impl HostRate {
    /// The lowest rate; `most` is the highest.
    pub(super) fn new(least: u32, most: u32) -> Self {
        let bounds = (least, most.max(least));
        Self { rate: least, bounds, answers: None, is_limiting: false, raised_at: None, lowered_at: None }
    }

    /// Calls a second.
    pub(super) fn rate(&self) -> u32 {
        self.rate
    }

    /// Notes that a call was refused for the rate.
    pub(super) fn limit(&mut self) {
        self.is_limiting = true;
    }

    /// Learns that the host has answered a call with 2xx after this time.
    pub(super) fn answered(&mut self, took: Duration, now: Instant) {
        let answers = self.answers.map_or_else(|| Answers::new(took, now), |answers| answers.add(took, now));
        self.answers = Some(answers);
        if answers.are_late() {
            self.lower(3, 4, now);
        } else if self.is_limiting && self.raised_at.is_none_or(|at| now >= at + STEP) {
            let (least, most) = self.bounds;
            self.rate = self.rate.saturating_add((least / PART).max(1)).min(most);
            self.is_limiting = false;
            self.raised_at = Some(now);
        }
    }

    /// Learns that the host is overloaded or has not answered.
    pub(super) fn failed(&mut self, now: Instant) {
        self.lower(1, 2, now);
    }

    fn lower(&mut self, numerator: u32, denominator: u32, now: Instant) {
        if self.lowered_at.is_none_or(|at| now >= at + HOLD) {
            self.rate = (self.rate / denominator * numerator).max(self.bounds.0);
            self.is_limiting = false;
            (self.raised_at, self.lowered_at) = (Some(now), Some(now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: Duration = Duration::from_millis(10);

    /// Makes as many calls as the rate allows, each answered after the time that `answer` gives for the rate, and returns the rate after
    /// each second.
    fn run(host: &mut HostRate, start: Instant, seconds: u32, answer: impl Fn(u32) -> Duration) -> Vec<u32> {
        let mut rates = Vec::new();
        for second in 0..seconds {
            let mut now = start + Duration::from_secs(second.into());
            let end = now + Duration::from_secs(1);
            while now < end {
                now += Duration::from_secs(1) / host.rate();
                host.limit();
                host.answered(answer(host.rate()), now);
            }
            rates.push(host.rate());
        }
        rates
    }

    #[test]
    fn the_rate_of_a_prompt_host_grows_up_to_its_bound() {
        let mut host = HostRate::new(200, 2000);
        let rates = run(&mut host, Instant::now(), 12, |_| PROMPT);
        assert!(rates.is_sorted() && rates[0] > 300 && rates[4] < 1500, "{rates:?}");
        assert_eq!(rates[11], 2000);
    }

    #[test]
    fn the_rate_grows_only_while_it_limits() {
        let (mut host, start) = (HostRate::new(200, 2000), Instant::now());
        for second in 0..100 {
            host.answered(PROMPT, start + Duration::from_secs(second));
        }
        assert_eq!(host.rate(), 200);
    }

    #[test]
    fn a_host_that_takes_less_is_called_about_as_often_as_it_takes() {
        // From 800 calls a second on, calls wait in the host.
        let answer = |rate: u32| if rate <= 800 { PROMPT } else { Duration::from_millis(300) };
        let mut host = HostRate::new(200, 2000);
        let rates = run(&mut host, Instant::now(), 60, answer);
        assert!(rates[20..].iter().all(|rate| (400..1000).contains(rate)), "{rates:?}");
    }

    #[test]
    fn failures_lower_the_rate_once_a_second_and_never_below_the_configured_one() {
        let (mut host, start) = (HostRate::new(200, 2000), Instant::now());
        run(&mut host, start, 20, |_| PROMPT);
        let rate_after = |host: &mut HostRate, second: u64| {
            (0..50).for_each(|_| host.failed(start + Duration::from_secs(20 + second)));
            host.rate()
        };
        let rates: Vec<_> = (0..5).map(|second| rate_after(&mut host, second)).collect();
        assert_eq!(rates, [1000, 500, 250, 200, 200]);
    }

    #[test]
    fn a_host_that_has_become_slower_for_good_is_prompt_again() {
        let (mut host, start) = (HostRate::new(200, 2000), Instant::now());
        run(&mut host, start, 20, |_| PROMPT);
        let rates = run(&mut host, start + Duration::from_secs(20), 90, |_| Duration::from_millis(300));
        assert_eq!((rates[..30].iter().min(), rates.last()), (Some(&200), Some(&2000)));
    }
}
