//! The store: connections, writers and caches.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use buildtrack_domain::arena::tasks::Bank;
use buildtrack_macros::boxed;
use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::{
    sync::Mutex,
    task::{JoinHandle, JoinSet},
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{
    StoreError,
    clock::Clock,
    database::{Database, Db},
    identity::sessions::Sessions,
    limits::{Limits, budgets::Budgets},
    log::{
        Recorded, Tail,
        announcer::Announcer,
        changes::Changes,
        commit::{Commit, Committed},
        follower,
        lookup::Lookup,
        masks::Masks,
        near_duplicates::NearDuplicates,
        recent::Recent,
        recent_reads::RecentReads,
        states::States,
        storage::Storage,
        wal,
        watermark::Watermark,
        writer::Writer,
    },
    reputation::Standings,
    sealing::{Secret, fingerprint},
    verification,
    webhooks::{endpoints::Endpoints, subscribers::AudienceCache},
    workspaces::as_of::Pasts,
};

/// How long closing waits for accepted commits to be written.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Settings for opening a store.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The database's location.
    pub database: Database,
    /// The secret that seals data at rest.
    pub secret: Secret,
    /// The machine's clock, or a test's fixed clock.
    pub clock: Clock,
}

/// The persistent state of the server. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) secret: Secret,
    pub(crate) states: States,
    pub(crate) sessions: Sessions,
    pub(crate) changes: Changes,
    pub(crate) masks: Masks,
    pub(crate) endpoints: Endpoints,
    pub(crate) audiences: AudienceCache,
    pub(crate) watermark: Watermark,
    pub(crate) limits: Arc<Limits>,
    pub(crate) budgets: Budgets,
    pub(crate) storage: Storage,
    pub(crate) closing: CancellationToken,
    pub(crate) tail: Tail,
    pub(crate) recent: Recent,
    pub(crate) near_duplicates: NearDuplicates,
    pub(crate) lookup: Lookup,
    pub(crate) recent_reads: RecentReads,
    pub(crate) pasts: Pasts,
    pub(crate) standings: Standings,
    bank: Arc<OnceLock<&'static Bank>>,
    lanes: Arc<Mutex<Option<Lanes>>>,
    log: Writer,
    beside: Writer,
    indexing: Writer,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Store").field("db", &self.db).finish_non_exhaustive()
    }
}

struct Lanes {
    closing: CancellationToken,
    writers: Vec<JoinHandle<()>>,
    watching: JoinSet<()>,
}

#[boxed]
impl Store {
    /// Opens the database, migrates its schema, checks that the secret is the database's own, and starts the writers.
    /// Boxed, so that the writers are compiled in this crate alone.
    #[inline(never)]
    pub fn open(settings: Settings) -> LocalBoxFuture<'static, Result<Self, StoreError>> {
        Self::start(settings).boxed_local()
    }

    async fn start(settings: Settings) -> Result<Self, StoreError> {
        let Settings { database, secret, clock } = settings;
        let db = Db::open(&database).await?;
        fingerprint::check(&db, &secret).await?;
        let is_resealed = !fingerprint::is_earlier(&db, &secret).await?;
        let secret = secret.resealed(is_resealed);
        verification::fill(&db).await?;
        let head = follower::head_and_time(&db, &clock).await?;
        let announcer = Announcer::at(head);
        let closing = CancellationToken::new();
        let start = || Writer::start(db.clone(), clock.clone(), announcer.clone(), closing.clone());
        let (log, log_task) = start();
        let mut writers = vec![log_task];
        // SQLite has one writer. On PostgreSQL, commits without positions do not wait for the log's lock, and deliveries do not
        // wait for the index.
        let mut lane = || match &db {
            Db::Sqlite { .. } => log.clone(),
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
        Ok(Self {
            limits: Arc::new(Limits::new()),
            budgets: Budgets::new(),
            storage: Storage::default(),
            closing: closing.clone(),
            states: announcer.states,
            sessions: Sessions::new(announcer.changes.clone()),
            changes: announcer.changes.clone(),
            masks: Masks::new(announcer.changes.clone()),
            endpoints: Endpoints::new(announcer.changes.clone()),
            audiences: AudienceCache::new(announcer.changes, announcer.watermark.clone()),
            watermark: announcer.watermark,
            recent: announcer.recent,
            near_duplicates: announcer.near_duplicates,
            lookup: Lookup::start(&db, &mut watching),
            recent_reads: announcer.recent_reads,
            pasts: Pasts::new(),
            standings: Standings::default(),
            bank: Arc::default(),
            lanes: Arc::new(Mutex::new(Some(Lanes { closing, writers, watching }))),
            db,
            clock,
            secret,
            tail: announcer.tail,
            log,
            beside,
            indexing,
        })
    }

    /// The store's clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The tasks of the arena: the bundled ones, unless [`Self::use_bank`] has named others.
    pub fn bank(&self) -> &'static Bank {
        self.bank.get().copied().unwrap_or_else(Bank::bundled)
    }

    /// Names the tasks of the arena. Only the first call has an effect.
    pub fn use_bank(&self, bank: &'static Bank) {
        let _ = self.bank.set(bank);
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

    #[boxed]
    pub(crate) async fn commit(&self, mut commit: Commit) -> Result<Committed, StoreError> {
        self.admit_to_storage(&commit)?;
        if !commit.drafts.is_empty() {
            commit.mask_names(&*self.hidings().await?);
        }
        let lane = match &commit {
            commit if commit.needs_log() => &self.log,
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

    /// Checks that the database responds.
    pub async fn check(&self) -> Result<(), StoreError> {
        Tail::head_of(&self.db).await.map(drop)
    }

    /// Writes all accepted commits and closes the database. Remaining clones return [`StoreError::Closed`].
    pub async fn close(self) {
        if let Some(mut lanes) = self.lanes.lock().await.take() {
            lanes.closing.cancel();
            let end = Instant::now() + CLOSE_TIMEOUT;
            for mut writer in lanes.writers {
                // Only an unresponsive database takes longer.
                if timeout_at(end, &mut writer).await.is_err() {
                    writer.abort();
                }
            }
            lanes.watching.shutdown().await;
        }
        self.db.close().await;
    }
}
