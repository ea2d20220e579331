//! The consumer `webhooks`: writes a delivery for everyone who is to hear of an event.
//!
//! **Invariant:** deliveries commit together with the note that their event is dealt with, and only once: whoever is
//! told of an event how often, each endpoint gets one delivery of it. **Invariant:** an event that cannot be dealt
//! with goes to the dead letters after its tries, and keeps no other one waiting.

use std::{collections::HashSet, panic::AssertUnwindSafe, time::Duration};

use buildtrack_bus::{Consumer, Received};
use buildtrack_domain::{ids::DeliveryId, webhooks::is_never_pushed};
use buildtrack_store::{Audience, Kept, NewDelivery, Recorded, Store, StoreError};
use futures_util::FutureExt;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    CONSUMER, LEASE,
    lanes::Leased,
    openings::{Openings, Room},
    push_of,
};
use crate::pause::{BACK_OFF, pause};

/// Events dealt with at once: few enough to hold in memory when each has 20000 characters.
const EVENTS: usize = 256;
/// Deliveries after which a commit is made.
const DELIVERIES: usize = 2048;
/// How often an event is tried before it goes to the dead letters, and the pause after the first try; each is twice as
/// long as the one before.
const TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// How long events of which nobody is to hear wait for each other before it is noted that they are dealt with, and how
/// many of them at most: fewer than a consumer may hold.
const QUIET: Duration = Duration::from_millis(100);
const QUIET_EVENTS: usize = 512;

/// How long events that are dealt with wait for each other before they are acknowledged, and how many of them at most: each
/// acknowledgement costs the broker about as much as an event.
const ACK: Duration = Duration::from_millis(100);
const ACK_EVENTS: usize = 256;

/// Deals with events.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    store: Store,
    openings: Openings,
    /// Events that failed, with when they are tried again.
    troubled: Vec<Troubled>,
    /// Events of which nobody is to hear, in the order in which they came, and when that is noted.
    quiet: Vec<Received>,
    quiet_until: Instant,
    /// Events that are dealt with, and when that is acknowledged.
    dealt: Vec<Received>,
    ack_at: Instant,
}

/// Whether it is noted that events are dealt with, or is to be noted with others.
enum Dealt {
    Noted,
    Quiet,
}

#[derive(Debug)]
struct Troubled {
    received: Received,
    tries: u32,
    again_at: Instant,
}

/// What was done with events.
#[derive(Debug)]
pub(crate) enum Dispatched {
    /// They are dealt with; these deliveries are this process's to make now.
    Leased(Vec<Leased>),
    /// Nobody is to hear of them; that is not noted yet.
    Quiet,
}

