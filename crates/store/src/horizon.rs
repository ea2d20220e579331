//! How far a list looks for what its filters let through.
//!
//! A filter that lets little through would have a read look at every row. **Invariant:** a filtered list looks at a bounded
//! number of rows, and says where the next page goes on.

use crate::{
    Sort, StoreError,
    db::{Db, read},
};

/// Rows that a list looks at where its filters compare columns.
const ROWS: i64 = 5000;
/// Rows that a list looks at where it searches their text, of up to 20 000 characters each.
const TEXTS: i64 = 500;

/// The entries that a list found, and where it stopped looking.
#[derive(Debug, Clone)]
pub struct Listed<T> {
    /// What it found.
    pub rows: Vec<T>,
    /// Where it stopped before the end, as a position that the next page begins beyond; none where it saw the end.
    pub looked_to: Option<i64>,
}

/// What a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Nothing: each row that it looks at is in the list.
    Directly,
    /// Columns.
    ThroughColumns,
    /// Texts.
    ThroughTexts,
}

impl Looks {
    pub(crate) fn of(columns: bool, texts: bool) -> Self {
        if texts {
            Self::ThroughTexts
        } else if columns {
            Self::ThroughColumns
        } else {
            Self::Directly
        }
    }

    fn rows(self) -> Option<i64> {
        match self {
            Self::Directly => None,
            Self::ThroughColumns => Some(ROWS),
            Self::ThroughTexts => Some(TEXTS),
        }
    }

    /// The last position of `table` that a list looks at which begins beyond `from`; none where it sees the end. `within`
    /// narrows the table down by an index to the rows of which the given column has this value.
    pub(crate) async fn horizon(
        self,
        db: &Db,
        (table, sort): (&str, Sort),
        from: Option<i64>,
        within: Option<(&str, &str)>,
    ) -> Result<Option<i64>, StoreError> {
        let Some(rows) = self.rows() else { return Ok(None) };
        let (column, order) = sort.column();
        let beyond = if order == "ASC" { ">" } else { "<" };
        let condition = within.map_or(String::new(), |(column, _)| format!("AND {column} = $3"));
        let statement = format!(
            "SELECT {column} FROM {table} WHERE (CAST($1 AS BIGINT) IS NULL OR {column} {beyond} $1) {condition} \
             ORDER BY {column} {order} LIMIT 1 OFFSET $2"
        );
        Ok(read!(db, |pool| {
            let query = sqlx::query_scalar(&statement).bind(from).bind(rows - 1);
            let query = match within {
                Some((_, value)) => query.bind(value),
                None => query,
            };
            query.fetch_optional(pool).await?
        }))
    }
}
