//! The positions of times: times on the log never decrease, and positions have no gaps.

use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::Log;
use crate::{StoreError, database::values};

#[boxed]
impl Log {
    /// The position of the last event recorded before `time`; 0 if there is none. Uses binary search.
    pub async fn position_before(&self, time: DateTime<Utc>) -> Result<i64, StoreError> {
        let (mut before, mut after) = (0, self.tail.head() + 1);
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            let recorded_at: Option<DateTime<Utc>> =
                self.db.optional("SELECT recorded_at FROM events WHERE position = $1", values![middle]).await?;
            if recorded_at.is_some_and(|recorded_at| recorded_at < time) {
                before = middle;
            } else {
                after = middle;
            }
        }
        Ok(before)
    }
}
