//! The log's head: one row, whose lock is the right to append.

use std::collections::{BTreeSet, HashMap};

use buildtrack_domain::log::Hash;
use chrono::{DateTime, Utc};

use super::news::News;
use crate::{StoreError, consumers::Progress, db::Tx, postgres, sqlite};

/// The last event, as the next one follows it.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) position: i64,
    pub(crate) hash: Hash,
    pub(crate) recorded_at: DateTime<Utc>,
}

/// Where a consumer stands, and the stretches of the log that it has dealt with beyond.
pub(crate) type Standing = (i64, Vec<(i64, i64)>);

/// What a transaction begins with, as its locks' last holders left it.
#[derive(Debug)]
pub(crate) struct Found {
    /// Where it holds the head: position, hash and time of the last event.
    pub(crate) head: Option<(i64, Vec<u8>, DateTime<Utc>)>,
    /// The version of each stream that was asked for and is there.
    pub(crate) versions: Vec<(String, i64)>,
    /// Where each consumer stands that was asked for.
    pub(crate) consumers: HashMap<&'static str, Standing>,
}

impl Found {
    /// The head, where it is held.
    pub(crate) fn head(&mut self) -> Result<Option<Head>, StoreError> {
        let Some((position, hash, recorded_at)) = self.head.take() else { return Ok(None) };
        let hash = hash.try_into().map_err(|_| StoreError::Damaged("the head's hash has not 32 bytes".into()))?;
        Ok(Some(Head { position, hash, recorded_at }))
    }
}

/// Begins a transaction. Where it is to append or rests on streams, it holds the head's lock; the consumers are its own. On
/// SQLite, one that is not `synchronous` is committed before it is on the disk: only the machine's end can undo that.
/// PostgreSQL may fall while this process goes on, which then remembers what is lost as done; so it always waits.
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

/// The versions of those of the streams that are there, where the head is held.
pub(super) async fn versions(tx: &mut Tx<'_>, streams: &[&str]) -> Result<Vec<(String, i64)>, StoreError> {
    match tx {
        Tx::Postgres(connection) => postgres::versions(connection, streams).await,
        Tx::Sqlite(script) => sqlite::versions(script.connection().await?, streams).await,
    }
}

/// Moves the consumers on and, where events were written, the head, and commits. With the commit, other processes are told
/// the news of it.
pub(super) async fn conclude(
    tx: &mut Tx<'_>,
    progress: &HashMap<&'static str, Progress>,
    head: Option<(&Head, &News)>,
) -> Result<(), StoreError> {
    match tx {
        Tx::Postgres(connection) => postgres::conclude(connection, progress, head).await,
        Tx::Sqlite(script) => sqlite::conclude(script, progress, head.map(|(head, _)| head)).await,
    }
}
