//! Dispatcher: the consumer `webhooks`, which writes a delivery for each recipient of an event.
//!
//! **Invariant:** deliveries commit together with the record that their event is processed, and only once: even if the bus
//! repeats a notice, each endpoint gets one delivery per event. **Invariant:** an event that cannot be processed becomes a
//! dead letter after its last attempt and delays no other event.

use std::{collections::HashSet, panic::AssertUnwindSafe, time::Duration};

use buildtrack_bus::{Consumer, Received};
use buildtrack_domain::{ids::DeliveryId, webhooks::is_never_pushed};
use buildtrack_store::{Audience, LogChange, NewDelivery, Recorded, SideChange, Store, StoreError, WebhookChange};
use futures_util::FutureExt;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    CONSUMER, LEASE,
    capacity::{Capacity, SharedCapacity},
    lanes::Leased,
    push_of,
};
use crate::pause::{BACK_OFF, pause};

/// Events processed in one batch: few enough to hold in memory when each has 20 000 characters.
const EVENTS: usize = 256;
/// Deliveries per commit.
const DELIVERIES: usize = 2048;
/// Attempts at an event before it becomes a dead letter, and the pause after the first. Each later pause is twice as long.
const ATTEMPTS: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// How long events without recipients are collected before they are recorded as processed, and how many at most: fewer than
/// the consumer's prefetch limit.
const COLLECT: Duration = Duration::from_millis(100);
const COLLECT_EVENTS: usize = 512;

/// How long processed events are collected before they are acknowledged, and how many at most. An acknowledgement costs the
/// broker about as much as an event.
const ACK: Duration = Duration::from_millis(100);
const ACK_EVENTS: usize = 256;

/// Processes events.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    store: Store,
    capacity: SharedCapacity,
    /// Events that failed, with the time of their next attempt.
    retries: Vec<Retry>,
    /// Events without recipients, in order of arrival, and when they are recorded as processed.
    unaddressed: Vec<Received>,
    record_at: Instant,
    /// Processed events, and when they are acknowledged.
    unacknowledged: Vec<Received>,
    ack_at: Instant,
}

/// How far the processing of events got.
enum Processed {
    Recorded,
    NoRecipients,
}

#[derive(Debug)]
struct Retry {
    received: Received,
    attempts: u32,
    retry_at: Instant,
}

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

impl Dispatcher {
    pub(crate) fn new(store: Store, capacity: SharedCapacity) -> Self {
        let (record_at, ack_at) = (Instant::now(), Instant::now());
        Self { store, capacity, retries: vec![], unaddressed: vec![], record_at, unacknowledged: vec![], ack_at }
    }

