//! Caps: how many rows of a kind there may be when a commit is written, such as the tests of an owner that run.
//!
//! **Invariant:** rows are counted under the log's lock, and with them the earlier commits of the same batch, so that no two writers
//! exceed a cap together.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
};

use crate::{
    StoreError,
    database::{Tx, within},
};

/// A maximum number of rows. The commit that carries it adds one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cap {
    /// The statement that counts the rows of `$1`.
    pub(crate) count: &'static str,
    /// Whose rows.
    pub(crate) of: String,
    /// The maximum.
    pub(crate) most: i64,
}

/// Rows by statement and parameter.
pub(crate) type Counts = HashMap<(&'static str, String), i64>;

impl Cap {
    fn key(&self) -> (&'static str, String) {
        (self.count, self.of.clone())
    }

    /// Whether no further row may be added.
    pub(crate) fn is_reached(&self, counts: &Counts) -> bool {
        counts.get(&self.key()).is_some_and(|count| *count >= self.most)
    }

    /// Counts the row of a commit that is written.
    pub(crate) fn add_to(&self, counts: &mut Counts) {
        *counts.entry(self.key()).or_default() += 1;
    }
}

/// The name of what conflicts.
impl fmt::Display for Cap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cap:{}", self.of)
    }
}

/// The rows that these caps count, as the transaction sees them.
pub(crate) async fn counted(tx: &mut Tx<'_>, caps: &[Cap]) -> Result<Counts, StoreError> {
    let mut counts = Counts::new();
    for cap in caps {
        if let Entry::Vacant(entry) = counts.entry(cap.key()) {
            let count: i64 =
                within!(tx, |connection| sqlx::query_scalar(cap.count).bind(&cap.of).fetch_one(connection).await?);
            entry.insert(count);
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_of_one_batch_count_for_each_other() {
        let cap = |of: &str| Cap { count: "SELECT 1", of: of.to_owned(), most: 2 };
        let mut counts = Counts::from([(cap("a").key(), 1), (cap("b").key(), 0)]);
        assert!(!cap("a").is_reached(&counts));
        cap("a").add_to(&mut counts);
        assert!(cap("a").is_reached(&counts) && !cap("b").is_reached(&counts));
    }
}
