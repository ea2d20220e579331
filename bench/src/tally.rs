//! Outcomes of the messages of one load.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use serde_json::Value;

use crate::http::Answer;
use crate::ledger::Ledger;
use crate::pace::Schedule;

const LONGEST_LATENCY: Duration = Duration::from_mins(2);

/// Counters and histograms shared by all connections of a load. Counters cover the whole load, histograms the measured part.
pub(crate) struct Tally {
    schedule: Schedule,
    sent: AtomicU64,
    answered: AtomicU64,
    accepted: AtomicU64,
    latency: Mutex<Histogram<u64>>,
    delay: Mutex<Histogram<u64>>,
    refusals: Mutex<BTreeMap<u16, Refusals>>,
    receipts: Option<Mutex<Vec<Receipt>>>,
    ledger: Option<Arc<Ledger>>,
}

/// Responses with one status other than 201.
#[derive(Clone)]
pub(crate) struct Refusals {
    pub(crate) count: u64,
    /// The body of the first one.
    pub(crate) sample: String,
}

/// A message that was answered 201.
pub(crate) struct Receipt {
    pub(crate) connection: u16,
    /// The number at the start of its content.
    pub(crate) number: String,
    /// Its id on the server.
    pub(crate) message: String,
}

/// A message that was sent and is not answered yet.
pub(crate) struct Sent<'request> {
    /// Intended start.
    pub(crate) intended: Instant,
    /// Actual start.
    pub(crate) started: Instant,
    pub(crate) connection: u16,
    pub(crate) number: &'request [u8],
}

/// A load's counts and its times in microseconds.
pub(crate) struct Totals {
    pub(crate) sent: u64,
    pub(crate) answered: u64,
    pub(crate) accepted: u64,
    /// From the intended start to the response, for accepted messages.
    pub(crate) latency: Histogram<u64>,
    /// From the intended to the actual start.
    pub(crate) delay: Histogram<u64>,
    pub(crate) refusals: BTreeMap<u16, Refusals>,
    pub(crate) receipts: Vec<Receipt>,
}

impl Tally {
    pub(crate) fn new(schedule: Schedule, receipts: bool, ledger: Option<Arc<Ledger>>) -> Result<Self> {
        Ok(Self {
            schedule,
            sent: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            latency: Mutex::new(histogram()?),
            delay: Mutex::new(histogram()?),
            refusals: Mutex::default(),
            receipts: receipts.then(Mutex::default),
            ledger,
        })
    }

    pub(crate) fn accepted(&self) -> u64 {
        self.accepted.load(Relaxed)
    }

    pub(crate) fn sending(&self) {
        self.sent.fetch_add(1, Relaxed);
    }

    pub(crate) fn answered(&self, sent: &Sent, answer: &Answer) {
        self.answered.fetch_add(1, Relaxed);
        if answer.status != 201 {
            return self.refused(answer);
        }
        self.accepted.fetch_add(1, Relaxed);
        if self.schedule.measures(sent.intended) {
            self.timed(sent, Instant::now());
        }
        if let Some(receipts) = &self.receipts {
            lock(receipts).extend(receipt(sent, answer));
        }
        if let Some(ledger) = &self.ledger {
            ledger.accepted(sent.number, sent.intended);
        }
    }

    fn timed(&self, sent: &Sent, now: Instant) {
        lock(&self.latency).saturating_record(microseconds(now - sent.intended));
        lock(&self.delay).saturating_record(microseconds(sent.started - sent.intended));
    }

    fn refused(&self, answer: &Answer) {
        let mut refusals = lock(&self.refusals);
        let sample = || Refusals { count: 0, sample: String::from_utf8_lossy(answer.body).into_owned() };
        refusals.entry(answer.status).or_insert_with(sample).count += 1;
    }

    pub(crate) fn totals(&self) -> Totals {
        Totals {
            sent: self.sent.load(Relaxed),
            answered: self.answered.load(Relaxed),
            accepted: self.accepted(),
            latency: lock(&self.latency).clone(),
            delay: lock(&self.delay).clone(),
            refusals: lock(&self.refusals).clone(),
            receipts: self.receipts.as_ref().map(|receipts| std::mem::take(&mut *lock(receipts))).unwrap_or_default(),
        }
    }
}

/// A 201 without an id yields a receipt with an empty one, which reading back counts as missing.
fn receipt(sent: &Sent, answer: &Answer) -> Option<Receipt> {
    let body: Value = serde_json::from_slice(answer.body).unwrap_or_default();
    let message = body["id"].as_str().unwrap_or_default().to_owned();
    let number = String::from_utf8(sent.number.to_vec()).ok()?;
    Some(Receipt { connection: sent.connection, number, message })
}

/// A histogram of microseconds with three significant digits.
pub(crate) fn histogram() -> Result<Histogram<u64>> {
    Histogram::new_with_max(microseconds(LONGEST_LATENCY), 3).context("making a histogram")
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_counts_from_the_intended_start() {
        let schedule = Schedule::from_now(Duration::ZERO, Duration::from_secs(10));
        let tally = Tally::new(schedule, false, None).unwrap();
        let at = |milliseconds| schedule.from + Duration::from_millis(milliseconds);
        // 100 messages, one each millisecond. The server stalls so that all are answered at 100 ms, 1 ms after each was
        // actually sent. From the actual start each takes 1 ms; from the intended start, 1 to 100 ms.
        for number in 0..100 {
            let sent = Sent { intended: at(number), started: at(99), connection: 0, number: b"" };
            tally.timed(&sent, at(100));
        }
        let totals = tally.totals();
        let millisecond = |quantile| totals.latency.value_at_quantile(quantile).div_euclid(1000);
        assert_eq!([0.5, 0.99, 1.0].map(millisecond), [50, 99, 100]);
        assert_eq!(totals.delay.max().div_euclid(1000), 99);
    }
}
