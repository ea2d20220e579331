//! Comparison of accepted messages with the pushes that arrived.
//!
//! Both sides record what they observe while the load runs. The comparison happens afterwards: the hot loops only append to
//! vectors.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use anyhow::Result;
use hdrhistogram::Histogram;

use crate::tally::{histogram, lock, microseconds};

/// Initial capacity for a run of ten seconds, so that no vector grows during the measurement.
const INITIAL_CAPACITY: usize = 200_000;

/// Accepted messages and arrived pushes.
pub(crate) struct Ledger {
    accepted: Mutex<Vec<Accepted>>,
    arrivals: Mutex<Vec<Arrival>>,
    arrived: AtomicU64,
}

/// A message that was answered 201.
#[derive(Clone, Copy)]
struct Accepted {
    number: u64,
    /// The intended start of its request.
    intended: Instant,
}

/// A push that a listener has read completely.
#[derive(Clone, Copy)]
struct Arrival {
    number: u64,
    listener: u16,
    at: Instant,
}

/// The listeners that each connection's messages are pushed to.
pub(crate) struct Audience {
    /// Listeners whose pushes count; pushes to others are ignored.
    pub(crate) listeners: Range<u16>,
    /// The recipients of each connection's messages, by the number of the connection.
    pub(crate) recipients: Vec<Vec<u16>>,
}

/// The result of the comparison for some loads.
pub(crate) struct Reckoning {
    pub(crate) accepted: u64,
    /// Expected pushes of the accepted messages.
    pub(crate) expected: u64,
    /// Expected pushes that arrived.
    pub(crate) delivered: u64,
    /// Pushes that arrived again.
    pub(crate) duplicates: u64,
    /// Unexpected pushes: of messages that were not answered 201, or to listeners outside the audience.
    pub(crate) strangers: u64,
    /// Microseconds from the intended start of a message in the measured part to the first arrival of its push.
    pub(crate) latency: Histogram<u64>,
    /// First arrival of the last expected push.
    pub(crate) last: Option<Instant>,
}

impl Reckoning {
    pub(crate) fn lost(&self) -> u64 {
        self.expected - self.delivered
    }
}

impl Ledger {
    pub(crate) fn new() -> Self {
        Self {
            accepted: Mutex::new(Vec::with_capacity(INITIAL_CAPACITY)),
            arrivals: Mutex::new(Vec::with_capacity(INITIAL_CAPACITY)),
            arrived: AtomicU64::new(0),
        }
    }

    /// Records an accepted message. `number` is at the start of the message's content: sixteen hexadecimal digits.
    pub(crate) fn accepted(&self, number: &[u8], intended: Instant) {
        if let Some(number) = parse(number) {
            lock(&self.accepted).push(Accepted { number, intended });
        }
    }

    pub(crate) fn arrived(&self, number: u64, listener: u16, at: Instant) {
        lock(&self.arrivals).push(Arrival { number, listener, at });
        self.arrived.fetch_add(1, Relaxed);
    }

    /// Number of pushes that have arrived, in all loads.
    pub(crate) fn arrivals(&self) -> u64 {
        self.arrived.load(Relaxed)
    }

    /// Compares the messages accepted in these loads with the pushes to this audience so far. Takes milliseconds. Latency
    /// covers messages whose intended start is `from` or later.
    pub(crate) fn reckon(&self, loads: RangeInclusive<u16>, from: Instant, audience: &Audience) -> Result<Reckoning> {
        let mine = |number: u64| loads.contains(&load_of(number));
        let counts = |arrival: &Arrival| mine(arrival.number) && audience.listeners.contains(&arrival.listener);
        let arrivals = lock(&self.arrivals).iter().copied().filter(counts).collect();
        let accepted = lock(&self.accepted).iter().copied().filter(|accepted| mine(accepted.number)).collect();
        reckon(accepted, arrivals, from, audience)
    }
}

