//! Side tables commit together with events, but are not derived from the log and not rebuilt. Each context declares its changes to
//! side tables with an enum that implements [`SideTable`]; `registry` gathers them.

use std::{
    collections::HashMap,
    future::{Ready, ready},
};

use buildtrack_domain::ids::DeliveryId;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Db, Tx},
    log::TextRemoval,
};

/// The order in which a transaction writes its changes to side tables. Within a phase, changes keep the order of their commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Rows that nothing else in the transaction depends on.
    Rows,
    /// New deliveries, and outcomes of attempts.
    Deliveries,
    /// Postponed and released deliveries: after the outcomes, which set the due times of deliveries that just failed.
    Releases,
    /// Cancelled deliveries. This phase and the following ones come late, so that deliveries and documents of the same transaction
    /// do not outlive these removals.
    Cancellations,
    /// Deleted endpoints.
    Deletions,
    /// Redacted streams.
    Redactions,
    /// Hidden texts.
    Hidings,
    /// Texts erased from events.
    Erasures,
    /// Search documents: after all deliveries, because a transaction that waits for another's rows must not hold their lock.
    Documents,
    /// Leases of due deliveries, which include those that the transaction has made due.
    Claims,
}

impl Phase {
    /// All phases, in order.
    pub(crate) const ALL: [Self; 10] = [
        Self::Rows,
        Self::Deliveries,
        Self::Releases,
        Self::Cancellations,
        Self::Deletions,
        Self::Redactions,
        Self::Hidings,
        Self::Erasures,
        Self::Documents,
        Self::Claims,
    ];
}

/// What the write path has to know of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) phase: Phase,
    /// Whether the change removes texts from the database, so that the files below it must drop them too.
    pub(crate) removes_texts: bool,
    /// Whether the server repeats the work if a crash of the machine loses the change. No caller was answered for it, and the task
    /// that made the change notices that it is missing. A push whose outcome is lost is sent again, with the same id.
    pub(crate) is_repeatable: bool,
    /// Whether the change is allowed while storage is low: it frees storage, completes existing work, ends something that a person
    /// must be able to end, or signs in the people who do so.
    pub(crate) is_essential: bool,
}

impl Rule {
    /// A row that must not be lost, and waits for free storage.
    pub(crate) const ROW: Self = Self::in_phase(Phase::Rows);

    pub(crate) const fn in_phase(phase: Phase) -> Self {
        Self { phase, removes_texts: false, is_repeatable: false, is_essential: false }
    }

    pub(crate) const fn removing_texts(self) -> Self {
        Self { removes_texts: true, ..self }
    }

    pub(crate) const fn repeatable(self) -> Self {
        Self { is_repeatable: true, ..self }
    }

    pub(crate) const fn essential(self) -> Self {
        Self { is_essential: true, ..self }
    }
}

/// New deliveries by id, each with the position of the previous delivery of its endpoint.
pub(crate) type Enqueued = HashMap<DeliveryId, Option<i64>>;

/// One context's changes to its side tables.
pub(crate) trait SideTable: Sized {
    fn rule(&self) -> Rule;

    /// Writes changes of one phase, in order.
    async fn write(
        tx: &mut Tx<'_>,
        changes: &[&Self],
        now: DateTime<Utc>,
        enqueued: &mut Enqueued,
    ) -> Result<(), StoreError>;
}

/// The rows to delete, because their retention ended.
#[derive(Debug, Clone, Copy)]
pub struct Expiry {
    /// The most rows to delete from each table.
    pub limit: i64,
    /// Delete deliveries that reached a final status at or before this time.
    pub settled_until: DateTime<Utc>,
}

/// The declarations of a context without side tables.
macro_rules! no_side_tables {
    () => {
        pub(crate) use $crate::side_tables::{
            has_nothing_expired as has_expired, holds_no_texts as remove_texts, nothing_expires as prune,
        };

        /// This context has no side tables.
        #[derive(Debug, Clone)]
        pub enum Change {}

        impl $crate::side_tables::SideTable for Change {
            fn rule(&self) -> $crate::side_tables::Rule {
                match *self {}
            }

            async fn write(
                _: &mut $crate::database::Tx<'_>,
                _: &[&Self],
                _: chrono::DateTime<chrono::Utc>,
                _: &mut $crate::side_tables::Enqueued,
            ) -> Result<(), $crate::StoreError> {
                Ok(())
            }
        }
    };
}
pub(crate) use no_side_tables;

/// The `prune` of a context whose rows have no retention.
pub(crate) fn nothing_expires(_: &mut Tx<'_>, _: Expiry, _: DateTime<Utc>) -> Ready<Result<(), StoreError>> {
    ready(Ok(()))
}

/// The `has_expired` of a context whose rows have no retention.
pub(crate) fn has_nothing_expired(_: &Db, _: Expiry, _: DateTime<Utc>) -> Ready<Result<bool, StoreError>> {
    ready(Ok(false))
}

/// The `remove_texts` of a context whose side tables hold no copies of texts.
pub(crate) fn holds_no_texts(
    _: &mut Tx<'_>,
    _: Phase,
    _: &[TextRemoval<'_>],
    _: DateTime<Utc>,
) -> Ready<Result<(), StoreError>> {
    ready(Ok(()))
}
