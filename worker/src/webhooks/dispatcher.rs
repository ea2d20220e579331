//! Dispatcher: the consumer `webhooks`, which dispatches the events that the bus delivers, and acknowledges them.
//!
//! **Invariant:** an event that cannot be processed becomes a dead letter after its last attempt and delays no other event.

use std::{panic::AssertUnwindSafe, time::Duration};

use buildtrack_bus::{Consumer, Received};
use buildtrack_domain::webhooks::is_never_pushed;
use buildtrack_store::Store;
use futures_util::FutureExt;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    capacity::SharedCapacity,
    fan_out::{DispatchError, Dispatched, FanOut},
    lanes::Leased,
};
use crate::pause::{BACK_OFF, pause};

/// Events processed in one batch: few enough to hold in memory when each has 20 000 characters.
const EVENTS: usize = 256;
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
    fan_out: FanOut,
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

impl Dispatcher {
    pub(crate) fn new(store: Store, capacity: SharedCapacity) -> Self {
        let (record_at, ack_at) = (Instant::now(), Instant::now());
        let fan_out = FanOut::new(store.clone());
        Self {
            store,
            fan_out,
            capacity,
            retries: vec![],
            unaddressed: vec![],
            record_at,
            unacknowledged: vec![],
            ack_at,
        }
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
            consumer.reject(&received, &error, self.store.log().clock().now()).await;
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
        while let Err(error) = self.fan_out.record_processed(&positions).await {
            if stop.is_cancelled() {
                return;
            }
            tracing::warn!(%error, events = positions.len(), "the database is unavailable; events wait");
            pause(BACK_OFF, stop).await;
        }
        self.unacknowledged.append(&mut self.unaddressed);
        self.ack(consumer).await;
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
            let dispatch = AssertUnwindSafe(self.fan_out.dispatch(&positions, &capacity)).catch_unwind();
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
}
