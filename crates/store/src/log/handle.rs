//! The handle of the log, from which those of the contexts are made: the database, the clock, the writers, and what they announce.

use std::time::Duration;

use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::{
    task::{JoinHandle, JoinSet},
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::{
    Recorded, Storage, Tail,
    announcer::Announcer,
    changes::Changes,
    commit::{Commit, Committed},
    context::{Contexts, Expiry, SideChange},
    follower,
    lookup::Lookup,
    masks::Masks,
    near_duplicates::NearDuplicates,
    recent::Recent,
    recent_reads::RecentReads,
    states::States,
    wal,
    watermark::Watermark,
    writer::Writer,
};
use crate::{StoreError, clock::Clock, database::Db, sealing::Secret};

/// How long closing waits for accepted commits to be written.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// The event log, and the writes that pass through it. Cheap to clone.
#[derive(Clone)]
pub struct Log {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) secret: Secret,
    pub(crate) contexts: Contexts,
    pub(crate) states: States,
    pub(crate) changes: Changes,
    pub(crate) masks: Masks,
    pub(crate) watermark: Watermark,
    pub(crate) storage: Storage,
    pub(crate) closing: CancellationToken,
    pub(crate) tail: Tail,
    pub(crate) recent: Recent,
    pub(crate) near_duplicates: NearDuplicates,
    pub(crate) lookup: Lookup,
    pub(crate) recent_reads: RecentReads,
    events: Writer,
    beside: Writer,
    indexing: Writer,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Log").field("db", &self.db).finish_non_exhaustive()
    }
}

/// The tasks of an open log.
pub(crate) struct Lanes {
    closing: CancellationToken,
    writers: Vec<JoinHandle<()>>,
    watching: JoinSet<()>,
}

impl Lanes {
    /// Waits until all accepted commits are written.
    pub(crate) async fn close(mut self) {
        self.closing.cancel();
        let end = Instant::now() + CLOSE_TIMEOUT;
        for mut writer in self.writers {
            // Only an unresponsive database takes longer.
            if timeout_at(end, &mut writer).await.is_err() {
                writer.abort();
            }
        }
        self.watching.shutdown().await;
    }
}

#[boxed]
impl Log {
    /// Starts the writers. Boxed, so that they are compiled in this crate alone.
    #[inline(never)]
    pub(crate) fn start(
        db: Db,
        clock: Clock,
        secret: Secret,
        contexts: Contexts,
    ) -> LocalBoxFuture<'static, Result<(Self, Lanes), StoreError>> {
        Self::started(db, clock, secret, contexts).boxed_local()
    }

    async fn started(db: Db, clock: Clock, secret: Secret, contexts: Contexts) -> Result<(Self, Lanes), StoreError> {
        let head = follower::head_and_time(&db, &clock).await?;
        let announcer = Announcer::at(head);
        let closing = CancellationToken::new();
        let start = || Writer::start(db.clone(), clock.clone(), contexts, announcer.clone(), closing.clone());
        let (events, events_task) = start();
        let mut writers = vec![events_task];
        // SQLite has one writer. On PostgreSQL, commits without positions do not wait for the log's lock, and deliveries do not
        // wait for the index.
        let mut lane = || match &db {
            Db::Sqlite { .. } => events.clone(),
            Db::Postgres { .. } => {
                let (lane, task) = start();
                writers.push(task);
                lane
            }
        };
        let (beside, indexing) = (lane(), lane());
        let mut watching = JoinSet::new();
        follower::start(&db, &clock, &announcer, &mut watching);
        if let Db::Sqlite { options, .. } = &db {
            wal::checkpoint(options, &announcer.tail, &mut watching);
        }
        let log = Self {
            storage: Storage::default(),
            closing: closing.clone(),
            states: announcer.states,
            masks: Masks::new(announcer.changes.clone()),
            changes: announcer.changes,
            watermark: announcer.watermark,
            recent: announcer.recent,
            near_duplicates: announcer.near_duplicates,
            lookup: Lookup::start(&db, &mut watching),
            recent_reads: announcer.recent_reads,
            tail: announcer.tail,
            db,
            clock,
            secret,
            contexts,
            events,
            beside,
            indexing,
        };
        Ok((log, Lanes { closing, writers, watching }))
    }

    /// The clock of the store.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The secret for sealing and hashing.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The tail: the known end of the log, and notification when the log grows.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// The log's last position, read from the database.
    pub async fn head(&self) -> Result<i64, StoreError> {
        Tail::head_of(&self.db).await
    }

    /// Checks that the database responds.
    pub async fn check(&self) -> Result<(), StoreError> {
        Tail::head_of(&self.db).await.map(drop)
    }

    #[boxed]
    pub(crate) async fn commit(&self, mut commit: Commit) -> Result<Committed, StoreError> {
        self.admit_to_storage(&commit)?;
        if !commit.drafts.is_empty() {
            commit.mask_names(&*self.hidings().await?);
        }
        let lane = match &commit {
            commit if commit.needs_log() => &self.events,
            commit if commit.indexes() => &self.indexing,
            _ => &self.beside,
        };
        let (begun, span) = (buildtrack_traces::begin(), buildtrack_traces::append(commit.drafts.len()));
        commit.mark = span.mark();
        let committed = lane.commit(commit).await;
        match &committed {
            Ok(Committed { recorded, mark, .. }) => {
                span.appended(begun, mark.clone(), recorded.iter().map(Recorded::traced));
            }
            Err(error) => {
                if matches!(error, StoreError::StorageLow) {
                    self.storage.was_full();
                }
                span.refused(error.kind());
            }
        }
        committed
    }

    /// Changes side tables without an event.
    pub async fn write_side(&self, changes: impl IntoIterator<Item = impl Into<SideChange>>) -> Result<(), StoreError> {
        let side_changes = changes.into_iter().map(Into::into).collect();
        self.commit(Commit { side_changes, ..Commit::default() }).await.map(drop)
    }

    /// Deletes expired rows of side tables, up to `limit` in each table: sessions, stored answers, and deliveries that reached a final
    /// status `retention` ago. Returns whether it found any.
    pub async fn prune(&self, limit: i64, retention: Duration) -> Result<bool, StoreError> {
        let retention = TimeDelta::from_std(retention).unwrap_or(TimeDelta::MAX);
        let now = self.clock.now();
        let settled_until = now.checked_sub_signed(retention).unwrap_or(DateTime::<Utc>::UNIX_EPOCH);
        let expiry = Expiry { limit, settled_until };
        let over = self.contexts.has_expired(&self.db, expiry, now).await?;
        if over {
            self.write_side([expiry]).await?;
        }
        Ok(over)
    }
}
