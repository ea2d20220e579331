//! Multi-row statements with few distinct SQL texts, so that SQLite can cache the prepared statements.

use std::iter::repeat_n;

use sqlx::{QueryBuilder, Sqlite, query_builder::Separated};

/// The most rows in one statement, a power of two.
const ROWS: usize = 256;

/// One row, to which the caller binds its columns.
pub(crate) type Row<'q> = Separated<'q, 'static, Sqlite, &'static str>;

/// Splits rows into groups, one for each statement.
pub(crate) fn chunks<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    rows.chunks(ROWS)
}

/// Appends `VALUES` with these rows, padded to a power of two with rows of NULLs.
pub(crate) fn push_rows<T>(
    query: &mut QueryBuilder<'static, Sqlite>,
    columns: usize,
    rows: &[T],
    bind: impl Fn(&mut Row<'_>, &T),
) {
    let filling = rows.len().next_power_of_two() - rows.len();
    query.push_values(rows.iter().map(Some).chain(repeat_n(None, filling)), |mut row, item| match item {
        Some(item) => bind(&mut row, item),
        None => {
            for _ in 0..columns {
                row.push_bind(None::<i64>);
            }
        }
    });
}
