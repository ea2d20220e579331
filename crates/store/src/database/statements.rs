//! Statements: a text and its values, sent to either database. What they return is read after their execution, which is compiled
//! once for each driver.

use futures_util::{FutureExt, TryStreamExt, future::BoxFuture};
use sqlx::{postgres::PgRow, query_with, sqlite::SqliteRow};

use super::{
    Db, Tx, count_read,
    rows::{FromRow, Row, read_rows},
    values::{Value, postgres, sqlite},
};
use crate::StoreError;

/// The rows of one statement.
pub(crate) enum Rows {
    Postgres(Vec<PgRow>),
    Sqlite(Vec<SqliteRow>),
}

impl Rows {
    fn read<T: FromRow>(self) -> Result<Vec<T>, StoreError> {
        Ok(match self {
            Self::Postgres(rows) => read_rows(rows)?,
            Self::Sqlite(rows) => read_rows(rows)?,
        })
    }

    fn first<T: FromRow>(self) -> Result<Option<T>, StoreError> {
        Ok(self.read()?.pop())
    }
}

/// What a statement is to return.
#[derive(Clone, Copy)]
enum Wanted {
    All,
    /// The first row; the others are not fetched.
    First,
}

/// Executes a statement and fetches rows, on a connection or a pool of either driver.
macro_rules! fetched {
    ($text:expr, $arguments:expr, $on:expr, $is_remembered:expr, $wanted:expr) => {{
        let query = query_with($text, $arguments).persistent($is_remembered);
        match $wanted {
            Wanted::All => query.fetch_all($on).await?,
            Wanted::First => query.fetch_optional($on).await?.into_iter().collect(),
        }
    }};
}

/// Hands the rows of a statement to `take`, until it wants no more.
macro_rules! handed_over {
    ($text:expr, $arguments:expr, $on:expr, $take:expr) => {{
        let mut rows = query_with($text, $arguments).fetch($on);
        while let Some(row) = rows.try_next().await? {
            if !$take(Row::from(&row))? {
                break;
            }
        }
    }};
}

/// Takes a row, and returns whether it wants another.
type Take<'t> = dyn FnMut(Row<'_>) -> Result<bool, sqlx::Error> + Send + 't;

impl Db {
    fn rows<'s>(
        &'s self,
        text: &'s str,
        values: &'s [Value<'s>],
        is_remembered: bool,
        wanted: Wanted,
    ) -> BoxFuture<'s, Result<Rows, StoreError>> {
        count_read();
        async move {
            Ok(match self {
                Self::Postgres { reads, .. } => {
                    Rows::Postgres(fetched!(text, postgres(values)?, reads, is_remembered, wanted))
                }
                Self::Sqlite { readers, .. } => {
                    Rows::Sqlite(fetched!(text, sqlite(values)?, readers, is_remembered, wanted))
                }
            })
        }
        .boxed()
    }

    /// All rows that a statement returns. Counts one statement.
    pub(crate) async fn all<T: FromRow>(&self, text: &str, values: &[Value<'_>]) -> Result<Vec<T>, StoreError> {
        self.rows(text, values, true, Wanted::All).await?.read()
    }

    /// As [`Self::all`], for a text whose parameters vary in number: it is not remembered as a prepared statement.
    pub(crate) async fn all_of_varying<T: FromRow>(
        &self,
        text: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<T>, StoreError> {
        self.rows(text, values, false, Wanted::All).await?.read()
    }

    /// The first row that a statement returns, if it returns one. Counts one statement.
    pub(crate) async fn optional<T: FromRow>(&self, text: &str, values: &[Value<'_>]) -> Result<Option<T>, StoreError> {
        self.rows(text, values, true, Wanted::First).await?.first()
    }

    /// The first row of a statement that always returns one. Counts one statement.
    pub(crate) async fn one<T: FromRow>(&self, text: &str, values: &[Value<'_>]) -> Result<T, StoreError> {
        self.optional(text, values).await?.ok_or(StoreError::Database(sqlx::Error::RowNotFound))
    }

    /// The rows that a statement returns, read until their sizes exceed `bytes`, but at least two. Counts one statement.
    pub(crate) async fn within_bytes<T: FromRow + Send>(
        &self,
        text: &str,
        values: &[Value<'_>],
        bytes: usize,
        size: impl Fn(&T) -> usize + Send + Sync,
    ) -> Result<Vec<T>, StoreError> {
        let (mut taken, mut read) = (Vec::new(), 0);
        let take = &mut |row: Row<'_>| {
            let row = T::from_row(row)?;
            read += size(&row);
            taken.push(row);
            Ok(read <= bytes || taken.len() < 2)
        };
        self.each(text, values, take).await?;
        Ok(taken)
    }

    /// Hands over the rows that a statement returns, one by one, until `take` wants no more.
    fn each<'s>(
        &'s self,
        text: &'s str,
        values: &'s [Value<'s>],
        take: &'s mut Take<'_>,
    ) -> BoxFuture<'s, Result<(), StoreError>> {
        count_read();
        async move {
            match self {
                Self::Postgres { reads, .. } => handed_over!(text, postgres(values)?, reads, take),
                Self::Sqlite { readers, .. } => handed_over!(text, sqlite(values)?, readers, take),
            }
            Ok(())
        }
        .boxed()
    }
}

impl Tx<'_> {
    fn rows<'s>(
        &'s mut self,
        text: &'s str,
        values: &'s [Value<'s>],
        wanted: Wanted,
    ) -> BoxFuture<'s, Result<Rows, StoreError>> {
        async move {
            Ok(match self {
                Self::Postgres(connection) => {
                    Rows::Postgres(fetched!(text, postgres(values)?, &mut **connection, true, wanted))
                }
                Self::Sqlite(script) => {
                    Rows::Sqlite(fetched!(text, sqlite(values)?, script.connection().await?, true, wanted))
                }
            })
        }
        .boxed()
    }

    /// All rows that a statement returns.
    pub(crate) async fn all<T: FromRow>(&mut self, text: &str, values: &[Value<'_>]) -> Result<Vec<T>, StoreError> {
        self.rows(text, values, Wanted::All).await?.read()
    }

    /// The first row that a statement returns, if it returns one.
    pub(crate) async fn optional<T: FromRow>(
        &mut self,
        text: &str,
        values: &[Value<'_>],
    ) -> Result<Option<T>, StoreError> {
        self.rows(text, values, Wanted::First).await?.first()
    }

    /// The first row of a statement that always returns one.
    pub(crate) async fn one<T: FromRow>(&mut self, text: &str, values: &[Value<'_>]) -> Result<T, StoreError> {
        self.optional(text, values).await?.ok_or(StoreError::Database(sqlx::Error::RowNotFound))
    }

    /// Executes a statement, and returns the number of rows that it changed.
    pub(crate) fn execute<'s>(
        &'s mut self,
        text: &'s str,
        values: &'s [Value<'s>],
    ) -> BoxFuture<'s, Result<u64, StoreError>> {
        async move {
            Ok(match self {
                Self::Postgres(connection) => {
                    query_with(text, postgres(values)?).execute(&mut **connection).await?.rows_affected()
                }
                Self::Sqlite(script) => {
                    query_with(text, sqlite(values)?).execute(script.connection().await?).await?.rows_affected()
                }
            })
        }
        .boxed()
    }
}
