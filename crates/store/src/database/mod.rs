//! A common interface to SQLite and PostgreSQL: connections, and statements that are compiled once.

pub(crate) mod columns;
mod dialect;
mod digests;
mod due;
mod migrations;
pub(crate) mod postgres;
mod reads;
pub(crate) mod rows;
mod scan_limits;
mod server_lock;
mod sort;
pub(crate) mod sqlite;
mod statements;
mod values;

pub(crate) use buildtrack_macros::FromRow;
pub(crate) use dialect::Dialect;
pub use digests::TableDigest;
pub(crate) use digests::digest;
pub use due::{Due, DueCursor};
pub(crate) use reads::count_read;
pub use reads::counting_reads;
pub(crate) use rows::{FromRow, Row, RowError};
pub use scan_limits::Listed;
pub(crate) use scan_limits::{ScanLimit, Window};
pub use server_lock::{ServerLock, make_private_folder};
pub use sort::Sort;
pub(crate) use values::{Value, values};

use sqlx::{
    ConnectOptions, Connection, PgConnection, Sqlite, SqliteConnection, SqlitePool, pool::PoolConnection,
    sqlite::SqliteConnectOptions,
};

use self::postgres::Pool;
use crate::StoreError;

/// The location of a store's database.
#[derive(Debug, Clone)]
pub enum Database {
    /// A SQLite file.
    Sqlite(std::path::PathBuf),
    /// A `postgres://` address.
    Postgres(String),
}

/// Open connections.
#[derive(Debug, Clone)]
pub(crate) enum Db {
    /// Pools of connections that read.
    Postgres {
        /// For all reads.
        reads: Pool,
        /// For the few statements that consumers of the log run all day, with generic plans.
        frequent: Pool,
    },
    /// A file, and a pool of readers.
    Sqlite {
        /// The options for opening a writing connection.
        options: Box<SqliteConnectOptions>,
        /// Read-only connections.
        readers: SqlitePool,
    },
}

/// A writing connection, usually within a transaction.
pub(crate) enum Tx<'t> {
    Postgres(&'t mut PgConnection),
    Sqlite(sqlite::Script<'t>),
}

impl Db {
    /// The database system's name in traces.
    pub(crate) fn system(&self) -> &'static str {
        match self {
            Self::Postgres { .. } => "postgresql",
            Self::Sqlite { .. } => "sqlite",
        }
    }

    /// Opens the database and migrates its schema. Several processes may do so at once.
    pub(crate) async fn open(database: &Database) -> Result<Self, StoreError> {
        match database {
            Database::Sqlite(path) => sqlite::open(path).await,
            Database::Postgres(url) => postgres::open(url).await,
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Postgres { reads, frequent } => {
                reads.close();
                frequent.close();
            }
            Self::Sqlite { options, readers } => {
                readers.close().await;
                // SQLite checkpoints the write-ahead log when the last writing connection closes. A read-only connection cannot do
                // so.
                match options.connect().await {
                    Ok(connection) => Writing::Sqlite(connection).close().await,
                    Err(error) => tracing::warn!(%error, "the write-ahead log remains beside the database"),
                }
            }
        }
    }
}

/// A dedicated connection outside the pool. The writer keeps it from batch to batch. Rebuild and verification use one so that they
/// do not block pooled connections.
pub(crate) enum Writing {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

impl Writing {
    pub(crate) async fn open(db: &Db) -> Result<Self, StoreError> {
        Ok(match db {
            Db::Postgres { reads: pool, .. } => Self::Postgres(postgres::open_writing(pool).await?),
            Db::Sqlite { options, .. } => Self::Sqlite(options.connect().await?),
        })
    }

    pub(crate) fn tx(&mut self) -> Tx<'_> {
        match self {
            Self::Postgres(connection) => Tx::Postgres(connection),
            Self::Sqlite(connection) => Tx::Sqlite(sqlite::Script::new(connection)),
        }
    }

    /// Closes the connection, and waits until it is closed.
    pub(crate) async fn close(self) {
        let closed = match self {
            Self::Postgres(connection) => connection.close().await,
            Self::Sqlite(connection) => connection.close().await,
        };
        if let Err(error) = closed {
            tracing::debug!(%error, "closing a connection failed");
        }
    }
}

/// A connection that a continuous reader keeps. Returning it to the pool after each query would cost a round trip, because the pool
/// checks returned connections.
pub(crate) enum Reading {
    Postgres(Pool),
    Sqlite(PoolConnection<Sqlite>),
}

impl Reading {
    pub(crate) async fn open(db: &Db) -> Result<Self, StoreError> {
        Ok(match db {
            Db::Postgres { reads: pool, .. } => Self::Postgres(pool.clone()),
            Db::Sqlite { readers, .. } => Self::Sqlite(readers.acquire().await?),
        })
    }
}

impl Tx<'_> {
    /// Executes pending statements.
    pub(crate) async fn flush(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Postgres(_) => Ok(()),
            Self::Sqlite(script) => script.flush().await,
        }
    }

    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        self.execute("COMMIT", &[]).await.map(drop)
    }

    pub(crate) async fn rollback(&mut self) -> Result<(), StoreError> {
        if let Self::Sqlite(script) = self {
            script.clear();
        }
        self.execute("ROLLBACK", &[]).await.map(drop)
    }
}

/// A list of texts, stored as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

impl TryFrom<String> for Texts {
    type Error = serde_json::Error;

    fn try_from(text: String) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&text).map(Self)
    }
}
