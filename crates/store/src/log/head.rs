//! The log's head: one row, whose lock is the right to append.

use std::collections::HashMap;

use buildtrack_domain::log::Hash;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    db::{Tx, execute},
    postgres, sqlite,
};

/// The last event, as the next one follows it.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) position: i64,
    pub(crate) hash: Hash,
    pub(crate) recorded_at: DateTime<Utc>,
}

/// The head's row, with one stream's version beside it, or none.
pub(crate) type HeadRow = (i64, Vec<u8>, DateTime<Utc>, Option<String>, Option<i64>);

/// Begins a transaction that holds the head's lock.
pub(super) async fn begin_locked(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    match tx {
        Tx::Postgres(connection) => postgres::begin_locked(connection).await,
        // BEGIN IMMEDIATE takes the database's one write lock.
        Tx::Sqlite(_) => tx.begin().await,
    }
}

/// The head and the versions of streams; a stream that is not there is missing in the answer. The lock was taken by a
/// statement before this one, so that this one sees what its last holder wrote.
pub(super) async fn read(tx: &mut Tx<'_>, streams: &[&str]) -> Result<(Head, HashMap<String, i64>), StoreError> {
    let rows = match tx {
        Tx::Postgres(connection) => postgres::head_and_versions(connection, streams).await?,
        Tx::Sqlite(connection) => sqlite::head_and_versions(connection, streams).await?,
    };
    let mut head = None;
    let mut versions = HashMap::with_capacity(rows.len());
    for (position, hash, recorded_at, stream, version) in rows {
        head = Some((position, hash, recorded_at));
        versions.extend(stream.zip(version));
    }
    let (position, hash, recorded_at) = head.ok_or_else(|| StoreError::Damaged("the log has no head".into()))?;
    let hash = hash.try_into().map_err(|_| StoreError::Damaged("the head's hash has not 32 bytes".into()))?;
    Ok((Head { position, hash, recorded_at }, versions))
}

/// Moves the head on and commits; with the commit, other processes are told by `notice`.
pub(super) async fn advance_and_commit(tx: &mut Tx<'_>, head: &Head, notice: &str) -> Result<(), StoreError> {
    match tx {
        Tx::Postgres(connection) => postgres::advance_and_commit(connection, head, notice).await,
        Tx::Sqlite(_) => {
            execute!(
                tx,
                "UPDATE log_head SET position = $1, hash = $2, recorded_at = $3",
                head.position,
                &head.hash[..],
                head.recorded_at,
            );
            tx.commit().await
        }
    }
}
