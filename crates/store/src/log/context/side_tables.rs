//! Side tables commit together with events, but are not derived from the log and not rebuilt. Each context declares its changes to
//! side tables with an enum that implements [`SideTable`].

use std::{any::Any, collections::HashMap, fmt::Debug, sync::Arc};

use buildtrack_domain::ids::DeliveryId;
use chrono::{DateTime, Utc};
use futures_util::{FutureExt, future::BoxFuture};

use crate::{
    StoreError,
    database::Tx,
    log::{Change as LogChange, TextRemoval},
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
pub(crate) trait SideTable: Any + Debug + Send + Sync {
    fn rule(&self) -> Rule;

    /// Writes changes of one phase, in order.
    fn write(
        tx: &mut Tx<'_>,
        changes: &[&Self],
        now: DateTime<Utc>,
        enqueued: &mut Enqueued,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// What the log knows of a change to a side table.
trait Declared: Any + Debug + Send + Sync {
    fn rule(&self) -> Rule;
}

impl<C: SideTable> Declared for C {
    fn rule(&self) -> Rule {
        SideTable::rule(self)
    }
}

/// Writes changes of one context and one phase.
type Write = for<'a> fn(
    &'a mut Tx<'_>,
    &'a [&'a SideChange],
    DateTime<Utc>,
    &'a mut Enqueued,
) -> BoxFuture<'a, Result<(), StoreError>>;

/// One change to a side table, of any context.
#[derive(Debug, Clone)]
pub struct SideChange(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// A change that a context declares.
    Declared { change: Arc<dyn Declared>, write: Write },
    /// Delete expired rows, a limited number at a time.
    Expired(Expiry),
}

impl<C: SideTable> From<C> for SideChange {
    fn from(change: C) -> Self {
        let write: Write = |tx, changes, now, enqueued| {
            async move {
                let own: Vec<&C> = changes.iter().filter_map(|change| change.of()).collect();
                C::write(tx, &own, now, enqueued).await
            }
            .boxed()
        };
        Self(Kind::Declared { change: Arc::new(change), write })
    }
}

impl From<Expiry> for SideChange {
    fn from(expiry: Expiry) -> Self {
        Self(Kind::Expired(expiry))
    }
}

impl SideChange {
    /// The change as its context declares it; none if it is another context's.
    pub(crate) fn of<C: SideTable>(&self) -> Option<&C> {
        match &self.0 {
            Kind::Declared { change, .. } => (&**change as &dyn Any).downcast_ref(),
            Kind::Expired(_) => None,
        }
    }

    /// What the write path has to know of the change.
    pub(crate) fn rule(&self) -> Rule {
        match &self.0 {
            Kind::Declared { change, .. } => change.rule(),
            Kind::Expired(_) => Rule::ROW.essential(),
        }
    }

    /// Whether both are of the same context, so that one call writes them.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Declared { change: one, .. }, Kind::Declared { change: next, .. }) => {
                (&**one as &dyn Any).type_id() == (&**next as &dyn Any).type_id()
            }
            (one, next) => matches!((one, next), (Kind::Expired(_), Kind::Expired(_))),
        }
    }

    pub(super) fn expiry(&self) -> Option<Expiry> {
        match self.0 {
            Kind::Expired(expiry) => Some(expiry),
            Kind::Declared { .. } => None,
        }
    }

    /// Writes changes of one phase and one context, in order.
    pub(super) async fn write(
        tx: &mut Tx<'_>,
        changes: &[&Self],
        now: DateTime<Utc>,
        enqueued: &mut Enqueued,
    ) -> Result<(), StoreError> {
        match changes.first().map(|change| &change.0) {
            Some(Kind::Declared { write, .. }) => write(tx, changes, now, enqueued).await,
            _ => Ok(()),
        }
    }

    /// The removals of texts that the change consists of.
    pub(super) fn removals(&self) -> Vec<TextRemoval<'_>> {
        self.of::<LogChange>().map(LogChange::removals).unwrap_or_default()
    }
}

/// The rows to delete, because their retention ended.
#[derive(Debug, Clone, Copy)]
pub struct Expiry {
    /// The most rows to delete from each table.
    pub limit: i64,
    /// Delete deliveries that reached a final status at or before this time.
    pub settled_until: DateTime<Utc>,
}
