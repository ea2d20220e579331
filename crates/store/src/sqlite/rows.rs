//! Many rows in one statement, by few and always the same statements: each is prepared once, and each costs a way to
//! SQLite's thread and back.

use std::iter::repeat_n;

use sqlx::{QueryBuilder, Sqlite, query_builder::Separated};

/// The most rows a statement, a power of two.
const ROWS: usize = 256;

/// One row, to which its columns are bound.
pub(super) type Row<'q, 'r> = Separated<'q, 'r, Sqlite, &'static str>;

/// Rows for one statement each.
pub(super) fn chunks<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    rows.chunks(ROWS)
}

/// Appends `VALUES` with these rows, filled up to a power of two with rows of NULLs.
pub(super) fn push_rows<'r, T>(
    query: &mut QueryBuilder<'r, Sqlite>,
    columns: usize,
    rows: &'r [T],
    bind: impl Fn(&mut Row<'_, 'r>, &'r T),
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

/// Inserts these rows into `into`: a table with that many columns, of which the first is never NULL.
///
/// `OR FAIL`, because whoever writes rolls the whole transaction back when a statement fails: SQLite then keeps no journal
/// of its own for the statement, which would take half as long again.
pub(super) fn insert<'r, T>(
    into: &str,
    columns: usize,
    rows: &'r [T],
    bind: impl Fn(&mut Row<'_, 'r>, &'r T),
) -> QueryBuilder<'r, Sqlite> {
    let mut query = QueryBuilder::new("INSERT OR FAIL INTO ");
    query.push(into).push(" SELECT * FROM (");
    push_rows(&mut query, columns, rows, bind);
    query.push(") WHERE column1 IS NOT NULL");
    query
}
