//! The progress of one connection.

use std::sync::{
    Arc,
    atomic::{
        AtomicBool, AtomicU64, AtomicUsize,
        Ordering::{AcqRel, Acquire, Relaxed},
    },
};

use futures_util::task::AtomicWaker;

use super::{Bounds, Connections, refused};

/// What is known of a connection: only its own task writes it, except for `ended`, which ends it.
pub(crate) struct Connection {
    pub(super) number: u64,
    pub(super) all: Arc<Connections>,
    /// Bytes of answers that it holds.
    held: AtomicUsize,
    /// The tick at which the current window of a waiting write began; 0 while no write waits.
    blocked: AtomicU64,
    /// Bytes written in that window.
    written: AtomicUsize,
    /// The tick of the first byte after the last request; 0 if there was none.
    heard: AtomicU64,
    /// The tick at which the last request ended, or the connection began.
    idle: AtomicU64,
    /// Requests whose answers are not sent yet.
    active: AtomicUsize,
    ended: AtomicBool,
    pub(super) task: AtomicWaker,
}

impl Connection {
    pub(super) fn new(number: u64, all: Arc<Connections>) -> Self {
        let idle = AtomicU64::new(all.now());
        Self {
            number,
            all,
            held: AtomicUsize::new(0),
            blocked: AtomicU64::new(0),
            written: AtomicUsize::new(0),
            heard: AtomicU64::new(0),
            idle,
            active: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            task: AtomicWaker::new(),
        }
    }

    /// Why the client is too slow, if it is. Begins the next window of a waiting write.
    pub(super) fn too_slow(&self, now: u64, bounds: &Bounds) -> Option<&'static str> {
        let over = |since: u64, ticks: u64| now.saturating_sub(since) > ticks;
        if let Some(since) = self.blocked_since() {
            if !over(since, bounds.window) {
                return None;
            }
            // The write may have ended at this moment; then it is not waiting any more.
            let _ = self.blocked.compare_exchange(since, now, Relaxed, Relaxed);
            return (self.written.swap(0, Relaxed) < bounds.window_bytes).then_some("slow_reader");
        }
        if self.active.load(Relaxed) > 0 {
            return None;
        }
        let heard = self.heard.load(Relaxed);
        let slow_head = (heard > 0 && over(heard, bounds.head)).then_some("slow_head");
        slow_head.or_else(|| over(self.idle.load(Relaxed), bounds.idle).then_some("idle_connection"))
    }

    /// Ends the connection: its task closes it. The bytes that it holds are free for others at once.
    pub(super) fn end(&self, reason: &'static str) {
        if !self.ended.swap(true, AcqRel) {
            refused(reason);
            self.release(usize::MAX);
            self.blocked.store(0, Relaxed);
            self.task.wake();
        }
    }

    pub(super) fn is_ended(&self) -> bool {
        self.ended.load(Acquire)
    }

    pub(super) fn blocked_since(&self) -> Option<u64> {
        Some(self.blocked.load(Relaxed)).filter(|since| *since > 0)
    }

    /// A write waits for the client.
    pub(super) fn block(&self) {
        self.written.store(0, Relaxed);
        self.blocked.store(self.all.now(), Relaxed);
    }

    pub(super) fn unblock(&self) {
        self.blocked.store(0, Relaxed);
    }

    pub(super) fn wrote(&self, bytes: usize) {
        self.written.fetch_add(bytes, Relaxed);
    }

    /// Bytes arrived.
    pub(super) fn hear(&self) {
        if self.heard.load(Relaxed) == 0 {
            self.heard.store(self.all.now(), Relaxed);
        }
    }

    /// The head of a request is complete.
    pub(super) fn begin(&self) {
        self.active.fetch_add(1, Relaxed);
    }

    /// The answer to a request is sent, or dropped.
    pub(super) fn finish(&self) {
        self.idle.store(self.all.now(), Relaxed);
        self.heard.store(0, Relaxed);
        self.active.fetch_sub(1, Relaxed);
    }

    /// Counts bytes of an answer as held.
    pub(super) fn hold(&self, bytes: usize) {
        if !self.is_ended() {
            self.held.fetch_add(bytes, Relaxed);
            self.all.hold(bytes);
        }
    }

    /// Gives up as many of the bytes as it holds.
    pub(super) fn release(&self, bytes: usize) {
        let before = self.held.fetch_update(Relaxed, Relaxed, |held| Some(held.saturating_sub(bytes))).unwrap_or(0);
        self.all.held.fetch_sub(before.min(bytes), Relaxed);
    }
}
