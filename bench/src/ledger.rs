//! Every accepted message against the pushes that arrived of it.
//!
//! Both sides write down what they see while the load runs, and nothing is compared before it is over: the hot loops
//! only append to vectors.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use anyhow::Result;
use hdrhistogram::Histogram;

use crate::tally::{histogram, lock, microseconds};

/// Room from the start for what a run of ten seconds brings, so that nothing is moved while it is measured.
const ROOM: usize = 200_000;

/// What was accepted, and what arrived.
pub(crate) struct Ledger {
    accepted: Mutex<Vec<Accepted>>,
    arrivals: Mutex<Vec<Arrival>>,
    arrived: AtomicU64,
}

/// A message that was answered 201.
#[derive(Clone, Copy)]
struct Accepted {
    number: u64,
    /// When its request was to start.
    intended: Instant,
}

/// A push that a listener has read whole.
#[derive(Clone, Copy)]
struct Arrival {
    number: u64,
    listener: u16,
    at: Instant,
}

/// Who is to be pushed to.
pub(crate) struct Audience {
    /// Those whose pushes count; what the others get is passed over.
    pub(crate) listeners: Range<u16>,
    /// Whom of those the messages of each connection are for, by the number of the connection.
    pub(crate) hearers: Vec<Vec<u16>>,
}

/// What became of the messages of some loads.
pub(crate) struct Reckoning {
    pub(crate) accepted: u64,
    /// Pushes that the accepted messages were to cause.
    pub(crate) expected: u64,
    /// Of those, how many arrived.
    pub(crate) delivered: u64,
    /// Pushes that arrived once more.
    pub(crate) duplicates: u64,
    /// Pushes of messages that were never answered 201, or to somebody who was not to have them.
    pub(crate) strangers: u64,
    /// Microseconds from the intended start of a message to the first arrival of a push of it, of the measured part.
    pub(crate) latency: Histogram<u64>,
    /// When the last of the expected pushes arrived first.
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
            accepted: Mutex::new(Vec::with_capacity(ROOM)),
            arrivals: Mutex::new(Vec::with_capacity(ROOM)),
            arrived: AtomicU64::new(0),
        }
    }

    /// `number` is what stands at the head of the message's content: sixteen hexadecimal digits.
    pub(crate) fn accepted(&self, number: &[u8], intended: Instant) {
        if let Some(number) = parse(number) {
            lock(&self.accepted).push(Accepted { number, intended });
        }
    }

    pub(crate) fn arrived(&self, number: u64, listener: u16, at: Instant) {
        lock(&self.arrivals).push(Arrival { number, listener, at });
        self.arrived.fetch_add(1, Relaxed);
    }

    /// How many pushes have arrived of all loads so far.
    pub(crate) fn arrivals(&self) -> u64 {
        self.arrived.load(Relaxed)
    }

    /// Compares what was accepted in these loads with what has arrived so far, for these listeners. Takes milliseconds.
    /// Latency is that of the messages which were to start at `from` or later.
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
        for listener in audience.hearers.get(usize::from(connection_of(number))).into_iter().flatten() {
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

/// Reads sixteen hexadecimal digits.
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
    fn a_number_tells_its_load_and_its_connection() {
        let number = parse(b"0003004000000007 and more").unwrap();
        assert_eq!((load_of(number), connection_of(number), number & 0xffff_ffff), (3, 64, 7));
        assert_eq!((parse(b"000300400000000"), parse(b"000300400000000g")), (None, None));
    }

    #[test]
    fn lost_duplicate_and_strange_pushes_are_told_apart() {
        let begin = Instant::now();
        let at = |milliseconds| begin + Duration::from_millis(milliseconds);
        let ledger = Ledger::new();
        // Connection 0 writes for the listeners 0 and 1, connection 1 for listener 2; load 1 is another story, and so is
        // listener 3.
        let audience = Audience { listeners: 0..3, hearers: vec![vec![0, 1], vec![2]] };
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
        // Only the second message was to start when it was measured.
        assert_eq!((reckoning.latency.len(), reckoning.latency.max().div_euclid(100)), (1, 40));
    }

    #[test]
    fn of_two_arrivals_the_first_counts() {
        let begin = Instant::now();
        let accepted = vec![Accepted { number: 1, intended: begin }];
        let arrival =
            |milliseconds| Arrival { number: 1, listener: 0, at: begin + Duration::from_millis(milliseconds) };
        let audience = Audience { listeners: 0..1, hearers: vec![vec![0]] };
        let reckoning = reckon(accepted, vec![arrival(8), arrival(3)], begin, &audience).unwrap();
        assert_eq!((reckoning.latency.max().div_euclid(100), reckoning.duplicates, reckoning.lost()), (30, 1, 0));
    }
}
