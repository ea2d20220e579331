//! All that can be done now, one thing after the other and without waiting.

use std::collections::HashMap;

use buildtrack_domain::ids::WebhookId;
use buildtrack_store::{Delivery, Kept, Store, StoreError, WaitsFor};
use futures_util::{StreamExt, stream};

use super::{
    CONSUMER, LEASE,
    courier::Courier,
    dispatcher::{DispatchError, Dispatched, Dispatcher},
    openings::{Openings, Room},
    replays,
};

const ABREAST: usize = 16;
const EVENTS: usize = 256;
const CLAIM: i64 = 256;

/// Dispatches every event, then takes replays on and tries every delivery that is due.
pub(crate) async fn drain(store: &Store, courier: &Courier) -> Result<(), StoreError> {
    let dispatcher = Dispatcher::new(store.clone(), Openings::default());
    loop {
        let events = store.announced(store.consumer_position(CONSUMER).await?, EVENTS).await?;
        if events.is_empty() {
            break;
        }
        let positions: Vec<_> = events.into_iter().map(|(position, _)| position).collect();
        let dispatched = dispatcher.dispatch(&positions, &Room::unlimited()).await.map_err(|error| match error {
            DispatchError::Poison(reason) => StoreError::Damaged(reason),
            DispatchError::Store(error) => error,
        })?;
        match dispatched {
            Dispatched::Leased(leased) => {
                deliver(store, courier, leased.into_iter().map(|leased| leased.delivery)).await;
            }
            Dispatched::Quiet => dispatcher.note(&positions).await?,
        }
    }
    loop {
        let moved = replays::step(store).await?;
        let due = store.claim_due(LEASE, CLAIM).await?;
        if due.is_empty() && !moved {
            return Ok(());
        }
        deliver(store, courier, due.into_iter()).await;
    }
}

/// Endpoints beside each other, and each one's deliveries one after the other.
async fn deliver(store: &Store, courier: &Courier, deliveries: impl Iterator<Item = Delivery>) {
    let mut endpoints: HashMap<WebhookId, Vec<Delivery>> = HashMap::new();
    deliveries.for_each(|delivery| endpoints.entry(delivery.webhook_id).or_default().push(delivery));
    let one_by_one = async |mut left: Vec<Delivery>| {
        while !left.is_empty() {
            let done = courier.deliver(left).await;
            left = done.left;
            if let Some(at) = done.blocked_until {
                // They wait for another one. What cannot be told comes back when its lease is over.
                let deliveries = left.drain(..).map(|delivery| delivery.id).collect();
                drop(store.keep(vec![Kept::GivenBack { deliveries, at, waits_for: None }]).await);
            }
            if let Some((at, deliveries)) = done.put_off {
                let waits_for = Some(WaitsFor::Target);
                drop(store.keep(vec![Kept::GivenBack { deliveries, at, waits_for }]).await);
            }
        }
    };
    stream::iter(endpoints.into_values()).for_each_concurrent(ABREAST, one_by_one).await;
}
