//! Scan limits of filtered lists.
//!
//! A filter that matches few rows could make a query read a whole table. **Invariant:** a filtered list reads a bounded number of
//! rows in one request, and returns the position at which the next page continues.

use super::{Db, Value, sort::Sort};
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
    pub scanned_to: Option<i64>,
}

/// The part of a list that a page is taken from: positions between two exclusive bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    /// The exclusive lower bound.
    pub(crate) after: Option<i64>,
    /// The exclusive upper bound.
    pub(crate) before: Option<i64>,
    /// Whether the newest comes first.
    pub(crate) descending: bool,
}

impl Window {
    /// The part that one request may scan, and the position at which the next page continues unless this one reaches the end.
    /// `within` is the indexed column of the list, and its value.
    pub(crate) async fn scanned(
        self,
        scan_limit: ScanLimit,
        db: &Db,
        table: &str,
        within: (&str, &str),
    ) -> Result<(Self, Option<i64>), StoreError> {
        let (sort, from) = if self.descending { (Sort::Newest, self.before) } else { (Sort::Oldest, self.after) };
        let until = scan_limit.last_scanned(db, (table, sort), from, Some(within)).await?;
        let window = match until {
            None => self,
            Some(until) if self.descending => Self { after: self.after.max(Some(until - 1)), ..self },
            Some(until) => Self { before: Some(self.before.unwrap_or(i64::MAX).min(until + 1)), ..self },
        };
        Ok((window, until))
    }
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
    pub(crate) async fn last_scanned(
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
        let mut values = vec![Value::from(from), (rows - 1).into()];
        values.extend(within.map(|(_, value)| value.into()));
        db.optional(&statement, &values).await
    }
}
