//! The log's head: one row, whose lock grants the right to append.

use std::collections::{BTreeSet, HashMap};

use buildtrack_domain::log::Hash;
use chrono::{DateTime, Utc};

use super::commit_notification::CommitNotification;
use super::{consumers::Progress, postgres, sqlite};
use crate::{StoreError, database::Tx};

/// The last event's position, hash and time, to which the next event is chained.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) position: i64,
    pub(crate) hash: Hash,
    pub(crate) recorded_at: DateTime<Utc>,
}

/// A consumer's offset, and the ranges of the log that it has processed beyond the offset.
pub(crate) type StoredProgress = (i64, Vec<(i64, i64)>);

/// The state that a transaction reads at its begin, under its locks.
#[derive(Debug)]
pub(crate) struct Found {
    /// The head's position, hash and time, if the transaction holds the head's lock.
    pub(crate) head: Option<(i64, Vec<u8>, DateTime<Utc>)>,
    /// The versions of the requested streams that exist.
    pub(crate) versions: Vec<(String, i64)>,
    /// The offsets of the requested consumers.
    pub(crate) consumers: HashMap<&'static str, StoredProgress>,
}

impl Found {
    /// The head, if the transaction holds its lock.
    pub(crate) fn head(&mut self) -> Result<Option<Head>, StoreError> {
        let Some((position, hash, recorded_at)) = self.head.take() else { return Ok(None) };
        let hash =
            hash.try_into().map_err(|_| StoreError::Damaged("the log head's hash does not have 32 bytes".into()))?;
        Ok(Some(Head { position, hash, recorded_at }))
    }
}

/// Begins a transaction. If it appends or depends on streams (`streams` is given), it locks the head. It also locks the consumers.
/// On SQLite, a transaction that is not `synchronous` commits before it is on disk; only a crash of the machine can lose it.
/// PostgreSQL may crash while this process keeps running and treats the lost work as done, so there every commit is synchronous.
pub(super) async fn begin(
    tx: &mut Tx<'_>,
    synchronous: bool,
    streams: Option<&[&str]>,
    consumers: &BTreeSet<&'static str>,
) -> Result<Found, StoreError> {
    match tx {
        Tx::Postgres(connection) => postgres::begin(connection, streams, consumers).await,
        Tx::Sqlite(script) => sqlite::begin(script.connection().await?, synchronous, streams, consumers).await,
    }
}

/// The versions of those streams that exist. The caller holds the head's lock.
pub(super) async fn versions(tx: &mut Tx<'_>, streams: &[&str]) -> Result<Vec<(String, i64)>, StoreError> {
    match tx {
        Tx::Postgres(connection) => postgres::versions(connection, streams).await,
        Tx::Sqlite(script) => sqlite::versions(script.connection().await?, streams).await,
    }
}

/// Advances the consumers and, if events were written, the head, and commits. The commit sends the notification to other processes.
pub(super) async fn conclude(
    tx: &mut Tx<'_>,
    progress: &HashMap<&'static str, Progress>,
    head: Option<(&Head, &CommitNotification)>,
) -> Result<(), StoreError> {
    match tx {
        Tx::Postgres(connection) => postgres::conclude(connection, progress, head).await,
        Tx::Sqlite(script) => sqlite::conclude(script, progress, head.map(|(head, _)| head)).await,
    }
}
