//! The last events of the log, put into words, and who waits for which of them.

mod state;
#[cfg(test)]
mod tests;
mod waiters;

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Waker},
};

use actix_web::web::Bytes;
use buildtrack_store::{Belonging, Interest, Stay, Store};
use tokio::{
    sync::{Notify, Semaphore, SemaphorePermit, watch},
    time::Instant,
};

use self::state::State;
use super::types::Types;

/// How many streams that catch up read the database at once: others need it too.
const READING: usize = 4;

/// One event, put into words once for all who are shown it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) position: i64,
    pub(crate) stream: Box<str>,
    pub(crate) event_type: Box<str>,
    pub(crate) belonging: Belonging,
    pub(crate) frame: Bytes,
    /// How far the log was known to reach before it was read.
    pub(crate) read_at: i64,
}

/// A stream that wants to be handed what comes.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) interest: Interest,
    pub(crate) types: Types,
    /// Where it is.
    pub(crate) cursor: i64,
    /// Where the agent is and was, known at the cursor or later; none for other interests.
    pub(crate) stays: Vec<Stay>,
}

/// What there is for a stream.
#[derive(Debug)]
pub(crate) enum Next {
    /// An event's position and frame.
    Frame(i64, Bytes),
    /// Nothing, up to this position; it will be woken.
    Nothing(i64),
    /// More than is kept for it, beyond this position. It has lost its place.
    Lost(i64),
    /// What may not be shown any more as it was read, beyond this position: the log says how it is. It has given up its
    /// place.
    Stale(i64),
    /// The server stops.
    Over,
}

/// What this process has heard by now.
pub(crate) trait Now {
    /// Where the log ends.
    fn head(&self) -> i64;
    /// Whether what was read of a stream of the log may still be shown.
    fn still_stands(&self, stream: &str, read_at: i64) -> bool;
}

impl Now for Store {
    fn head(&self) -> i64 {
        self.tail().head()
    }

    fn still_stands(&self, stream: &str, read_at: i64) -> bool {
        Self::still_stands(self, stream, read_at)
    }
}

/// Names a stream's place.
pub(crate) type Key = u64;

/// See the module.
#[derive(Debug)]
pub(crate) struct Hub {
    state: Mutex<State>,
    pub(super) wanted: Notify,
    loaded: watch::Sender<bool>,
    reading: Semaphore,
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::default(),
            wanted: Notify::new(),
            loaded: watch::Sender::new(false),
            reading: Semaphore::new(READING),
        }
    }

    /// One stream more: from now on the log is read.
    pub(crate) fn enter(&self) -> Key {
        let mut state = self.state();
        state.streams += 1;
        state.next_key += 1;
        self.wanted.notify_one();
        metrics::gauge!("buildtrack_live_streams").increment(1.0);
        state.next_key
    }

    /// One stream less.
    pub(crate) fn exit(&self, key: Key) {
        let mut state = self.state();
        state.streams -= 1;
        state.remove(key);
        metrics::gauge!("buildtrack_live_streams").decrement(1.0);
    }

    /// Waits until the last events are there, or the server stops.
    pub(crate) async fn ready(&self) {
        // The sender lives as long as `self`.
        drop(self.loaded.subscribe().wait_for(|loaded| *loaded).await);
    }

    /// The turn of a stream to read the database; there is always one to come.
    pub(super) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.reading.acquire().await.ok()
    }

    /// Gives a stream its place, with what is beyond its cursor waiting for it. Where the last events do not reach back
    /// to the cursor, or may not be shown any more as they were read, it has to read the log up to the position given, and
    /// come again.
    pub(crate) fn arrive(&self, key: Key, arrival: Arrival, now: &impl Now) -> Result<(), i64> {
        self.state().arrive(key, arrival, now)
    }

    /// What there is for a stream; where there is nothing, it is woken when there is.
    pub(crate) fn next(&self, key: Key, context: &mut Context<'_>, now: &impl Now) -> Next {
        self.state().next(key, context, now)
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.state().streams > 0
    }

    pub(super) fn position(&self) -> Option<i64> {
        let state = self.state();
        state.loaded.then_some(state.position)
    }

    /// Begins behind a position, with nobody in a place yet.
    pub(super) fn begin(&self, position: i64) {
        let mut state = self.state();
        state.entries.clear();
        (state.bytes, state.position) = (0, position);
    }

    /// Streams may take their places.
    pub(super) fn open(&self) {
        self.state().loaded = true;
        self.loaded.send_replace(true);
    }

    /// Forgets the entries: nobody is there.
    pub(super) fn unload(&self) {
        let mut state = self.state();
        if state.streams == 0 {
            state.entries = std::collections::VecDeque::new();
            (state.bytes, state.loaded) = (0, false);
            self.loaded.send_replace(false);
        }
    }

    /// The log has lost its last events: those that are kept are forgotten, and every stream that has a place ends.
    pub(super) fn rewind(&self) {
        let mut state = self.state();
        state.entries = std::collections::VecDeque::new();
        (state.bytes, state.position, state.loaded) = (0, 0, false);
        let woken: Vec<_> = state.places.values_mut().filter_map(|waiter| waiter.waker.take()).collect();
        let keys: Vec<_> = state.places.keys().copied().collect();
        for key in keys {
            state.remove(key);
        }
        drop(state);
        self.loaded.send_replace(false);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Hands on what comes next, in order.
    pub(super) fn hand_on(&self, entries: Vec<Entry>) {
        let mut woken = Vec::new();
        let mut state = self.state();
        for entry in entries {
            state.hand_on(&entry, &mut woken);
            state.keep(entry);
        }
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    /// The positions of a stream of the log that are kept.
    pub(super) fn positions_of(&self, stream: &str) -> Vec<i64> {
        let state = self.state();
        state.entries.iter().filter(|entry| &*entry.stream == stream).map(|entry| entry.position).collect()
    }

    /// Nothing was left to read at that time.
    pub(super) fn caught_up(&self, at: Instant) {
        self.state().caught_up = Some(at);
    }

    /// Shows an event from now on as it is shown on the log: it has been redacted.
    pub(super) fn replace(&self, position: i64, frame: Bytes, read_at: i64) {
        let mut state = self.state();
        let Some(entry) = state.entry_mut(position) else { return };
        entry.read_at = read_at;
        let old = std::mem::replace(&mut entry.frame, frame);
        let new = entry.frame.len();
        state.bytes = state.bytes + new - old.len();
    }

    /// The server stops: every stream ends.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.over = true;
        let woken: Vec<_> = state.places.values_mut().filter_map(|waiter| waiter.waker.take()).collect();
        drop(state);
        self.loaded.send_replace(true);
        woken.into_iter().for_each(Waker::wake);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
