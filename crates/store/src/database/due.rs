//! Pages of due rows, ordered by due time. **Invariant:** an unreadable row does not keep other rows from being returned.

use chrono::{DateTime, Utc};

use super::{Db, Value};
use crate::StoreError;

/// A due row with its key.
#[derive(Debug)]
pub struct Due<T> {
    /// The row's key, which is available even if the rest of the row is unreadable.
    pub key: String,
    /// When the row became due.
    pub due_at: DateTime<Utc>,
    /// The row's content.
    pub item: Result<T, StoreError>,
}

/// The last row of a page, after which the next page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueCursor {
    due_at: DateTime<Utc>,
    key: String,
}

impl<T> Due<T> {
    /// The cursor for the page after this row.
    pub fn cursor(&self) -> DueCursor {
        DueCursor { due_at: self.due_at, key: self.key.clone() }
    }
}

impl Db {
    /// Up to `limit` rows that are due by `now`, after a cursor: each row's due time, its key, and another column. `select` must select
    /// these columns with the condition `due_at <= $1`, and must have no order.
    pub(crate) async fn due(
        &self,
        now: DateTime<Utc>,
        select: &str,
        after: Option<DueCursor>,
        limit: i64,
    ) -> Result<Vec<(DateTime<Utc>, String, String)>, StoreError> {
        let beyond = if after.is_some() { "AND (due_at > $3 OR due_at = $3 AND id > $4)" } else { "" };
        let statement = format!("{select} {beyond} ORDER BY due_at, id LIMIT $2");
        let mut values = vec![Value::from(now), limit.into()];
        if let Some(DueCursor { due_at, key }) = after {
            values.extend([due_at.into(), key.into()]);
        }
        self.all(&statement, &values).await
    }
}