    /// Processes events until `stop`, and hands deliveries that can be sent at once to the sender.
    pub(crate) async fn run(mut self, mut consumer: Consumer, queue: mpsc::Sender<Leased>, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            let retry_at = self.retries.iter().map(|retry| retry.retry_at).min();
            tokio::select! {
                () = stop.cancelled() => {}
                received = consumer.next(EVENTS) => self.receive(received, &mut consumer, &queue, stop).await,
                () = sleep_until(retry_at.unwrap_or_else(Instant::now)), if retry_at.is_some() => {
                    self.retry_due(&mut consumer, &queue, stop).await;
                }
                () = sleep_until(self.record_at), if !self.unaddressed.is_empty() => {
                    self.record_unaddressed(&mut consumer, stop).await;
                }
                () = sleep_until(self.ack_at), if !self.unacknowledged.is_empty() => self.ack(&mut consumer).await,
            }
        }
        self.record_unaddressed(&mut consumer, stop).await;
        self.ack(&mut consumer).await;
    }

    /// Processes the events in one batch or, if that fails, one after the other. Events whose type is never pushed are not
    /// read.
    async fn receive(
        &mut self,
        mut received: Vec<Received>,
        consumer: &mut Consumer,
        queue: &mpsc::Sender<Leased>,
        stop: &CancellationToken,
    ) {
        let unaddressed: Vec<_> =
            received.extract_if(.., |received| is_never_pushed(&received.notice.event_type)).collect();
        if !unaddressed.is_empty() {
            self.collect(unaddressed, consumer, stop).await;
        }
        if received.is_empty() {
            return;
        }
        let positions = received.iter().map(|received| received.notice.position).collect();
        match self.process(positions, queue, stop).await {
            Ok(Processed::Recorded) => self.acknowledge_later(received, consumer).await,
            Ok(Processed::NoRecipients) => self.collect(received, consumer, stop).await,
            Err(_) if stop.is_cancelled() => {}
            Err(_) => {
                for received in received {
                    self.receive_one(received, 0, consumer, queue, stop).await;
                }
            }
        }
    }

    async fn receive_one(
        &mut self,
        received: Received,
        attempts: u32,
        consumer: &mut Consumer,
        queue: &mpsc::Sender<Leased>,
        stop: &CancellationToken,
    ) {
        let position = received.notice.position;
        let error = match self.process(vec![position], queue, stop).await {
            Ok(Processed::Recorded) => return self.acknowledge_later(vec![received], consumer).await,
            Ok(Processed::NoRecipients) => return self.collect(vec![received], consumer, stop).await,
            Err(error) => error,
        };
        let attempts = attempts + 1;
        if stop.is_cancelled() {
            // The bus delivers unacknowledged events again.
        } else if attempts < ATTEMPTS {
            tracing::warn!(position, attempts, error, "an event cannot be processed; the worker retries it");
            let retry_at = Instant::now() + FIRST_PAUSE * 2_u32.pow(attempts - 1);
            self.retries.push(Retry { received, attempts, retry_at });
        } else {
            tracing::error!(position, error, "an event cannot be processed; it becomes a dead letter");
            metrics::counter!("buildtrack_dead_letters_total").increment(1);
            consumer.reject(&received, &error, self.store.clock().now()).await;
        }
    }

    async fn retry_due(&mut self, consumer: &mut Consumer, queue: &mpsc::Sender<Leased>, stop: &CancellationToken) {
        let now = Instant::now();
        let due: Vec<_> = self.retries.extract_if(.., |retry| retry.retry_at <= now).collect();
        for Retry { received, attempts, .. } in due {
            self.receive_one(received, attempts, consumer, queue, stop).await;
        }
    }

    /// Collects processed events for one acknowledgement.
    async fn acknowledge_later(&mut self, received: Vec<Received>, consumer: &mut Consumer) {
        if self.unacknowledged.is_empty() {
            self.ack_at = Instant::now() + ACK;
        }
        self.unacknowledged.extend(received);
        if self.unacknowledged.len() >= ACK_EVENTS {
            self.ack(consumer).await;
        }
    }

    async fn ack(&mut self, consumer: &mut Consumer) {
        consumer.ack(&self.unacknowledged).await;
        self.unacknowledged.clear();
    }

    /// Collects events without recipients for one commit.
    async fn collect(&mut self, received: Vec<Received>, consumer: &mut Consumer, stop: &CancellationToken) {
        if self.unaddressed.is_empty() {
            self.record_at = Instant::now() + COLLECT;
        }
        self.unaddressed.extend(received);
        if self.unaddressed.len() >= COLLECT_EVENTS {
            self.record_unaddressed(consumer, stop).await;
        }
    }

    /// Records the collected events as processed, retrying until the database is available. The bus delivers events that are
    /// not recorded again.
    async fn record_unaddressed(&mut self, consumer: &mut Consumer, stop: &CancellationToken) {
        let positions: Vec<_> = self.unaddressed.iter().map(|received| received.notice.position).collect();
        while let Err(error) = self.record_processed(&positions).await {
            if stop.is_cancelled() {
                return;
            }
            tracing::warn!(%error, events = positions.len(), "the database is unavailable; events wait");
            pause(BACK_OFF, stop).await;
        }
        self.unacknowledged.append(&mut self.unaddressed);
        self.ack(consumer).await;
    }

    /// Records events without recipients as processed. Skips events that are recorded already.
    pub(crate) async fn record_processed(&self, positions: &[i64]) -> Result<(), StoreError> {
        let mut left = positions.to_vec();
        left.sort_unstable();
        left.dedup();
        while !left.is_empty() {
            let handled = LogChange::Handled { consumer: CONSUMER, positions: left.clone() };
            match self.store.enqueue(vec![handled]).await {
                Err(StoreError::Conflict { .. }) => left = self.store.unhandled(CONSUMER, &left).await?,
                recorded => return recorded.map(drop),
            }
        }
        Ok(())
    }

    /// Processes events, retrying until the database is available. Fails if the events themselves cannot be processed.
    async fn process(
        &self,
        mut positions: Vec<i64>,
        queue: &mpsc::Sender<Leased>,
        stop: &CancellationToken,
    ) -> Result<Processed, String> {
        positions.sort_unstable();
        positions.dedup();
        while !stop.is_cancelled() {
            let mut capacity = self.capacity.current();
            // Deliveries in the channel to the sender take capacity too.
            capacity.deliveries =
                capacity.deliveries.saturating_sub(queue.max_capacity() - queue.capacity()).min(queue.capacity());
            let dispatch = AssertUnwindSafe(self.dispatch(&positions, &capacity)).catch_unwind();
            match dispatch.await {
                Ok(Ok(Dispatched::NoRecipients)) => return Ok(Processed::NoRecipients),
                Ok(Ok(Dispatched::Leased(leased))) => {
                    for leased in leased {
                        // There was capacity a moment ago. If there is none now, the sender claims the delivery from the
                        // database later.
                        drop(queue.try_send(leased));
                    }
                    return Ok(Processed::Recorded);
                }
                Ok(Err(DispatchError::Poison(reason))) => return Err(reason),
                Ok(Err(DispatchError::Store(error))) => {
                    tracing::warn!(%error, events = positions.len(), "the database is unavailable; events wait");
                    pause(BACK_OFF, stop).await;
                }
                Err(_) => return Err("the dispatcher panicked".to_owned()),
            }
        }
        Err("stopping".to_owned())
    }

    /// Writes the deliveries of these events, which are in log order. Skips events that are processed already.
    ///
    /// Returns the deliveries leased to this process, as far as `capacity` permits. Any process may claim the rest.
    pub(crate) async fn dispatch(&self, positions: &[i64], capacity: &Capacity) -> Result<Dispatched, DispatchError> {
        let mut leased = Vec::new();
        let mut left = positions.to_vec();
        while !left.is_empty() {
            let begun = buildtrack_traces::begin();
            let events = self.store.events_at(&left).await?.into_iter().collect::<Result<Vec<_>, _>>()?;
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
            let (until, next_at) = (Instant::now() + LEASE, self.store.clock().after(LEASE));
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
            match self.store.enqueue([WebhookChange::Deliveries(deliveries).into(), SideChange::from(handled)]).await {
                Ok(enqueued) => {
                    // The events are those of `left`, in the same order.
                    buildtrack_traces::processed(begun, CONSUMER, events[..done].iter().map(Recorded::traced));
                    let taken = enqueued.into_iter().filter(|delivery| taken.contains(&delivery.id));
                    leased.extend(taken.map(|delivery| Leased { delivery, until, shared: None }));
                    left.drain(..done);
                }
                Err(StoreError::Conflict { .. }) => left = self.store.unhandled(CONSUMER, &left).await?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Dispatched::Leased(leased))
    }

    /// A delivery for each recipient of the events, in log order.
    async fn deliveries(&self, events: &[Recorded]) -> Result<Vec<NewDelivery>, StoreError> {
        let pushes: Vec<_> = events
            .iter()
            .filter_map(|recorded| Some((recorded.position, recorded.event.as_ref().and_then(push_of)?)))
            .collect();
        if pushes.is_empty() {
            return Ok(vec![]);
        }
        let audience = |(position, push): &(i64, buildtrack_domain::webhooks::Push<'_>)| Audience {
            position: *position,
            circle: push.circle(),
            push_type: push.push_type(),
            actor: push.actor().map(|actor| actor.id),
        };
        let audiences: Vec<_> = pushes.iter().map(audience).collect();
        let clock = self.store.clock();
        let mut deliveries = Vec::new();
        for subscriber in self.store.subscribers(&audiences).await? {
            let found = pushes.binary_search_by_key(&subscriber.position, |(position, _)| *position);
            let Some((position, push)) = found.ok().map(|index| &pushes[index]) else { continue };
            if subscriber.filter.matches(push) {
                deliveries.push(NewDelivery {
                    id: DeliveryId::new(clock.uuid()),
                    webhook_id: subscriber.webhook_id,
                    agent_id: subscriber.agent_id,
                    position: *position,
                    push_type: push.push_type(),
                    next_at: clock.now(),
                });
            }
        }
        Ok(deliveries)
    }
}
