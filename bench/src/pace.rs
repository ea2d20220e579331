//! Pacing of a load: as soon as the last message is answered (closed loop), or at fixed times (open loop).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// The shortest sleep of the open loop's clock: with a free connection, a message starts at most this late.
const TICK: Duration = Duration::from_micros(200);

/// The pace of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    /// As fast as the responses arrive.
    Closed,
    /// A fixed number of messages a second, independent of the responses.
    Open { rate: u32 },
    /// As fast as the responses arrive, up to a total number of messages.
    Count { messages: u64 },
}

/// The times of one load. Messages with a start in `from..end` are measured; earlier ones warm up.
#[derive(Clone, Copy)]
pub(crate) struct Schedule {
    pub(crate) start: Instant,
    pub(crate) from: Instant,
    pub(crate) end: Instant,
}

impl Schedule {
    pub(crate) fn from_now(warmup: Duration, measured: Duration) -> Self {
        let start = Instant::now();
        Self { start, from: start + warmup, end: start + warmup + measured }
    }

    pub(crate) fn measures(&self, intended: Instant) -> bool {
        (self.from..self.end).contains(&intended)
    }
}

/// Distributes intended start times to any number of connections.
pub(crate) enum Pacer {
    Closed { end: Instant },
    Open(Arc<Starts>),
    Count { end: Instant, left: AtomicU64 },
}

impl Pacer {
    pub(crate) fn new(pace: Pace, schedule: Schedule, connections: usize) -> Self {
        match pace {
            Pace::Closed => Self::Closed { end: schedule.end },
            Pace::Count { messages } => Self::Count { end: schedule.end, left: AtomicU64::new(messages) },
            Pace::Open { rate } => {
                let starts = Arc::new(Starts::new(rate, schedule));
                let clock = Arc::clone(&starts);
                thread::spawn(move || clock.tick(schedule.end, connections));
                Self::Open(starts)
            }
        }
    }

    /// Waits until a message is due and returns its intended start; `None` at the end of the load.
    pub(crate) async fn next(&self) -> Option<Instant> {
        match self {
            Self::Closed { end } => Some(Instant::now()).filter(|now| now < end),
            Self::Open(starts) => starts.next().await,
            Self::Count { end, left } => {
                left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).ok()?;
                Some(Instant::now()).filter(|now| now < end)
            }
        }
    }

    /// Due messages that no connection took.
    pub(crate) fn untaken(&self) -> u64 {
        match self {
            Self::Closed { .. } => 0,
            Self::Count { left, .. } => left.load(Relaxed),
            Self::Open(starts) => starts.count.saturating_sub(starts.taken.load(Relaxed)),
        }
    }
}

/// The start times of an open loop. Any free connection takes the earliest one that is due, so a slow response delays no
/// message while another connection is free.
pub(crate) struct Starts {
    begin: Instant,
    rate: u64,
    count: u64,
    taken: AtomicU64,
    /// One permit for each start that is due and not taken.
    due: Semaphore,
}

impl Starts {
    fn new(rate: u32, schedule: Schedule) -> Self {
        let rate = u64::from(rate.max(1));
        let count = due_after(schedule.end - schedule.start, rate);
        Self { begin: schedule.start, rate, count, taken: AtomicU64::new(0), due: Semaphore::new(0) }
    }

    async fn next(&self) -> Option<Instant> {
        self.due.acquire().await.ok()?.forget();
        let number = self.taken.fetch_add(1, Relaxed);
        (number < self.count).then(|| self.begin + Duration::from_nanos(number * 1_000_000_000 / self.rate))
    }

    /// Runs on a separate thread, because the runtime's timer has a resolution of one millisecond.
    fn tick(&self, end: Instant, connections: usize) {
        let mut released = 0;
        while released < self.count {
            let due = due_after(self.begin.elapsed(), self.rate).min(self.count);
            self.due.add_permits(usize::try_from(due - released).unwrap_or(0));
            released = due;
            thread::sleep(TICK);
        }
        thread::sleep(end.saturating_duration_since(Instant::now()));
        // One more for each connection, to signal the end.
        self.due.add_permits(connections);
    }
}

/// Number of starts in the first `elapsed` of the load, including the one at 0.
fn due_after(elapsed: Duration, rate: u64) -> u64 {
    let nanoseconds = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
    nanoseconds.saturating_mul(rate).div_ceil(1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_evenly_spaced() {
        let due = [0, 1, 999_999, 1_000_000, 1_000_001, 10_000_000_000]
            .map(|nanos| due_after(Duration::from_nanos(nanos), 1000));
        assert_eq!(due, [0, 1, 1, 1, 2, 10_000]);
    }

    #[tokio::test]
    async fn a_counted_load_ends_with_its_last_message() {
        let schedule = Schedule::from_now(Duration::ZERO, Duration::from_mins(1));
        let pacer = Pacer::new(Pace::Count { messages: 2 }, schedule, 1);
        assert!(pacer.next().await.is_some() && pacer.untaken() == 1);
        assert!(pacer.next().await.is_some() && pacer.next().await.is_none());
        assert_eq!(pacer.untaken(), 0);
    }
}
