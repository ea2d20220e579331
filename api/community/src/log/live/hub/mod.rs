//! Hub of the live streams: a cache of the recent events' frames, and the subscribed streams.

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

/// How many streams may read the database concurrently while they catch up. The limit leaves connections for other
/// work.
const READING: usize = 4;

/// A cached event. Its frame is serialized once for all recipients.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) position: i64,
    pub(crate) stream: Box<str>,
    pub(crate) event_type: Box<str>,
    pub(crate) belonging: Belonging,
    pub(crate) frame: Bytes,
    /// Whether the frame withholds the data for a seal.
    pub(crate) is_sealed: bool,
    /// The tail of the log before the event was read.
    pub(crate) read_at: i64,
}

/// A stream's subscription to new events.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) interest: Interest,
    pub(crate) types: Types,
    /// The position that the stream has reached.
    pub(crate) cursor: i64,
    /// The agent's stays in workspaces, as of the cursor or later; empty for other interests.
    pub(crate) stays: Vec<Stay>,
}

/// The next result for a stream.
#[derive(Debug)]
pub(crate) enum Next {
    /// An event's position and frame.
    Frame(i64, Bytes),
    /// No event up to this position; the stream will be woken.
    Nothing(i64),
    /// More events than the limit have arrived since this position. The subscription has ended.
    Lost(i64),
    /// The cached frame after this position may be outdated. The subscription has ended; the stream must read the log.
    Stale(i64),
    /// The server stops, or the subscription has ended.
    Ended,
}

/// The log as this process currently knows it.
pub(crate) trait Now {
    /// The tail of the log.
    fn head(&self) -> i64;
    /// Whether data that was read from a log stream when the tail was at `read_at` is still current.
    fn is_current_text(&self, stream: &str, read_at: i64) -> bool;
}

impl Now for Store {
    fn head(&self) -> i64 {
        self.log().tail().head()
    }

    fn is_current_text(&self, stream: &str, read_at: i64) -> bool {
        self.log().is_current_text(stream, read_at)
    }
}

/// Identifies a live stream.
pub(crate) type Key = u64;

/// Cache and subscriptions; see the module documentation.
#[derive(Debug)]
pub struct Hub {
    state: Mutex<State>,
    pub(super) wanted: Notify,
    loaded: watch::Sender<bool>,
    read_permits: Semaphore,
}

impl Default for Hub {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            wanted: Notify::new(),
            loaded: watch::Sender::new(false),
            read_permits: Semaphore::new(READING),
        }
    }
}

impl Hub {
    /// Counts a new stream. The log reader runs while there are streams.
    pub(crate) fn enter(&self) -> Key {
        let mut state = self.state();
        state.streams += 1;
        state.next_key += 1;
        self.wanted.notify_one();
        metrics::gauge!("buildtrack_live_streams").increment(1.0);
        state.next_key
    }

    /// Removes a stream and its subscription.
    pub(crate) fn exit(&self, key: Key) {
        let mut state = self.state();
        state.streams -= 1;
        state.remove(key);
        metrics::gauge!("buildtrack_live_streams").decrement(1.0);
    }

    /// Waits until the cache is loaded or the server stops.
    pub(crate) async fn ready(&self) {
        // The sender lives as long as `self`.
        drop(self.loaded.subscribe().wait_for(|loaded| *loaded).await);
    }

    /// Waits for a permit to read the database; none after shutdown.
    pub(crate) async fn read_permit(&self) -> Option<SemaphorePermit<'_>> {
        self.read_permits.acquire().await.ok()
    }

    /// Subscribes a stream and queues the cached events after its cursor. If the cache does not reach back to the
    /// cursor, or its events may be outdated, returns the position up to which the stream must read the log before it
    /// tries again.
    pub(crate) fn subscribe(&self, key: Key, subscription: Subscription, now: &impl Now) -> Result<(), i64> {
        self.state().subscribe(key, subscription, now)
    }

    /// The next result for a stream. Registers its waker if there is no event.
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

    /// Resets the cache to begin after a position.
    pub(super) fn begin(&self, position: i64) {
        let mut state = self.state();
        state.entries.clear();
        (state.bytes, state.position) = (0, position);
    }

    /// Marks the cache as loaded, so that streams can subscribe.
    pub(super) fn open(&self) {
        self.state().loaded = true;
        self.loaded.send_replace(true);
    }

    /// Drops the cache if there are no streams.
    pub(super) fn unload(&self) {
        let mut state = self.state();
        if state.streams == 0 {
            state.entries = std::collections::VecDeque::new();
            (state.bytes, state.loaded) = (0, false);
            self.loaded.send_replace(false);
        }
    }

    /// Drops the cache and ends every subscription, because the log was truncated.
    pub(super) fn rewind(&self) {
        let mut state = self.state();
        state.entries = std::collections::VecDeque::new();
        (state.bytes, state.position, state.loaded) = (0, 0, false);
        let woken: Vec<_> = state.waiters.values_mut().filter_map(|waiter| waiter.waker.take()).collect();
        let keys: Vec<_> = state.waiters.keys().copied().collect();
        for key in keys {
            state.remove(key);
        }
        drop(state);
        self.loaded.send_replace(false);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Delivers new events to subscribed streams in order, and caches them.
    pub(super) fn deliver(&self, entries: Vec<Entry>) {
        let mut woken = Vec::new();
        let mut state = self.state();
        for entry in entries {
            state.deliver(&entry, &mut woken);
            state.cache(entry);
        }
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    /// The cached positions of a log stream.
    pub(super) fn positions_of(&self, stream: &str) -> Vec<i64> {
        let state = self.state();
        state.entries.iter().filter(|entry| &*entry.stream == stream).map(|entry| entry.position).collect()
    }

    /// The cached positions of a log stream whose frames withhold the data for a seal.
    pub(super) fn sealed_positions_of(&self, stream: &str) -> Vec<i64> {
        let state = self.state();
        let sealed = state.entries.iter().filter(|entry| entry.is_sealed && &*entry.stream == stream);
        sealed.map(|entry| entry.position).collect()
    }

    /// Records that the reader had reached the tail at this time.
    pub(super) fn caught_up(&self, at: Instant) {
        self.state().caught_up = Some(at);
    }

    /// Replaces a cached frame, because its event was redacted or hidden, or its seal has opened.
    pub(super) fn replace(&self, position: i64, (frame, is_sealed): (Bytes, bool), read_at: i64) {
        let mut state = self.state();
        let Some(entry) = state.entry_mut(position) else { return };
        (entry.read_at, entry.is_sealed) = (read_at, is_sealed);
        let old = std::mem::replace(&mut entry.frame, frame);
        let new = entry.frame.len();
        state.bytes = state.bytes + new - old.len();
    }

    /// Ends every stream, because the server stops.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.ended = true;
        let woken: Vec<_> = state.waiters.values_mut().filter_map(|waiter| waiter.waker.take()).collect();
        drop(state);
        self.loaded.send_replace(true);
        woken.into_iter().for_each(Waker::wake);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
