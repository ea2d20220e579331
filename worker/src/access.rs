//! Ends what clients made for agents once its consent has ended, in one process at a time.
//!
//! The commit that ends a consent marks what falls with it. This task ends within a second what changes streams: endpoints and links.

use std::future::ready;

use buildtrack_domain::identity::Access;
use buildtrack_store::{Due, DueCursor, Store, StoreError, access::end_fallen_access};

use crate::time_limits::TimeLimit;

/// Ends what has fallen with its consent.
pub(crate) struct FallenAccess {
    store: Store,
}

impl TimeLimit for FallenAccess {
    type Item = Access;

    const LEASE: &'static str = "access";

    async fn due(store: &Store, after: Option<DueCursor>, limit: i64) -> Result<Vec<Due<Access>>, StoreError> {
        store.identity().ended_access(after, limit).await
    }

    fn prepare(store: &Store) -> impl Future<Output = Result<Self, StoreError>> + Send {
        ready(Ok(Self { store: store.clone() }))
    }

    async fn end(&self, access: Access) -> Result<(), StoreError> {
        match end_fallen_access(&self.store, &access).await {
            // Another process ended it first, or it was made anew.
            Err(StoreError::Conflict { .. }) => Ok(()),
            ended => ended,
        }
    }
}
