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

/// Bytes of the requests of a connection that are not counted: most requests are shorter.
pub(super) const FREE_BYTES: usize = 4096;

/// What is known of a connection: only its own task writes it, except for `ended`, which ends it.
pub(crate) struct Connection {
    pub(super) number: u64,
    pub(super) all: Arc<Connections>,
    /// Bytes of requests and answers that it holds.
    held: AtomicUsize,
    /// Bytes that were read and belong to no answered request.
    unanswered: AtomicUsize,
    /// Bytes of the current body that its reader took, of a long body.
    received: AtomicUsize,
    /// When the current wait for the client began, in the order of all waits.
    turn: AtomicU64,
    /// Whether a long body is still arriving.
    receiving: AtomicBool,
    /// Whether it speaks another protocol since an answer 101, whose frames are bounded by their readers.
    upgraded: AtomicBool,
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
            unanswered: AtomicUsize::new(0),
            received: AtomicUsize::new(0),
            turn: AtomicU64::new(0),
            receiving: AtomicBool::new(false),
            upgraded: AtomicBool::new(false),
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
        self.turn.store(self.all.next_turn(), Relaxed);
        self.blocked.store(self.all.now(), Relaxed);
    }

    pub(super) fn unblock(&self) {
        self.blocked.store(0, Relaxed);
    }

    pub(super) fn wrote(&self, bytes: usize) {
        self.written.fetch_add(bytes, Relaxed);
    }

    /// The place among those that keep the server waiting with more than a few bytes in memory, for the client to read or for the
    /// rest of its request, and which of both.
    pub(super) fn waits(&self) -> Option<(u64, &'static str)> {
        let arriving = || self.active.load(Relaxed) == 0 || self.receiving.load(Relaxed);
        let reason = match self.blocked_since() {
            Some(_) => "answer_bytes",
            None if self.counted() > 0 && arriving() => "request_bytes",
            None => return None,
        };
        Some((self.turn.load(Relaxed), reason))
    }

    /// Bytes arrived.
    pub(super) fn hear(&self, bytes: usize) {
        if self.heard.load(Relaxed) == 0 {
            self.heard.store(self.all.now(), Relaxed);
        }
        if !self.upgraded.load(Relaxed) {
            let before = self.counted();
            self.unanswered.fetch_add(bytes, Relaxed);
            let counted = self.counted();
            if before == 0 && counted > 0 {
                self.turn.store(self.all.next_turn(), Relaxed);
            }
            self.hold(counted - before);
        }
    }

    /// The head of a request is complete. Returns the bytes that were read so far.
    pub(super) fn begin(&self) -> usize {
        self.active.fetch_add(1, Relaxed);
        self.unanswered.load(Relaxed)
    }

    /// A long body follows the head.
    pub(super) fn expect_body(&self) {
        self.received.store(0, Relaxed);
        self.receiving.store(true, Relaxed);
    }

    /// A piece of a long body was read.
    pub(super) fn receive(&self, bytes: usize) {
        self.received.fetch_add(bytes, Relaxed);
    }

    /// A long body has arrived, or its rest is not wanted.
    pub(super) fn body_arrived(&self) {
        self.receiving.store(false, Relaxed);
    }

    /// The client and a handler speak another protocol from now on.
    pub(super) fn upgrade(&self) {
        self.upgraded.store(true, Relaxed);
        self.leave_unanswered(0);
    }

    /// The answer to a request is sent, or dropped. The head took `head` bytes. What was read beyond it and its body belongs to
    /// the next request, which began to arrive.
    pub(super) fn finish(&self, head: usize) {
        let now = self.all.now();
        let taken = head + self.received.swap(0, Relaxed);
        let rest = self.unanswered.load(Relaxed).saturating_sub(taken);
        // A few bytes are more often the body of this request than the next one.
        let rest = if rest > FREE_BYTES { rest } else { 0 };
        self.leave_unanswered(rest);
        self.idle.store(now, Relaxed);
        self.heard.store(if rest > 0 { now } else { 0 }, Relaxed);
        self.active.fetch_sub(1, Relaxed);
    }

    fn leave_unanswered(&self, bytes: usize) {
        let before = self.counted();
        self.unanswered.store(bytes, Relaxed);
        self.release(before.saturating_sub(self.counted()));
    }

    /// The bytes of requests that count as held.
    fn counted(&self) -> usize {
        self.unanswered.load(Relaxed).saturating_sub(FREE_BYTES)
    }

    /// Counts bytes of a request or an answer as held.
    pub(super) fn hold(&self, bytes: usize) {
        if bytes > 0 && !self.is_ended() {
            self.held.fetch_add(bytes, Relaxed);
            self.all.hold(bytes);
        }
    }

    /// Gives up as many of the bytes as it holds.
    pub(super) fn release(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let before = self.held.fetch_update(Relaxed, Relaxed, |held| Some(held.saturating_sub(bytes))).unwrap_or(0);
        self.all.held.fetch_sub(before.min(bytes), Relaxed);
    }
}
