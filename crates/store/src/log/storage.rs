//! Storage limits: the server refuses writes while too little disk space is free or the database is too large. Reads continue, and
//! so do writes that free storage or protect people.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use buildtrack_domain::event::Fact;
use tokio::time::{Instant, interval};

use super::{Log, commit::Commit};
use crate::{StoreError, database::Db};

/// How long a measurement of free space is valid, and how long the server refuses writes after the database reported a full disk.
const FRESH: Duration = Duration::from_secs(1);
const FULL: Duration = Duration::from_secs(10);
/// How often PostgreSQL is asked for the database's size, which is expensive to compute.
const MEASURED: Duration = Duration::from_secs(10);

/// Limits beyond which the server refuses writes.
#[derive(Debug, Clone, Default)]
pub struct StorageLimits {
    /// A directory, and how many bytes of its file system must stay free.
    pub floor: Option<(PathBuf, u64)>,
    /// The largest size of the database in bytes, on PostgreSQL.
    pub ceiling: Option<u64>,
}

/// The state of the storage limits. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Storage(Arc<State>);

#[derive(Debug, Default)]
struct State {
    limits: OnceLock<StorageLimits>,
    look: Mutex<Look>,
    /// Whether the database exceeds its largest size.
    is_large: AtomicBool,
}

#[derive(Debug, Default)]
struct Look {
    at: Option<Instant>,
    is_low: bool,
    full_until: Option<Instant>,
    /// The number of free bytes that a test has set.
    pretended: Option<u64>,
}

impl Storage {
    /// Whether writes are refused because storage is low. Asks the file system at most once a second.
    pub fn is_low(&self) -> bool {
        let mut look = self.0.look.lock().unwrap_or_else(PoisonError::into_inner);
        if look.pretended.is_some() || look.at.is_none_or(|at| at.elapsed() >= FRESH) {
            let is_low = self.is_below_the_floor(look.pretended);
            let was_low = std::mem::replace(&mut look.is_low, is_low);
            look.at = Some(Instant::now());
            if look.is_low && !was_low {
                tracing::error!("storage is low: writes are refused, except those that free storage");
            }
        }
        let is_full = look.full_until.is_some_and(|until| until > Instant::now());
        let is_low = look.is_low || is_full || self.0.is_large.load(Ordering::Relaxed);
        metrics::gauge!("buildtrack_storage_low").set(f64::from(u8::from(is_low)));
        is_low
    }

    /// Sets the number of free bytes for a test.
    pub fn pretend_free(&self, bytes: Option<u64>) {
        let mut look = self.0.look.lock().unwrap_or_else(PoisonError::into_inner);
        (look.pretended, look.at) = (bytes, None);
    }

    /// Records that the database reported a full disk.
    pub(crate) fn was_full(&self) {
        self.0.look.lock().unwrap_or_else(PoisonError::into_inner).full_until = Some(Instant::now() + FULL);
    }

    fn is_below_the_floor(&self, pretended: Option<u64>) -> bool {
        let Some((directory, floor)) = self.0.limits.get().and_then(|limits| limits.floor.as_ref()) else {
            return false;
        };
        let asked = || rustix::fs::statvfs(directory).map(|found| found.f_bavail.saturating_mul(found.f_frsize));
        // If the file system cannot be queried, writes are allowed. A full disk makes the write itself fail.
        let Ok(free) = pretended.map_or_else(asked, Ok) else { return false };
        #[expect(clippy::cast_precision_loss, reason = "exact up to 8 PiB")]
        metrics::gauge!("buildtrack_storage_free_bytes").set(free as f64);
        free < *floor
    }
}

impl Log {
    /// The state of the storage limits.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Refuses writes from now on while storage is low. Only the first call has an effect.
    pub fn limit_storage(&self, limits: StorageLimits) {
        let ceiling = limits.ceiling.filter(|_| matches!(self.db, Db::Postgres { .. }));
        if self.storage.0.limits.set(limits).is_ok()
            && let Some(ceiling) = ceiling
        {
            let (db, storage, closing) = (self.db.clone(), self.storage.clone(), self.closing.clone());
            tokio::spawn(async move { closing.run_until_cancelled(measure(&db, &storage, ceiling)).await });
        }
    }

    /// Refuses a commit while storage is low.
    pub(crate) fn admit_to_storage(&self, commit: &Commit) -> Result<(), StoreError> {
        if !self.storage.is_low() || is_essential(commit) {
            return Ok(());
        }
        metrics::counter!("buildtrack_refused_total", "reason" => "storage_low").increment(1);
        Err(StoreError::StorageLow)
    }
}

async fn measure(db: &Db, storage: &Storage, ceiling: u64) {
    let mut ticks = interval(MEASURED);
    loop {
        ticks.tick().await;
        match size(db).await {
            Ok(size) => {
                let is_large = size > ceiling;
                if is_large && !storage.0.is_large.swap(is_large, Ordering::Relaxed) {
                    tracing::error!(
                        size,
                        ceiling,
                        "the database is too large: writes are refused, except those that free storage"
                    );
                }
                storage.0.is_large.store(is_large, Ordering::Relaxed);
            }
            Err(error) => tracing::warn!(%error, "reading the database's size failed"),
        }
    }
}

async fn size(db: &Db) -> Result<u64, StoreError> {
    let size: i64 = db.one("SELECT pg_database_size(current_database())", &[]).await?;
    Ok(size.unsigned_abs())
}

/// Whether a commit is allowed while storage is low: it frees storage, completes existing work, ends something that a person must
/// be able to end, or signs in the people who do so. Contexts declare it of their events as [`Fact::Essential`], and in the rules of
/// their changes to side tables.
pub(crate) fn is_essential(commit: &Commit) -> bool {
    commit.drafts.iter().any(|draft| draft.event.is(Fact::Essential) || draft.event.is(Fact::Redacts))
        || commit.drafts.is_empty() && commit.side_changes.iter().all(|change| change.rule().is_essential)
}