/// Why an event is not dealt with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DispatchError {
    /// The event itself is the trouble.
    #[error("{0}")]
    Poison(String),
    /// The database is; it is tried until it comes back.
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
    pub(crate) fn new(store: Store, openings: Openings) -> Self {
        let (quiet_until, ack_at) = (Instant::now(), Instant::now());
        Self { store, openings, troubled: vec![], quiet: vec![], quiet_until, dealt: vec![], ack_at }
    }

    /// Deals with what arrives until `stop`, handing over what is to be sent at once.
    pub(crate) async fn run(mut self, mut consumer: Consumer, queue: mpsc::Sender<Leased>, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            let again_at = self.troubled.iter().map(|troubled| troubled.again_at).min();
            tokio::select! {
                () = stop.cancelled() => {}
                received = consumer.next(EVENTS) => self.receive(received, &mut consumer, &queue, stop).await,
                () = sleep_until(again_at.unwrap_or_else(Instant::now)), if again_at.is_some() => {
                    self.try_again(&mut consumer, &queue, stop).await;
                }
                () = sleep_until(self.quiet_until), if !self.quiet.is_empty() => {
                    self.note_quiet(&mut consumer, stop).await;
                }
                () = sleep_until(self.ack_at), if !self.dealt.is_empty() => self.ack(&mut consumer).await,
            }
        }
        self.note_quiet(&mut consumer, stop).await;
        self.ack(&mut consumer).await;
    }

    /// Deals with all of them at once or, if that fails, with one after the other. Those whose type says enough are not read.
    async fn receive(
        &mut self,
        mut received: Vec<Received>,
        consumer: &mut Consumer,
        queue: &mpsc::Sender<Leased>,
        stop: &CancellationToken,
    ) {
        let quiet: Vec<_> = received.extract_if(.., |received| is_never_pushed(&received.notice.event_type)).collect();
        if !quiet.is_empty() {
            self.hold(quiet, consumer, stop).await;
        }
        if received.is_empty() {
            return;
        }
        let positions = received.iter().map(|received| received.notice.position).collect();
        match self.deal_with(positions, queue, stop).await {
            Ok(Dealt::Noted) => self.noted(received, consumer).await,
            Ok(Dealt::Quiet) => self.hold(received, consumer, stop).await,
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
        tries: u32,
        consumer: &mut Consumer,
        queue: &mpsc::Sender<Leased>,
        stop: &CancellationToken,
    ) {
        let position = received.notice.position;
        let error = match self.deal_with(vec![position], queue, stop).await {
            Ok(Dealt::Noted) => return self.noted(vec![received], consumer).await,
            Ok(Dealt::Quiet) => return self.hold(vec![received], consumer, stop).await,
            Err(error) => error,
        };
        let tries = tries + 1;
        if stop.is_cancelled() {
            // What is not settled comes again.
        } else if tries < TRIES {
            tracing::warn!(position, tries, error, "an event cannot be dealt with; it is tried again");
            let again_at = Instant::now() + FIRST_PAUSE * 2_u32.pow(tries - 1);
            self.troubled.push(Troubled { received, tries, again_at });
        } else {
            tracing::error!(position, error, "an event cannot be dealt with; it goes to the dead letters");
            metrics::counter!("buildtrack_dead_letters_total").increment(1);
            consumer.reject(&received, &error, self.store.clock().now()).await;
        }
    }

    async fn try_again(&mut self, consumer: &mut Consumer, queue: &mpsc::Sender<Leased>, stop: &CancellationToken) {
        let now = Instant::now();
        let due: Vec<_> = self.troubled.extract_if(.., |troubled| troubled.again_at <= now).collect();
        for Troubled { received, tries, .. } in due {
            self.receive_one(received, tries, consumer, queue, stop).await;
        }
    }

    /// Lets events that are dealt with wait for more of them.
    async fn noted(&mut self, received: Vec<Received>, consumer: &mut Consumer) {
        if self.dealt.is_empty() {
            self.ack_at = Instant::now() + ACK;
        }
        self.dealt.extend(received);
        if self.dealt.len() >= ACK_EVENTS {
            self.ack(consumer).await;
        }
    }

    async fn ack(&mut self, consumer: &mut Consumer) {
        consumer.ack(&self.dealt).await;
        self.dealt.clear();
    }

    /// Lets events of which nobody is to hear wait for more of them.
    async fn hold(&mut self, received: Vec<Received>, consumer: &mut Consumer, stop: &CancellationToken) {
        if self.quiet.is_empty() {
            self.quiet_until = Instant::now() + QUIET;
        }
        self.quiet.extend(received);
        if self.quiet.len() >= QUIET_EVENTS {
            self.note_quiet(consumer, stop).await;
        }
    }

    /// Notes that they are dealt with, however long the database takes to come back. What is not noted comes again.
    async fn note_quiet(&mut self, consumer: &mut Consumer, stop: &CancellationToken) {
        let positions: Vec<_> = self.quiet.iter().map(|received| received.notice.position).collect();
        while let Err(error) = self.note(&positions).await {
            if stop.is_cancelled() {
                return;
            }
            tracing::warn!(%error, events = positions.len(), "events wait for the database");
            pause(BACK_OFF, stop).await;
        }
        self.dealt.append(&mut self.quiet);
        self.ack(consumer).await;
    }

    /// Notes that events are dealt with for which there is nothing to do; those of which that is known are passed over.
    pub(crate) async fn note(&self, positions: &[i64]) -> Result<(), StoreError> {
        let mut left = positions.to_vec();
        left.sort_unstable();
        left.dedup();
        while !left.is_empty() {
            let handled = Kept::Handled { consumer: CONSUMER, positions: left.clone() };
            match self.store.enqueue(vec![handled]).await {
                Err(StoreError::Conflict { .. }) => left = self.store.unhandled(CONSUMER, &left).await?,
                noted => return noted.map(drop),
            }
        }
        Ok(())
    }

    /// Deals with events however long the database takes to come back; fails where the events are the trouble.
    async fn deal_with(
        &self,
        mut positions: Vec<i64>,
        queue: &mpsc::Sender<Leased>,
        stop: &CancellationToken,
    ) -> Result<Dealt, String> {
        positions.sort_unstable();
        positions.dedup();
        while !stop.is_cancelled() {
            let mut room = self.openings.now();
            // What is on its way there takes places too.
            room.places = room.places.saturating_sub(queue.max_capacity() - queue.capacity()).min(queue.capacity());
            let dispatch = AssertUnwindSafe(self.dispatch(&positions, &room)).catch_unwind();
            match dispatch.await {
                Ok(Ok(Dispatched::Quiet)) => return Ok(Dealt::Quiet),
                Ok(Ok(Dispatched::Leased(leased))) => {
                    for leased in leased {
                        // There was room. Should it be gone, the delivery is taken up from the database.
                        drop(queue.try_send(leased));
                    }
                    return Ok(Dealt::Noted);
                }
                Ok(Err(DispatchError::Poison(reason))) => return Err(reason),
                Ok(Err(DispatchError::Store(error))) => {
                    tracing::warn!(%error, events = positions.len(), "events wait for the database");
                    pause(BACK_OFF, stop).await;
                }
                Err(_) => return Err("the consumer broke off".to_owned()),
            }
        }
        Err("stopping".to_owned())
    }

    /// Writes the deliveries of these events, which are in order; gives those that this process is to make now, for which
    /// there is room. The rest are anybody's. Those that were dealt with before are passed over.
    pub(crate) async fn dispatch(&self, positions: &[i64], room: &Room) -> Result<Dispatched, DispatchError> {
        let mut leased = Vec::new();
        let mut left = positions.to_vec();
        while !left.is_empty() {
            let begun = buildtrack_traces::begin();
            let events = self.store.events_at(&left).await?.into_iter().collect::<Result<Vec<_>, _>>()?;
            if events.len() < left.len() {
                // The broker may be faster than a replica of the database.
                return Err(StoreError::Damaged("the log has no such event".into()).into());
            }
            let mut deliveries = self.deliveries(&events).await?;
            if deliveries.is_empty() && left.len() == positions.len() {
                buildtrack_traces::processed(begun, CONSUMER, events.iter().map(Recorded::traced));
                return Ok(Dispatched::Quiet);
            }
            // Whole events, about as many deliveries as one statement takes.
            let last = deliveries.get(DELIVERIES).map_or(i64::MAX, |delivery| delivery.position.max(left[0] + 1) - 1);
            deliveries.retain(|delivery| delivery.position <= last);
            let done = left.partition_point(|position| *position <= last);
            let (until, next_at) = (Instant::now() + LEASE, self.store.clock().after(LEASE));
            let places = room.places.saturating_sub(leased.len());
            let open = deliveries.iter_mut().filter(|delivery| !room.full.contains(&delivery.webhook_id));
            let taken: HashSet<_> = open
                .take(places)
                .map(|delivery| {
                    delivery.next_at = next_at;
                    delivery.id
                })
                .collect();
            let handled = Kept::Handled { consumer: CONSUMER, positions: left[..done].to_vec() };
            match self.store.enqueue(vec![Kept::Deliveries(deliveries), handled]).await {
                Ok(enqueued) => {
                    // The events are those of `left`, in its order.
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

    /// A delivery for everyone who is to hear of the events, in their order.
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
