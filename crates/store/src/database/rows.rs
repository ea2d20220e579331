//! The rows that a statement returns.

use chrono::{DateTime, Utc};
use sqlx::{Error, Row as _, error::BoxDynError, postgres::PgRow, sqlite::SqliteRow};

/// The error of a row that is not as its reader expects.
pub(crate) type RowError = Error;

/// A row of either database.
#[derive(Clone, Copy)]
pub(crate) enum Row<'r> {
    Postgres(&'r PgRow),
    Sqlite(&'r SqliteRow),
}

impl<'r> From<&'r PgRow> for Row<'r> {
    fn from(row: &'r PgRow) -> Self {
        Self::Postgres(row)
    }
}

impl<'r> From<&'r SqliteRow> for Row<'r> {
    fn from(row: &'r SqliteRow) -> Self {
        Self::Sqlite(row)
    }
}

impl Row<'_> {
    /// A column by its name.
    pub(crate) fn get<C: Column>(self, name: &str) -> Result<C, Error> {
        C::named(self, name)
    }

    /// A column by its name; its default, where the row has no such column.
    pub(crate) fn get_or_default<C: Column + Default>(self, name: &str) -> Result<C, Error> {
        match C::named(self, name) {
            Err(Error::ColumnNotFound(_)) => Ok(C::default()),
            other => other,
        }
    }

    /// A column by its name, converted. A value that the conversion refuses is damaged.
    pub(crate) fn converted<C: Column, T: TryFrom<C, Error: Into<BoxDynError>>>(self, name: &str) -> Result<T, Error> {
        let damaged = |source: T::Error| Error::ColumnDecode { index: format!("{name:?}"), source: source.into() };
        T::try_from(C::named(self, name)?).map_err(damaged)
    }
}

/// A type of columns.
pub(crate) trait Column: Sized {
    fn named(row: Row<'_>, name: &str) -> Result<Self, Error>;
    fn at(row: Row<'_>, index: usize) -> Result<Self, Error>;
}

macro_rules! columns {
    ($($column:ty),* $(,)?) => {$(
        impl Column for $column {
            fn named(row: Row<'_>, name: &str) -> Result<Self, Error> {
                match row {
                    Row::Postgres(row) => row.try_get(name),
                    Row::Sqlite(row) => row.try_get(name),
                }
            }

            fn at(row: Row<'_>, index: usize) -> Result<Self, Error> {
                match row {
                    Row::Postgres(row) => row.try_get(index),
                    Row::Sqlite(row) => row.try_get(index),
                }
            }
        }
    )*};
}

columns!(String, i64, i32, f64, bool, Vec<u8>, DateTime<Utc>);
columns!(Option<String>, Option<i64>, Option<i32>, Option<f64>, Option<bool>, Option<Vec<u8>>, Option<DateTime<Utc>>);

/// What a row is read as: a struct with a column for each field, a tuple of columns, or one column.
pub(crate) trait FromRow: Sized {
    fn from_row(row: Row<'_>) -> Result<Self, Error>;
}

impl<C: Column> FromRow for C {
    fn from_row(row: Row<'_>) -> Result<Self, Error> {
        C::at(row, 0)
    }
}

macro_rules! tuples {
    ($(($($column:ident $index:tt),*))*) => {$(
        impl<$($column: Column),*> FromRow for ($($column,)*) {
            fn from_row(row: Row<'_>) -> Result<Self, Error> {
                Ok(($($column::at(row, $index)?,)*))
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
}

/// Reads all rows of a result, and frees each.
pub(crate) fn read_rows<R, T: FromRow>(rows: Vec<R>) -> Result<Vec<T>, Error>
where
    for<'r> Row<'r>: From<&'r R>,
{
    rows.into_iter().map(|row| T::from_row((&row).into())).collect()
}
