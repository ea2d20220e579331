//! All that can be done now, one thing after the other and without waiting.

use buildtrack_store::{Delivery, Store, StoreError};
use futures_util::{StreamExt, stream};

use super::{LEASE, courier::Courier, dispatcher::Dispatcher};

const ABREAST: usize = 16;
const CLAIM: i64 = 256;

/// Dispatches every event, then tries every delivery that is due.
pub(crate) async fn drain(store: &Store, courier: &Courier) -> Result<(), StoreError> {
    let mut dispatcher = Dispatcher::new(store.clone());
    loop {
        let step = dispatcher.step(usize::MAX).await?;
        if step.events == 0 {
            break;
        }
        deliver(courier, step.leased.into_iter().map(|leased| leased.delivery)).await;
    }
    dispatcher.save().await?;
    loop {
        let due = store.claim_due(LEASE, CLAIM).await?;
        if due.is_empty() {
            return Ok(());
        }
        deliver(courier, due.into_iter()).await;
    }
}

async fn deliver(courier: &Courier, deliveries: impl Iterator<Item = Delivery>) {
    let attempt = async |delivery: Delivery| {
        courier.deliver(&delivery).await;
    };
    stream::iter(deliveries).for_each_concurrent(ABREAST, attempt).await;
}
