//! Where the log ends: every process follows it.

use std::{
    sync::{
        Arc,
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

/// The log's end as this process knows it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tail {
    head: watch::Sender<i64>,
    confirmed: Arc<AtomicU64>,
    removals: Arc<AtomicU64>,
    started: Instant,
}

impl Tail {
    pub(crate) fn at(position: i64) -> Self {
        Self {
            head: watch::Sender::new(position),
            confirmed: Arc::default(),
            removals: Arc::default(),
            started: Instant::now(),
        }
    }

    pub(crate) async fn head_of(db: &Db) -> Result<i64, StoreError> {
        Ok(read!(db, |pool| sqlx::query_scalar("SELECT position FROM log_head").fetch_one(pool).await?))
    }

    /// The last position known to be committed.
    pub fn head(&self) -> i64 {
        *self.head.borrow()
    }

    /// Waits until the log reaches beyond `position`.
    pub async fn beyond(&self, position: i64) {
        let mut head = self.head.subscribe();
        // The sender lives as long as `self`.
        drop(head.wait_for(|head| *head > position).await);
    }

    pub(crate) fn reached(&self, position: i64) {
        self.head.send_if_modified(|head| {
            let newer = position > *head;
            *head = position.max(*head);
            newer
        });
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

    /// The database has said how it was at that moment.
    pub(crate) fn confirm(&self, asked: Instant) {
        let elapsed = u64::try_from((asked - self.started).as_millis()).unwrap_or(u64::MAX);
        self.confirmed.store(elapsed, Ordering::Relaxed);
    }
}
