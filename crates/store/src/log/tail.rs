//! Where the log ends: every process follows it.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{sync::watch, time::Instant};

use crate::{
    StoreError,
    db::{Db, read},
};

/// How long this process may have heard nothing before what it remembers of sessions and endpoints no longer
/// counts.
const STALE: Duration = Duration::from_secs(1);

/// How long the database may be silent before this process is not ready.
const SILENT: Duration = Duration::from_secs(5);

/// The log's end as this process knows it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tail {
    head: watch::Sender<End>,
    confirmed: Arc<AtomicU64>,
    removals: Arc<AtomicU64>,
    /// When the batch that is under way was begun.
    writing: Arc<Mutex<Option<std::time::Instant>>>,
    started: Instant,
}

/// Where the log ends, and how often it was found to end before what was known of it.
#[derive(Debug, Clone, Copy)]
struct End {
    position: i64,
    rewinds: u64,
}

impl Tail {
    pub(crate) fn at(position: i64) -> Self {
        Self {
            head: watch::Sender::new(End { position, rewinds: 0 }),
            confirmed: Arc::default(),
            removals: Arc::default(),
            writing: Arc::default(),
            started: Instant::now(),
        }
    }

    pub(crate) async fn head_of(db: &Db) -> Result<i64, StoreError> {
        Ok(read!(db, |pool| sqlx::query_scalar("SELECT position FROM log_head").fetch_one(pool).await?))
    }

    /// The last position known to be committed.
    pub fn head(&self) -> i64 {
        self.head.borrow().position
    }

    /// How often the database was found to have lost the last events that this process knew, as after a failover. Code that
    /// remembers a position beside this number knows whether the position still counts.
    pub fn rewinds(&self) -> u64 {
        self.head.borrow().rewinds
    }

    /// Waits until the log reaches beyond `position`, or has lost its last events.
    pub async fn beyond(&self, position: i64) {
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

    /// The database has lost what was beyond `position`.
    pub(crate) fn rewind(&self, position: i64) {
        self.head.send_modify(|head| *head = End { position, rewinds: head.rewinds + 1 });
    }

    /// Words have left the database: the files beneath it are to forget them too.
    pub(crate) fn words_removed(&self) {
        self.removals.fetch_add(1, Ordering::SeqCst);
    }

    /// How often words have left the database in this process.
    pub(crate) fn removals(&self) -> u64 {
        self.removals.load(Ordering::SeqCst)
    }

    /// Whether this process has looked at the database within the last second.
    pub(crate) fn is_current(&self) -> bool {
        self.has_looked_within(STALE)
    }

    /// Whether this process has looked at the database within this time.
    pub(crate) fn has_looked_within(&self, time: Duration) -> bool {
        let confirmed = Duration::from_millis(self.confirmed.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(confirmed) < time
    }

    /// Whether the database has told this process lately where the log ends, and has not left a write unanswered for long.
    pub fn is_alive(&self) -> bool {
        let writing = *self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_looked_within(SILENT) && writing.is_none_or(|begun| begun.elapsed() < SILENT)
    }

    /// A batch is under way since then, or none is.
    pub(crate) fn writing(&self, since: Option<std::time::Instant>) {
        *self.writing.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }

    /// The database has said how it was at that moment.
    pub(crate) fn confirm(&self, asked: Instant) {
        let elapsed = u64::try_from((asked - self.started).as_millis()).unwrap_or(u64::MAX);
        self.confirmed.store(elapsed, Ordering::Relaxed);
    }
}
