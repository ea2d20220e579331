//! Sequential dispatch and delivery of everything that is due, for tests.

use std::collections::HashMap;

use buildtrack_domain::ids::WebhookId;
use buildtrack_store::{Delivery, Store, StoreError, WaitsFor, WebhookChange};
use futures_util::{StreamExt, stream};

use super::{
    CONSUMER, LEASE,
    capacity::Capacity,
    fan_out::{DispatchError, Dispatched, FanOut},
    pusher::Pusher,
    replays,
};
use crate::sweeps::Sweep;

const ABREAST: usize = 16;
const EVENTS: usize = 256;
const CLAIM: usize = 256;

/// Dispatches every event, then advances replays and attempts every delivery that is due.
pub(crate) async fn drain(store: &Store, pusher: &Pusher) -> Result<(), StoreError> {
    let fan_out = FanOut::new(store.clone());
    loop {
        let events = store.log().announced(store.log().consumer_position(CONSUMER).await?, EVENTS).await?;
        if events.is_empty() {
            break;
        }
        let positions: Vec<_> = events.into_iter().map(|(position, _)| position).collect();
        match dispatch(store, pusher, &fan_out, &positions).await {
            Err(DispatchError::Poison(_)) => one_by_one(store, pusher, &fan_out, &positions).await?,
            Err(DispatchError::Store(error)) => return Err(error),
            Ok(()) => {}
        }
    }
    let mut sweep = Sweep::new(replays::LEASE);
    loop {
        let moved = replays::step(store, &mut sweep).await?;
        let due = store.webhooks().claim_due(LEASE, CLAIM).await?;
        if due.is_empty() && !moved {
            return Ok(());
        }
        deliver(store, pusher, due.into_iter()).await;
    }
}

async fn dispatch(store: &Store, pusher: &Pusher, fan_out: &FanOut, positions: &[i64]) -> Result<(), DispatchError> {
    match fan_out.dispatch(positions, &Capacity::unlimited()).await? {
        Dispatched::Leased(leased) => {
            deliver(store, pusher, leased.into_iter().map(|leased| leased.delivery)).await;
        }
        Dispatched::NoRecipients => fan_out.record_processed(positions).await?,
    }
    Ok(())
}

/// Skips events that cannot be processed. The consumer would make them dead letters.
async fn one_by_one(store: &Store, pusher: &Pusher, fan_out: &FanOut, positions: &[i64]) -> Result<(), StoreError> {
    for position in store.log().unhandled(CONSUMER, positions).await? {
        match dispatch(store, pusher, fan_out, &[position]).await {
            Err(DispatchError::Poison(reason)) => {
                tracing::error!(position, reason, "an event cannot be processed and is skipped");
                fan_out.record_processed(&[position]).await?;
            }
            Err(DispatchError::Store(error)) => return Err(error),
            Ok(()) => {}
        }
    }
    Ok(())
}

/// Attempts deliveries of several endpoints concurrently, and those of one endpoint in sequence.
async fn deliver(store: &Store, pusher: &Pusher, deliveries: impl Iterator<Item = Delivery>) {
    let mut endpoints: HashMap<WebhookId, Vec<Delivery>> = HashMap::new();
    deliveries.for_each(|delivery| endpoints.entry(delivery.webhook_id).or_default().push(delivery));
    let in_sequence = async |mut left: Vec<Delivery>| {
        while !left.is_empty() {
            let done = pusher.deliver(left).await;
            left = done.left;
            // They wait for another delivery, or for the budget of their target.
            let refused = done.refused.map(|wait| (store.log().clock().after(wait), Some(WaitsFor::Target)));
            if let Some((at, waits_for)) = done.blocked_until.map(|at| (at, None)).or(refused) {
                // If the release fails, their leases expire.
                let deliveries = left.drain(..).map(|delivery| delivery.id).collect();
                drop(store.log().write_side(vec![WebhookChange::Released { deliveries, at, waits_for }]).await);
            }
        }
    };
    stream::iter(endpoints.into_values()).for_each_concurrent(ABREAST, in_sequence).await;
}
