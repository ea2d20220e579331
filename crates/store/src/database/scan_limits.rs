//! Scan limits of filtered lists.
//!
//! A filter that matches few rows could make a query read a whole table. **Invariant:** a filtered list reads a bounded number of
//! rows in one request, and returns the position at which the next page continues.

use super::{Db, read, sort::Sort};
use crate::StoreError;

/// The scan limit of a list that filters by columns, in rows.
const ROWS: i64 = 5000;
/// The scan limit of a list that searches texts of up to 20 000 characters each, in rows.
const TEXTS: i64 = 500;

/// A page of a list, with the position at which the scan stopped.
#[derive(Debug, Clone)]
pub struct Listed<T> {
    /// The matching rows.
    pub rows: Vec<T>,
    /// The position after which the next page begins, if the scan stopped before the end; `None` if it reached the end.
    pub looked_to: Option<i64>,
}

/// How a filter examines rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanLimit {
    /// No filter: every row that is read belongs to the list.
    Directly,
    /// The filter compares columns.
    ThroughColumns,
    /// The filter searches texts.
    ThroughTexts,
}

impl ScanLimit {
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

    /// The last position of `table` that a scan after `from` reads; `None` if the scan reaches the end. `within` restricts the
    /// scan, through an index, to rows whose column has the given value.
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
