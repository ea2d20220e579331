//! Many rows in one statement, by few texts: what is prepared is kept for the next time.

use std::iter::repeat_n;

use sqlx::{QueryBuilder, Sqlite, query_builder::Separated};

/// The most rows a statement, a power of two.
const ROWS: usize = 256;

/// One row, to which its columns are bound.
pub(super) type Row<'q> = Separated<'q, 'static, Sqlite, &'static str>;

/// Rows for one statement each.
pub(super) fn chunks<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    rows.chunks(ROWS)
}

/// Appends `VALUES` with these rows, filled up to a power of two with rows of NULLs.
pub(super) fn push_rows<T>(
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
