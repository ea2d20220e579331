//! The follower's database connection. On PostgreSQL it is outside the pool, and the follower drops it at the first query that does
//! not return in time: a connection that hangs would keep its permit in the pool.

use sqlx::{PgConnection, SqlitePool};

use crate::{
    StoreError,
    database::{Db, postgres},
};

/// The follower's connection.
pub(super) enum FollowerConnection {
    Sqlite(SqlitePool),
    Postgres(PgConnection),
}

/// `ask!(connection, |executor| body)` expands the body once for each database.
macro_rules! ask {
    ($connection:expr, |$executor:ident| $body:expr) => {
        match $connection {
            $crate::log::follower_connection::FollowerConnection::Sqlite(pool) => {
                let $executor = &*pool;
                $body
            }
            $crate::log::follower_connection::FollowerConnection::Postgres(connection) => {
                let $executor = &mut *connection;
                $body
            }
        }
    };
}
pub(super) use ask;

impl FollowerConnection {
    pub(super) async fn open(db: &Db) -> Result<Self, StoreError> {
        Ok(match db {
            Db::Sqlite { readers, .. } => Self::Sqlite(readers.clone()),
            Db::Postgres { reads: pool, .. } => Self::Postgres(postgres::open_reading(pool).await?),
        })
    }

    /// An SQL expression for the database's current time; `NULL` if the database has no clock of its own.
    pub(super) fn time(&self) -> &'static str {
        match self {
            Self::Postgres(_) => "clock_timestamp()",
            Self::Sqlite(_) => "NULL",
        }
    }
}
