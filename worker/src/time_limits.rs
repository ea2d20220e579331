//! Time limits of work: ends what is due, page by page, in one process at a time.
//!
//! A kind of work with a time limit is a type that implements [`TimeLimit`], and one line in the worker's list of parts.

use std::{marker::PhantomData, mem, time::Duration};

use buildtrack_store::{Due, DueCursor, Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
    sweeps::Sweep,
};

/// Pause between two polls for due items, and so the longest delay of an end.
const EVERY: Duration = Duration::from_secs(1);
/// Items per poll.
const ITEMS: i64 = 100;

/// A kind of work that ends when its time has passed.
pub(crate) trait TimeLimit: Send + Sized + 'static {
    /// What names a piece of work.
    type Item: Send + 'static;

    /// Name of the lease, by which logs and metrics name the task.
    const LEASE: &'static str;

    /// Up to `limit` items that are due, after a cursor.
    fn due(
        store: &Store,
        after: Option<DueCursor>,
        limit: i64,
    ) -> impl Future<Output = Result<Vec<Due<Self::Item>>, StoreError>> + Send;

    /// What is needed to end the items of a page.
    fn prepare(store: &Store) -> impl Future<Output = Result<Self, StoreError>> + Send;

    /// Ends an item, unless another process has done so. The future of a decision is not `Send`; see [`on_thread`].
    fn end(&self, item: Self::Item) -> impl Future<Output = Result<(), StoreError>>;
}

/// Ends the due items of one kind of work.
pub(crate) struct TimeLimits<L> {
    store: Store,
    sweep: Sweep,
    /// Where the next step continues.
    cursor: Option<DueCursor>,
    limit: PhantomData<L>,
}

impl<L: TimeLimit> TimeLimits<L> {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, sweep: Sweep::new(L::LEASE), cursor: None, limit: PhantomData }
    }
}

impl<L: TimeLimit> LeasedTask for TimeLimits<L> {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, L::LEASE, Duration::from_secs(10));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        let after = self.cursor.take();
        self.cursor = end_due::<L>(&self.store, &mut self.sweep, after).await?;
        Ok(Next::now_if(self.cursor.is_some()))
    }
}

/// Ends all items that are due.
pub(crate) async fn end_all<L: TimeLimit>(store: &Store) -> Result<(), StoreError> {
    let (mut sweep, mut cursor) = (Sweep::new(L::LEASE), None);
    loop {
        cursor = end_due::<L>(store, &mut sweep, cursor).await?;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

/// Ends due items after a cursor, up to one page. Returns the next cursor if there may be more.
async fn end_due<L: TimeLimit>(
    store: &Store,
    sweep: &mut Sweep,
    after: Option<DueCursor>,
) -> Result<Option<DueCursor>, StoreError> {
    let mut due = L::due(store, after, ITEMS).await?;
    let is_full = i64::try_from(due.len()).unwrap_or(i64::MAX) == ITEMS;
    let next = due.last().map(Due::cursor).filter(|_| is_full);
    due.retain(|due| !sweep.is_postponed(&due.key));
    if due.is_empty() {
        return Ok(next);
    }
    let limit = L::prepare(store).await?;
    let (store, mut taken) = (store.clone(), mem::replace(sweep, Sweep::new(L::LEASE)));
    let (taken, ended) = on_thread(move || async move {
        let mut ended = Ok(());
        for Due { key, item, .. } in due {
            ended = taken.attempt(&store, &key, async { limit.end(item?).await }).await;
            if ended.is_err() {
                break;
            }
        }
        (taken, ended)
    })
    .await?;
    *sweep = taken;
    ended.map(|()| next)
}
