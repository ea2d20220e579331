//! Caps: how many rows of a kind there may be when a commit is written, such as the tests of an owner that run.
//!
//! **Invariant:** rows are counted under the log's lock, and with them the earlier commits of the same batch, so that no two writers
//! exceed a cap together. A count that was read outside the commit decides nothing.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    fmt,
};

use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::Log;
use crate::{
    StoreError,
    database::{Tx, Value},
};

/// A maximum number of rows. The commit that carries it adds one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cap {
    /// The statement that counts rows. Its parameters are `of`, `replaced` and `since`, as far as they are set, in this order.
    count: &'static str,
    /// Whose rows.
    of: Option<String>,
    /// The row that the commit may replace, which is not counted.
    replaced: Option<String>,
    /// From when on rows count.
    since: Option<DateTime<Utc>>,
    /// The maximum.
    most: i64,
}

impl Cap {
    /// The parameters of the statement.
    fn values(&self) -> Vec<Value<'_>> {
        let texts = self.of.iter().chain(&self.replaced).map(Value::from);
        texts.chain(self.since.map(Value::from)).collect()
    }
}

/// What several commits of a batch count together.
type Group = (&'static str, Option<String>);

/// The rows that count for the caps of a batch: those that are stored, and those that its commits add.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    stored: HashMap<(Group, Option<String>), i64>,
    added: HashMap<Group, Added>,
}

#[derive(Debug, Default)]
struct Added {
    /// Rows with a name, which another commit may replace.
    named: HashSet<String>,
    others: i64,
}

impl Cap {
    /// A maximum of all rows of a table.
    pub(crate) const fn of_all(count: &'static str, most: i64) -> Self {
        Self { count, of: None, replaced: None, since: None, most }
    }

    /// A maximum of the rows of an agent, an owner or the like.
    pub(crate) fn of(count: &'static str, of: impl fmt::Display, most: i64) -> Self {
        Self { of: Some(of.to_string()), ..Self::of_all(count, most) }
    }

    /// The commit adds the row with this name, or replaces it.
    pub(crate) fn replacing(self, row: String) -> Self {
        Self { replaced: Some(row), ..self }
    }

    /// The statement counts rows from a time on.
    pub(crate) fn since(self, since: DateTime<Utc>) -> Self {
        Self { since: Some(since), ..self }
    }

    fn group(&self) -> Group {
        (self.count, self.of.clone())
    }

    /// Whether no further row may be added.
    pub(crate) fn is_reached(&self, counts: &Counts) -> bool {
        let group = self.group();
        let added = counts.added.get(&group).map_or(0, |added| added.but(self.replaced.as_ref()));
        counts.stored.get(&(group, self.replaced.clone())).is_some_and(|stored| stored + added >= self.most)
    }

    /// Counts the row of a commit that is written.
    pub(crate) fn add_to(&self, counts: &mut Counts) {
        let added = counts.added.entry(self.group()).or_default();
        match &self.replaced {
            Some(row) => drop(added.named.insert(row.clone())),
            None => added.others += 1,
        }
    }
}

impl Added {
    /// The number of added rows without one of them.
    fn but(&self, row: Option<&String>) -> i64 {
        let named = self.named.iter().filter(|named| Some(*named) != row).count();
        self.others.saturating_add(i64::try_from(named).unwrap_or(i64::MAX))
    }
}

/// The name of what conflicts.
impl fmt::Display for Cap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cap:{}", self.of.as_deref().unwrap_or("all"))
    }
}

/// The rows that these caps count, as the transaction sees them.
pub(crate) async fn counted(tx: &mut Tx<'_>, caps: &[Cap]) -> Result<Counts, StoreError> {
    let mut counts = Counts::default();
    for cap in caps {
        if let Entry::Vacant(entry) = counts.stored.entry((cap.group(), cap.replaced.clone())) {
            entry.insert(tx.one(cap.count, &cap.values()).await?);
        }
    }
    Ok(counts)
}

impl Log {
    /// Whether a cap permits another row now.
    #[boxed]
    pub(super) async fn permits(&self, cap: &Cap) -> Result<bool, StoreError> {
        let stored: i64 = self.db.one(cap.count, &cap.values()).await?;
        Ok(stored < cap.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(stored: &[(&Cap, i64)]) -> Counts {
        let stored = stored.iter().map(|(cap, count)| ((cap.group(), cap.replaced.clone()), *count)).collect();
        Counts { stored, ..Counts::default() }
    }

    #[test]
    fn commits_of_one_batch_count_for_each_other() {
        let cap = |of: &str| Cap::of("SELECT 1", of, 2);
        let mut counts = counts(&[(&cap("a"), 1), (&cap("b"), 0)]);
        assert!(!cap("a").is_reached(&counts));
        cap("a").add_to(&mut counts);
        assert!(cap("a").is_reached(&counts) && !cap("b").is_reached(&counts));
    }

    #[test]
    fn a_row_that_is_replaced_counts_once() {
        let cap = |row: &str| Cap::of("SELECT 1", "a", 2).replacing(row.to_owned());
        let mut counts = counts(&[(&cap("one"), 1), (&cap("two"), 1)]);
        cap("one").add_to(&mut counts);
        assert!(!cap("one").is_reached(&counts) && cap("two").is_reached(&counts));
    }
}
