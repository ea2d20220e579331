//! The follower's own way to the database. On PostgreSQL it is a connection outside the pool, which is given up with the first
//! look that is not answered in time: one that fell silent would keep its place in the pool.

use sqlx::{PgConnection, SqlitePool};

use crate::{StoreError, db::Db, postgres};

/// See the module.
pub(super) enum Line {
    Sqlite(SqlitePool),
    Postgres(PgConnection),
}

/// `ask!(line, |executor| body)`: the body once for each database.
macro_rules! ask {
    ($line:expr, |$executor:ident| $body:expr) => {
        match $line {
            $crate::log::line::Line::Sqlite(pool) => {
                let $executor = &*pool;
                $body
            }
            $crate::log::line::Line::Postgres(connection) => {
                let $executor = &mut *connection;
                $body
            }
        }
    };
}
pub(super) use ask;

impl Line {
    pub(super) async fn open(db: &Db) -> Result<Self, StoreError> {
        Ok(match db {
            Db::Sqlite { readers, .. } => Self::Sqlite(readers.clone()),
            Db::Postgres { reads: pool, .. } => Self::Postgres(postgres::open_reading(pool).await?),
        })
    }

    /// How the database tells the time, where it has a clock of its own.
    pub(super) fn time(&self) -> &'static str {
        match self {
            Self::Postgres(_) => "clock_timestamp()",
            Self::Sqlite(_) => "NULL",
        }
    }
}
