//! Two databases behind one name, and the macros that write a body once for both.

use sqlx::{PgConnection, PgPool, SqliteConnection, SqlitePool};

use crate::{StoreError, postgres, sqlite};

/// Where a store lives.
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
    /// A pool.
    Postgres(PgPool),
    /// One connection that writes, and a pool of readers.
    Sqlite {
        /// Exactly one connection: SQLite has one writer.
        writer: SqlitePool,
        /// Read-only connections.
        readers: SqlitePool,
    },
}

/// An open transaction, or a connection on the way to one.
pub(crate) enum Tx<'t> {
    Postgres(&'t mut PgConnection),
    Sqlite(&'t mut SqliteConnection),
}

/// `read!(db, |connection| body)`: the body once for each database, with a pool to read from.
macro_rules! read {
    ($db:expr, |$pool:ident| $body:expr) => {
        match $db {
            $crate::db::Db::Postgres($pool) => $body,
            $crate::db::Db::Sqlite { readers: $pool, .. } => $body,
        }
    };
}
pub(crate) use read;

/// `write!(tx, |connection| body)`: the body once for each database, with the transaction's connection.
macro_rules! within {
    ($tx:expr, |$connection:ident| $body:expr) => {
        match $tx {
            $crate::db::Tx::Postgres($connection) => {
                let $connection = &mut **$connection;
                $body
            }
            $crate::db::Tx::Sqlite($connection) => {
                let $connection = &mut **$connection;
                $body
            }
        }
    };
}
pub(crate) use within;

/// `execute!(tx, "SQL", bind, …)`: runs one statement and gives the number of rows it touched.
macro_rules! execute {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::db::within!($tx, |connection| {
            sqlx::query($sql)$(.bind($bind))*.execute(connection).await?.rows_affected()
        })
    };
}
pub(crate) use execute;

impl Db {
    /// Opens the database and brings its schema up to date, safely while others do the same.
    pub(crate) async fn open(database: &Database) -> Result<Self, StoreError> {
        match database {
            Database::Sqlite(path) => sqlite::open(path).await,
            Database::Postgres(url) => postgres::open(url).await,
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Postgres(pool) => pool.close().await,
            Self::Sqlite { writer, readers } => {
                readers.close().await;
                writer.close().await;
            }
        }
    }
}

/// A connection that writes, kept from batch to batch.
pub(crate) enum Writing {
    Postgres(sqlx::pool::PoolConnection<sqlx::Postgres>),
    Sqlite(sqlx::pool::PoolConnection<sqlx::Sqlite>),
}

impl Writing {
    pub(crate) async fn acquire(db: &Db) -> Result<Self, StoreError> {
        Ok(match db {
            Db::Postgres(pool) => Self::Postgres(pool.acquire().await?),
            Db::Sqlite { writer, .. } => Self::Sqlite(writer.acquire().await?),
        })
    }

    pub(crate) fn tx(&mut self) -> Tx<'_> {
        match self {
            Self::Postgres(connection) => Tx::Postgres(connection),
            Self::Sqlite(connection) => Tx::Sqlite(connection),
        }
    }

    /// Gives a connection up whose state is not known.
    pub(crate) fn discard(self) {
        match self {
            Self::Postgres(connection) => drop(connection.detach()),
            Self::Sqlite(connection) => drop(connection.detach()),
        }
    }
}

impl Tx<'_> {
    pub(crate) async fn begin(&mut self) -> Result<(), StoreError> {
        // A deferred SQLite transaction that later writes fails at once where another holds the lock.
        match self {
            Self::Postgres(connection) => sqlx::query("BEGIN").execute(&mut **connection).await.map(drop)?,
            Self::Sqlite(connection) => sqlx::query("BEGIN IMMEDIATE").execute(&mut **connection).await.map(drop)?,
        }
        Ok(())
    }

    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        execute!(self, "COMMIT");
        Ok(())
    }

    pub(crate) async fn rollback(&mut self) -> Result<(), StoreError> {
        execute!(self, "ROLLBACK");
        Ok(())
    }
}

/// A list of texts, stored as a JSON text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

impl TryFrom<String> for Texts {
    type Error = serde_json::Error;

    fn try_from(text: String) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&text).map(Self)
    }
}
