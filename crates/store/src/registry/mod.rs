//! What all contexts declare, gathered. Everything that the write path, rebuilds and housekeeping have to do for all
//! contexts is generated from the list `contexts!` in `lib.rs`; a context that lacks a declaration does not compile.
//!
//! **Invariant:** a read table is a function of the log. Live and rebuilt tables are equal, row by row, for batches of any
//! size.
//!
//! The compiler compiles the body of an `async fn` once in each crate, and in each codegen unit, that awaits it. What reaches every
//! context is therefore boxed: it is compiled here alone.

use std::{mem::discriminant, time::Duration};

use buildtrack_domain::event::Event;
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{FutureExt, future::BoxFuture};

use crate::{
    Store, StoreError,
    database::{Db, Tx},
    log::{Recorded, TextRemoval, commit::Commit},
    read_tables::{EventText, ReadTable},
    side_tables::{Enqueued, Expiry, Phase, Rule, SideTable},
};

/// `Name(module)`: the module declares `Change`, `remove_texts`, `prune` and `has_expired` for its side tables, and `READ_TABLES`,
/// `project` and `rewrite_text` for its read tables.
macro_rules! registry {
    ($($name:ident($module:ident)),+ $(,)?) => {
        /// One change to a side table.
        #[derive(Debug, Clone)]
        pub enum SideChange {
            $(
                #[doc = concat!("A change that `", stringify!($module), "` declares.")]
                $name(crate::$module::Change),
            )+
            /// Delete expired rows, a limited number at a time.
            Expired(Expiry),
        }

        $(
            impl From<crate::$module::Change> for SideChange {
                fn from(change: crate::$module::Change) -> Self {
                    Self::$name(change)
                }
            }
        )+

        impl SideChange {
            /// What the write path has to know of the change.
            pub(crate) fn rule(&self) -> Rule {
                match self {
                    $(Self::$name(change) => change.rule(),)+
                    Self::Expired(_) => Rule::ROW.essential(),
                }
            }

            /// Writes changes of one phase and one context, in order.
            async fn write(
                tx: &mut Tx<'_>,
                changes: &[&Self],
                now: DateTime<Utc>,
                enqueued: &mut Enqueued,
            ) -> Result<(), StoreError> {
                match changes.first() {
                    $(Some(Self::$name(_)) => {
                        let mut own = Vec::with_capacity(changes.len());
                        for change in changes {
                            if let Self::$name(change) = change {
                                own.push(change);
                            }
                        }
                        SideTable::write(tx, &own, now, enqueued).await
                    })+
                    Some(Self::Expired(expiry)) => prune(tx, *expiry, now).await,
                    None => Ok(()),
                }
            }
        }

        /// The read tables of all contexts.
        const READ_TABLES: &[&[ReadTable]] = &[$(crate::$module::READ_TABLES),+];

        async fn project_part(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
            $(crate::$module::project(tx, events).await?;)+
            Ok(())
        }

        /// Rewrites the own text of an event in the read tables.
        #[inline(never)]
        pub(crate) fn rewrite_text<'a>(tx: &'a mut Tx<'_>, text: &'a EventText) -> BoxFuture<'a, Result<(), StoreError>> {
            async move {
                $(crate::$module::rewrite_text(tx, text).await?;)+
                Ok(())
            }
            .boxed()
        }

        /// Removes the copies of these texts from side tables; each context in the phase that its locks require.
        async fn remove_texts(
            tx: &mut Tx<'_>,
            phase: Phase,
            removals: &[TextRemoval<'_>],
            now: DateTime<Utc>,
        ) -> Result<(), StoreError> {
            $(crate::$module::remove_texts(tx, phase, removals, now).await?;)+
            Ok(())
        }

        /// Deletes expired rows.
        async fn prune(tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
            $(crate::$module::prune(tx, expiry, now).await?;)+
            Ok(())
        }

        /// Whether a context has rows to prune.
        async fn has_expired(db: &Db, expiry: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
            $(if crate::$module::has_expired(db, expiry, now).await? {
                return Ok(true);
            })+
            Ok(false)
        }
    };
}

contexts!(registry);

/// The read tables of all contexts.
pub(crate) fn read_tables() -> impl Iterator<Item = &'static ReadTable> {
    READ_TABLES.iter().copied().flatten()
}

/// Updates the read tables with these events, in the transaction that appends them. Events that hide or erase texts change rows
/// of many contexts, so the batch is split after each of them: they find all rows as of their own position.
#[inline(never)]
pub(crate) fn project<'a>(tx: &'a mut Tx<'_>, events: &'a [&'a Recorded]) -> BoxFuture<'a, Result<(), StoreError>> {
    async move {
        let changes_visibility = |recorded: &&Recorded| recorded.event.as_ref().is_some_and(Event::changes_visibility);
        for part in events.split_inclusive(changes_visibility) {
            project_part(tx, part).await?;
        }
        Ok(())
    }
    .boxed()
}

/// Writes all changes, phase by phase. Returns the new deliveries.
#[inline(never)]
pub(crate) fn write<'a>(
    tx: &'a mut Tx<'_>,
    changes: &'a [&'a SideChange],
    now: DateTime<Utc>,
) -> BoxFuture<'a, Result<Enqueued, StoreError>> {
    async move {
        let mut enqueued = Enqueued::new();
        let removals: Vec<_> = changes.iter().copied().flat_map(removals).collect();
        for phase in Phase::ALL {
            let of_phase: Vec<_> = changes.iter().copied().filter(|change| change.rule().phase == phase).collect();
            for run in of_phase.chunk_by(|one, next| discriminant(*one) == discriminant(*next)) {
                SideChange::write(tx, run, now, &mut enqueued).await?;
            }
            if !removals.is_empty() {
                remove_texts(tx, phase, &removals, now).await?;
            }
        }
        Ok(enqueued)
    }
    .boxed()
}

/// The removals of texts that a change consists of.
fn removals(change: &SideChange) -> Vec<TextRemoval<'_>> {
    match change {
        SideChange::Log(change) => change.removals(),
        _ => vec![],
    }
}

#[boxed]
impl Store {
    /// Changes side tables without an event.
    pub async fn write_side(&self, changes: impl IntoIterator<Item = impl Into<SideChange>>) -> Result<(), StoreError> {
        let side_changes = changes.into_iter().map(Into::into).collect();
        self.commit(Commit { side_changes, ..Commit::default() }).await.map(drop)
    }

    /// Deletes expired rows, up to `limit` in each table: sessions, stored answers, and deliveries that reached a final status
    /// `retention` ago. Returns whether it found any.
    pub async fn prune(&self, limit: i64, retention: Duration) -> Result<bool, StoreError> {
        let retention = TimeDelta::from_std(retention).unwrap_or(TimeDelta::MAX);
        let now = self.clock.now();
        let settled_until = now.checked_sub_signed(retention).unwrap_or(DateTime::UNIX_EPOCH);
        let expiry = Expiry { limit, settled_until };
        let over = has_expired(&self.db, expiry, now).await?;
        if over {
            self.write_side([SideChange::Expired(expiry)]).await?;
        }
        let more_limits = self.prune_limits(limit).await?;
        Ok(over || more_limits)
    }
}

#[cfg(test)]
mod tests;
