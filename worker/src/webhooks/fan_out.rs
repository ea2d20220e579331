//! Fan-out: writes a delivery for each recipient of an event.
//!
//! **Invariant:** deliveries commit together with the record that their event is processed, and only once: even if the bus
//! repeats a notice, each endpoint gets one delivery per event.

use std::collections::HashSet;

use buildtrack_domain::{event::Event, ids::DeliveryId};
use buildtrack_store::{LogChange, NewDelivery, PushedEvent, Recorded, SideChange, Store, StoreError, WebhookChange};
use tokio::time::Instant;

use super::{CONSUMER, LEASE, capacity::Capacity, lanes::Leased};

/// Deliveries per commit.
const DELIVERIES: usize = 2048;

/// The outcome of dispatching events.
#[derive(Debug)]
pub(crate) enum Dispatched {
    /// The events are recorded as processed. This process holds the leases of these deliveries.
    Leased(Vec<Leased>),
    /// The events have no recipients. They are not recorded as processed yet.
    NoRecipients,
}

/// Why an event is not processed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DispatchError {
    /// The event itself cannot be processed.
    #[error("{0}")]
    Poison(String),
    /// The database is unavailable. The consumer retries until it is back.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for DispatchError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged(reason) => Self::Poison(reason),
            other => Self::Store(other),
        }
    }
}

/// Dispatches events.
#[derive(Debug)]
pub(crate) struct FanOut {
    store: Store,
}

impl FanOut {
    pub(crate) fn new(store: Store) -> Self {
        Self { store }
    }

    /// Writes the deliveries of these events, which are in log order. Skips events that are processed already.
    ///
    /// Returns the deliveries leased to this process, as far as `capacity` permits. Any process may claim the rest.
    pub(crate) async fn dispatch(&self, positions: &[i64], capacity: &Capacity) -> Result<Dispatched, DispatchError> {
        let mut leased = Vec::new();
        let mut left = positions.to_vec();
        while !left.is_empty() {
            let begun = buildtrack_traces::begin();
            let events = self.store.log().events_at(&left).await?.into_iter().collect::<Result<Vec<_>, _>>()?;
            if events.len() < left.len() {
                // The notice may arrive before a replica of the database has the event.
                return Err(StoreError::Damaged("the log has no event at this position".into()).into());
            }
            let mut deliveries = self.deliveries(&events).await?;
            if deliveries.is_empty() && left.len() == positions.len() {
                buildtrack_traces::processed(begun, CONSUMER, events.iter().map(Recorded::traced));
                return Ok(Dispatched::NoRecipients);
            }
            // Split at an event boundary, at about the number of deliveries that one statement takes.
            let last = deliveries.get(DELIVERIES).map_or(i64::MAX, |delivery| delivery.position.max(left[0] + 1) - 1);
            deliveries.retain(|delivery| delivery.position <= last);
            let done = left.partition_point(|position| *position <= last);
            let (until, next_at) = (Instant::now() + LEASE, self.store.log().clock().after(LEASE));
            let limit = capacity.deliveries.saturating_sub(leased.len());
            let open = deliveries.iter_mut().filter(|delivery| !capacity.full.contains(&delivery.webhook_id));
            let taken: HashSet<_> = open
                .take(limit)
                .map(|delivery| {
                    delivery.next_at = next_at;
                    delivery.id
                })
                .collect();
            let handled = LogChange::Handled { consumer: CONSUMER, positions: left[..done].to_vec() };
            match self
                .store
                .webhooks()
                .enqueue([WebhookChange::Deliveries(deliveries).into(), SideChange::from(handled)])
                .await
            {
                Ok(enqueued) => {
                    // The events are those of `left`, in the same order.
                    buildtrack_traces::processed(begun, CONSUMER, events[..done].iter().map(Recorded::traced));
                    let taken = enqueued.into_iter().filter(|delivery| taken.contains(&delivery.id));
                    leased.extend(taken.map(|delivery| Leased { delivery, until, shared: None }));
                    left.drain(..done);
                }
                Err(StoreError::Conflict { .. }) => left = self.store.log().unhandled(CONSUMER, &left).await?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Dispatched::Leased(leased))
    }

    /// Records events without recipients as processed. Skips events that are recorded already.
    pub(crate) async fn record_processed(&self, positions: &[i64]) -> Result<(), StoreError> {
        let mut left = positions.to_vec();
        left.sort_unstable();
        left.dedup();
        while !left.is_empty() {
            let handled = LogChange::Handled { consumer: CONSUMER, positions: left.clone() };
            match self.store.webhooks().enqueue(vec![handled]).await {
                Err(StoreError::Conflict { .. }) => left = self.store.log().unhandled(CONSUMER, &left).await?,
                recorded => return recorded.map(drop),
            }
        }
        Ok(())
    }

    /// A delivery for each recipient of the events, in log order.
    async fn deliveries(&self, events: &[Recorded]) -> Result<Vec<NewDelivery>, StoreError> {
        let pushes: Vec<_> = events
            .iter()
            .filter_map(|recorded| Some((recorded.position, recorded.event.as_ref().and_then(Event::push)?)))
            .collect();
        if pushes.is_empty() {
            return Ok(vec![]);
        }
        let pushed: Vec<_> = pushes.iter().map(|(position, push)| PushedEvent::new(*position, push)).collect();
        let clock = self.store.log().clock();
        let mut deliveries = Vec::new();
        for subscriber in self.store.webhooks().subscribers(&pushed).await? {
            let found = pushes.binary_search_by_key(&subscriber.position, |(position, _)| *position);
            let Some((position, push)) = found.ok().map(|index| &pushes[index]) else { continue };
            if subscriber.filter.matches(push) {
                deliveries.push(NewDelivery {
                    id: DeliveryId::new(clock.uuid()),
                    webhook_id: subscriber.webhook_id,
                    agent_id: subscriber.agent_id,
                    position: *position,
                    push_type: push.push_type,
                    next_at: clock.now(),
                });
            }
        }
        Ok(deliveries)
    }
}