fn reckon(accepted: Vec<Accepted>, arrivals: Vec<Arrival>, from: Instant, audience: &Audience) -> Result<Reckoning> {
    let mut first: HashMap<(u64, u16), Instant> = HashMap::with_capacity(arrivals.len());
    let mut duplicates = 0;
    for Arrival { number, listener, at } in arrivals {
        let known = *first.entry((number, listener)).and_modify(|_| duplicates += 1).or_insert(at);
        if at < known {
            first.insert((number, listener), at);
        }
    }
    let mut reckoning = Reckoning {
        accepted: u64::try_from(accepted.len())?,
        expected: 0,
        delivered: 0,
        duplicates,
        strangers: 0,
        latency: histogram()?,
        last: None,
    };
    for Accepted { number, intended } in accepted {
        for listener in audience.recipients.get(usize::from(connection_of(number))).into_iter().flatten() {
            reckoning.expected += 1;
            let Some(at) = first.remove(&(number, *listener)) else { continue };
            reckoning.delivered += 1;
            reckoning.last = reckoning.last.max(Some(at));
            if intended >= from {
                reckoning.latency.saturating_record(microseconds(at - intended));
            }
        }
    }
    reckoning.strangers = u64::try_from(first.len())?;
    Ok(reckoning)
}

/// Parses sixteen hexadecimal digits.
pub(crate) fn parse(digits: &[u8]) -> Option<u64> {
    let digits = digits.get(..16)?;
    digits.iter().try_fold(0, |number, digit| Some(number << 4 | u64::from(char::from(*digit).to_digit(16)?)))
}

fn load_of(number: u64) -> u16 {
    u16::try_from(number >> 48).unwrap_or(u16::MAX)
}

fn connection_of(number: u64) -> u16 {
    u16::try_from(number >> 32 & 0xffff).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_number_encodes_its_load_and_connection() {
        let number = parse(b"0003004000000007 and more").unwrap();
        assert_eq!((load_of(number), connection_of(number), number & 0xffff_ffff), (3, 64, 7));
        assert_eq!((parse(b"000300400000000"), parse(b"000300400000000g")), (None, None));
    }

    #[test]
    fn lost_duplicate_and_unexpected_pushes_are_distinguished() {
        let begin = Instant::now();
        let at = |milliseconds| begin + Duration::from_millis(milliseconds);
        let ledger = Ledger::new();
        // Connection 0 writes for the listeners 0 and 1, connection 1 for listener 2. Load 1 and listener 3 do not count.
        let audience = Audience { listeners: 0..3, recipients: vec![vec![0, 1], vec![2]] };
        ledger.accepted(b"0000000000000001", at(0));
        ledger.accepted(b"0000000000000002", at(10));
        ledger.accepted(b"0000000100000001", at(20));
        ledger.accepted(b"0001000000000001", at(30));
        for (number, listener, milliseconds) in [
            (1, 0, 9),
            (1, 0, 5),
            (1, 1, 7),
            (2, 0, 14),
            (1 << 32 | 1, 0, 21),
            (9, 0, 30),
            (1, 3, 31),
            (1 << 48 | 1, 0, 35),
        ] {
            ledger.arrived(number, listener, at(milliseconds));
        }
        assert_eq!(ledger.arrivals(), 8);
        let reckoning = ledger.reckon(0..=0, at(10), &audience).unwrap();
        assert_eq!((reckoning.accepted, reckoning.expected, reckoning.delivered), (3, 5, 3));
        assert_eq!((reckoning.lost(), reckoning.duplicates, reckoning.strangers), (2, 1, 2));
        assert_eq!(reckoning.last, Some(at(14)));
        // Only the second message was to start in the measured part.
        assert_eq!((reckoning.latency.len(), reckoning.latency.max().div_euclid(100)), (1, 40));
    }

    #[test]
    fn of_two_arrivals_the_first_counts() {
        let begin = Instant::now();
        let accepted = vec![Accepted { number: 1, intended: begin }];
        let arrival =
            |milliseconds| Arrival { number: 1, listener: 0, at: begin + Duration::from_millis(milliseconds) };
        let audience = Audience { listeners: 0..1, recipients: vec![vec![0]] };
        let reckoning = reckon(accepted, vec![arrival(8), arrival(3)], begin, &audience).unwrap();
        assert_eq!((reckoning.latency.max().div_euclid(100), reckoning.duplicates, reckoning.lost()), (30, 1, 0));
    }
}
