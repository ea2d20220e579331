//! The tail: the position up to which this process knows the log, and whether the database responds.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use buildtrack_macros::boxed;
use tokio::{sync::watch, time::Instant};

use super::writer_health::WriterHealth;
use crate::{StoreError, database::Db};

/// How long the follower may be silent before cached sessions and endpoints count as stale.
const STALE: Duration = Duration::from_secs(1);

/// How long the database may be silent before this process reports that it is not ready.
const SILENT: Duration = Duration::from_secs(5);

/// The log's end as this process knows it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tail {
    head: watch::Sender<End>,
    confirmed: Arc<AtomicU64>,
    removals: Arc<AtomicU64>,
    writer: Arc<Mutex<WriterHealth>>,
    started: Instant,
}

/// The log's end, and how often the database was found to have lost events.
#[derive(Debug, Clone, Copy)]
struct End {
    position: i64,
    rewinds: u64,
}

#[boxed]
impl Tail {
    pub(crate) fn at(position: i64) -> Self {
        Self {
            head: watch::Sender::new(End { position, rewinds: 0 }),
            confirmed: Arc::default(),
            removals: Arc::default(),
            writer: Arc::default(),
            started: Instant::now(),
        }
    }

    pub(crate) async fn head_of(db: &Db) -> Result<i64, StoreError> {
        db.one("SELECT position FROM log_head", &[]).await
    }

    /// The last position known to be committed.
    pub fn head(&self) -> i64 {
        self.head.borrow().position
    }

    /// How often the database was found to have lost the last events that this process knew, for example after a failover. Code
    /// that stores a position together with this number can tell whether the position is still valid.
    pub fn rewinds(&self) -> u64 {
        self.head.borrow().rewinds
    }

    /// Waits until the log has events after `position`, or the database has lost its last events.
    pub async fn wait_past(&self, position: i64) {
        let mut head = self.head.subscribe();
        // The sender lives as long as `self`.
        let rewinds = head.borrow().rewinds;
        drop(head.wait_for(|head| head.position > position || head.rewinds != rewinds).await);
    }

    pub(crate) fn reached(&self, position: i64) {
        self.head.send_if_modified(|head| {
            let newer = position > head.position;
            head.position = position.max(head.position);
            newer
        });
    }

    /// The database has lost the events after `position`.
    pub(crate) fn rewind(&self, position: i64) {
        self.head.send_modify(|head| *head = End { position, rewinds: head.rewinds + 1 });
    }

    /// Texts were removed from the database: the files below it must drop them too.
    pub(crate) fn texts_removed(&self) {
        self.removals.fetch_add(1, Ordering::SeqCst);
    }

    /// How often texts were removed from the database in this process.
    pub(crate) fn removals(&self) -> u64 {
        self.removals.load(Ordering::SeqCst)
    }

    /// Whether the follower has read the database within the last second.
    pub(crate) fn is_current(&self) -> bool {
        self.has_polled_within(STALE)
    }

    /// Whether the follower has read the database within this time.
    pub(crate) fn has_polled_within(&self, time: Duration) -> bool {
        let confirmed = Duration::from_millis(self.confirmed.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(confirmed) < time
    }

    /// Whether the database has responded recently, and the writer is neither waiting nor failing for long.
    pub fn is_alive(&self) -> bool {
        self.has_polled_within(SILENT) && self.writer().is_alive(std::time::Instant::now())
    }

    /// The health of the log's writer.
    pub(super) fn writer(&self) -> MutexGuard<'_, WriterHealth> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a poll which began at `asked` has succeeded.
    pub(crate) fn confirm(&self, asked: Instant) {
        let elapsed = u64::try_from((asked - self.started).as_millis()).unwrap_or(u64::MAX);
        self.confirmed.store(elapsed, Ordering::Relaxed);
    }
}
