//! Time limit of requests in the two-party exchange: ends requests without a timely answer, in one process at a time.
//!
//! The server that waits for an answer ends the request itself. This task covers requests whose requester or server is gone.

use std::future::ready;

use buildtrack_domain::{
    decide::Command,
    exchange::conversations::{Exchange, SettleRequest},
    ids::{ExchangeId, RequestId},
};
use buildtrack_store::{Due, DueCursor, Store, StoreError};

use crate::time_limits::TimeLimit;

/// Ends requests without a timely answer.
pub(crate) struct ExpiredRequests {
    store: Store,
}

impl TimeLimit for ExpiredRequests {
    type Item = (ExchangeId, RequestId);

    const LEASE: &'static str = "requests";

    async fn due(store: &Store, after: Option<DueCursor>, limit: i64) -> Result<Vec<Due<Self::Item>>, StoreError> {
        store.exchange().requests_due(after, limit).await
    }

    fn prepare(store: &Store) -> impl Future<Output = Result<Self, StoreError>> + Send {
        ready(Ok(Self { store: store.clone() }))
    }

    async fn end(&self, (exchange_id, request_id): Self::Item) -> Result<(), StoreError> {
        let decided = self
            .store
            .log()
            .transact::<(), StoreError>(None, async |unit| {
                let exchange = unit.load::<Exchange>(exchange_id).await?;
                // The decision refuses a request that is settled already.
                let settled =
                    SettleRequest { request_id, settlement: None }.decide(&exchange.state).unwrap_or_default();
                unit.append(exchange_id, &exchange, settled);
                Ok(())
            })
            .await;
        match decided {
            // Another process changed the exchange first.
            Err(StoreError::Conflict { .. }) => Ok(()),
            decided => decided.map(drop),
        }
    }
}
