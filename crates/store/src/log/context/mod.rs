//! What a context declares to the log: its read tables, which are derived from events, and its side tables, which commit together
//! with them. The write path, rebuilds and housekeeping do for all contexts what each declares here; the log knows none of them.
//!
//! **Invariant:** a read table is a function of the log. Live and rebuilt tables are equal, row by row, for batches of any
//! size.

mod read_tables;
mod side_tables;

use std::{collections::HashSet, future::ready};

use buildtrack_domain::event::Event;
use chrono::{DateTime, Utc};
use futures_util::{FutureExt, future::BoxFuture};

pub use self::side_tables::{Expiry, SideChange};
pub(crate) use self::{
    read_tables::{EventText, Membership, NameCopy, Named, ReadTable},
    side_tables::{Enqueued, Phase, Rule, SideTable},
};
use super::{LoggedEvent, Recorded, TextRemoval};
use crate::{
    StoreError,
    database::{Db, Tx},
};

/// What a declared function returns.
type Doing<'a, T = ()> = BoxFuture<'a, Result<T, StoreError>>;

/// Finds positions among events.
type Seal = for<'a> fn(&'a Db, &'a [LoggedEvent]) -> Doing<'a, HashSet<i64>>;

/// The declarations of one context. A field taken from [`Context::EMPTY`] has no effect.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) read_tables: &'static [ReadTable],
    /// Updates its read tables with these events. The last parameter is for contexts that change the rows of all.
    pub(crate) project: for<'a> fn(&'a mut Tx<'_>, &'a [&'a Recorded], Contexts) -> Doing<'a>,
    /// Rewrites the own text of an event in its read tables.
    pub(crate) rewrite_text: for<'a> fn(&'a mut Tx<'_>, &'a EventText) -> Doing<'a>,
    /// Removes the copies of these texts from its side tables, in the phase that its locks require.
    pub(crate) remove_texts: for<'a> fn(&'a mut Tx<'_>, Phase, &'a [TextRemoval<'a>], DateTime<Utc>) -> Doing<'a>,
    /// Deletes rows whose retention ended.
    pub(crate) prune: for<'a> fn(&'a mut Tx<'_>, Expiry, DateTime<Utc>) -> Doing<'a>,
    /// Whether it has rows to prune.
    pub(crate) has_expired: for<'a> fn(&'a Db, Expiry, DateTime<Utc>) -> Doing<'a, bool>,
    /// The positions of those events that are public without parts of their data for now. None where it seals nothing.
    pub(crate) sealed_among: Option<Seal>,
}

impl Context {
    /// Neither read tables nor side tables.
    pub(crate) const EMPTY: Self = Self {
        read_tables: &[],
        project: |_, _, _| ready(Ok(())).boxed(),
        rewrite_text: |_, _| ready(Ok(())).boxed(),
        remove_texts: |_, _, _, _| ready(Ok(())).boxed(),
        prune: |_, _, _| ready(Ok(())).boxed(),
        has_expired: |_, _, _| ready(Ok(false)).boxed(),
        sealed_among: None,
    };
}

/// All contexts, in the order of their projections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contexts(pub(crate) &'static [&'static Context]);

impl Contexts {
    /// The read tables of all contexts.
    pub(crate) fn read_tables(self) -> impl Iterator<Item = &'static ReadTable> {
        self.0.iter().flat_map(|context| context.read_tables)
    }

    /// Updates the read tables with these events, in the transaction that appends them. Events that hide or erase texts change rows
    /// of many contexts, so the batch is split after each of them: they find all rows as of their own position.
    pub(crate) async fn project(self, tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
        let changes_visibility = |recorded: &&Recorded| recorded.event.as_ref().is_some_and(Event::changes_visibility);
        for part in events.split_inclusive(changes_visibility) {
            for context in self.0 {
                (context.project)(tx, part, self).await?;
            }
        }
        Ok(())
    }

    /// Rewrites the own text of an event in the read tables.
    pub(crate) async fn rewrite_text(self, tx: &mut Tx<'_>, text: &EventText) -> Result<(), StoreError> {
        for context in self.0 {
            (context.rewrite_text)(tx, text).await?;
        }
        Ok(())
    }

    /// Writes all changes, phase by phase. Returns the new deliveries.
    pub(crate) async fn write(
        self,
        tx: &mut Tx<'_>,
        changes: &[&SideChange],
        now: DateTime<Utc>,
    ) -> Result<Enqueued, StoreError> {
        let mut enqueued = Enqueued::new();
        let removals: Vec<_> = changes.iter().copied().flat_map(SideChange::removals).collect();
        for phase in Phase::ALL {
            let of_phase: Vec<_> = changes.iter().copied().filter(|change| change.rule().phase == phase).collect();
            for run in of_phase.chunk_by(|one, next| one.is_like(next)) {
                match run[0].expiry() {
                    Some(expiry) => self.prune(tx, expiry, now).await?,
                    None => SideChange::write(tx, run, now, &mut enqueued).await?,
                }
            }
            if !removals.is_empty() {
                for context in self.0 {
                    (context.remove_texts)(tx, phase, &removals, now).await?;
                }
            }
        }
        Ok(enqueued)
    }

    async fn prune(self, tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
        for context in self.0 {
            (context.prune)(tx, expiry, now).await?;
        }
        Ok(())
    }

    /// Whether a context has rows to prune.
    pub(crate) async fn has_expired(self, db: &Db, expiry: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
        for context in self.0 {
            if (context.has_expired)(db, expiry, now).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The positions of those events that are public without parts of their data for now.
    pub(crate) async fn sealed_among(self, db: &Db, events: &[LoggedEvent]) -> Result<HashSet<i64>, StoreError> {
        let mut sealed = HashSet::new();
        for sealed_among in self.0.iter().filter_map(|context| context.sealed_among) {
            sealed.extend(sealed_among(db, events).await?);
        }
        Ok(sealed)
    }
}
