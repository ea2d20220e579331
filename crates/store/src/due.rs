//! What is due, page by page, in the order of its time. **Invariant:** a row that cannot be read stands for itself: it keeps no
//! other from being found.

use chrono::{DateTime, Utc};

use crate::{Store, StoreError, db::read};

/// A row that is due, by its key.
#[derive(Debug)]
pub struct Due<T> {
    /// What the row is known by, whether or not the rest of it can be read.
    pub key: String,
    /// When it was due.
    pub due_at: DateTime<Utc>,
    /// What is to be done about it.
    pub item: Result<T, StoreError>,
}

/// The row after which a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuePlace {
    due_at: DateTime<Utc>,
    key: String,
}

impl<T> Due<T> {
    /// Where the page after this row begins.
    pub fn place(&self) -> DuePlace {
        DuePlace { due_at: self.due_at, key: self.key.clone() }
    }
}

impl Store {
    /// Up to `limit` rows that are due by now, beyond a place: when each was due, its key, and another column. `select` has these
    /// columns and the condition that `due_at <= $1`, and no order.
    pub(crate) async fn due(
        &self,
        select: &str,
        after: Option<DuePlace>,
        limit: i64,
    ) -> Result<Vec<(DateTime<Utc>, String, String)>, StoreError> {
        let beyond = if after.is_some() { "AND (due_at > $3 OR due_at = $3 AND id > $4)" } else { "" };
        let statement = format!("{select} {beyond} ORDER BY due_at, id LIMIT $2");
        Ok(read!(&self.db, |pool| {
            let query = sqlx::query_as(&statement).bind(self.clock.now()).bind(limit);
            match after {
                Some(DuePlace { due_at, key }) => query.bind(due_at).bind(key).fetch_all(pool).await?,
                None => query.fetch_all(pool).await?,
            }
        }))
    }
}
