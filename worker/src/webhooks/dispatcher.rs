//! The consumer `webhooks`: follows the log and writes a delivery for everyone who is to hear of an event.
//!
//! **Invariant:** deliveries and the consumer's new position commit together, and only from where the consumer stood:
//! whoever follows the log at the same time, each event is dispatched once. The lease merely saves the others the work.

use std::time::Duration;

use buildtrack_domain::{actors::ActorId, ids::DeliveryId};
use buildtrack_store::{Kept, NewDelivery, Recorded, Store, StoreError};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::{CONSUMER, LEASE, lanes::Leased, push_of, subscribers::Subscribers};
use crate::pause::{BACK_OFF, pause};

/// How long one process follows the log before another may. It is renewed long before.
const FOLLOWING: Duration = Duration::from_secs(5);
const RENEWAL: Duration = Duration::from_secs(2);
/// Events a step: few enough to hold in memory when each has 20000 characters.
const EVENTS: usize = 256;
/// Deliveries after which a step ends early.
const DELIVERIES: usize = 2048;

/// Follows the log.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    store: Store,
    holder: String,
    /// None where the database must be asked.
    place: Option<Place>,
    subscribers: Subscribers,
}

/// How far the log was followed.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// As the database has it.
    saved: i64,
    /// As this process knows. Events that nobody is to hear of are not worth a commit each.
    seen: i64,
}

/// What one step led to.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// Deliveries that this process is to make now.
    pub(crate) leased: Vec<Leased>,
    /// How many events were looked at.
    pub(crate) events: usize,
}

impl Dispatcher {
    pub(crate) fn new(store: Store) -> Self {
        let holder = store.clock().uuid().to_string();
        Self { store, holder, place: None, subscribers: Subscribers::default() }
    }

    /// Follows the log until `stop`, handing over what is to be sent at once.
    pub(crate) async fn run(mut self, queue: mpsc::Sender<Leased>, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.follow(&queue, stop).await {
                tracing::warn!(%error, "the log cannot be followed; trying again");
                self.step_down().await;
                pause(BACK_OFF, stop).await;
            }
        }
        if let Err(error) = self.save().await {
            tracing::debug!(%error, "the place in the log was not saved; a few events are looked at again");
        }
        self.step_down().await;
    }

    /// Follows the log while the lease is fresh; waits where somebody else holds it.
    async fn follow(&mut self, queue: &mpsc::Sender<Leased>, stop: &CancellationToken) -> Result<(), StoreError> {
        if !self.store.lease(CONSUMER, &self.holder, FOLLOWING).await? {
            self.forget();
            pause(BACK_OFF, stop).await;
            return Ok(());
        }
        let renewal = Instant::now() + RENEWAL;
        while Instant::now() < renewal && !stop.is_cancelled() {
            let Step { leased, events } = self.step(queue.capacity()).await?;
            for leased in leased {
                // There was room. Should it be gone, the delivery is taken up from the database.
                drop(queue.try_send(leased));
            }
            if events == 0 {
                let seen = self.place().await?.seen;
                tokio::select! {
                    _ = timeout_at(renewal, self.store.tail().beyond(seen)) => {}
                    () = stop.cancelled() => {}
                }
            }
        }
        self.save().await
    }

    /// Looks at the next events. Of their deliveries, this process takes up the first `room`; the rest are anybody's.
    pub(crate) async fn step(&mut self, room: usize) -> Result<Step, StoreError> {
        let mut place = self.place().await?;
        let events = self.store.follow(place.seen, EVENTS).await?;
        let mut deliveries = Vec::new();
        let mut looked_at = 0;
        for event in &events {
            self.tell(event, &mut deliveries).await?;
            place.seen = event.position;
            looked_at += 1;
            if deliveries.len() >= DELIVERIES {
                break;
            }
        }
        self.place = Some(place);
        let until = Instant::now() + LEASE;
        let next_at = self.store.clock().after(LEASE);
        deliveries.iter_mut().take(room).for_each(|delivery| delivery.next_at = next_at);
        if !deliveries.is_empty() && !self.commit(vec![Kept::Deliveries(deliveries.clone())]).await? {
            deliveries.clear();
        }
        let leased = deliveries.into_iter().take(room).map(|new| Leased { delivery: new.into(), until }).collect();
        Ok(Step { leased, events: looked_at })
    }

    /// Adds a delivery for everyone who is to hear of the event.
    async fn tell(&mut self, recorded: &Recorded, deliveries: &mut Vec<NewDelivery>) -> Result<(), StoreError> {
        let Some(event) = &recorded.event else { return Ok(()) };
        self.subscribers.note(event);
        let Some(push) = push_of(event) else { return Ok(()) };
        let (position, push_type, clock) = (recorded.position, push.push_type(), self.store.clock());
        let subscribers = self.subscribers.of(&self.store, push.workspace_id(), position, push_type).await?;
        let others = subscribers.iter().filter(|subscriber| ActorId::Agent(subscriber.agent_id) != push.actor().id);
        deliveries.extend(others.map(|subscriber| NewDelivery {
            id: DeliveryId::new(clock.uuid()),
            webhook_id: subscriber.webhook_id,
            agent_id: subscriber.agent_id,
            position,
            push_type,
            next_at: clock.now(),
        }));
        Ok(())
    }

    async fn place(&mut self) -> Result<Place, StoreError> {
        if let Some(place) = self.place {
            return Ok(place);
        }
        let saved = self.store.consumer_position(CONSUMER).await?;
        Ok(*self.place.insert(Place { saved, seen: saved }))
    }

    /// Writes down how far the log was followed, where that is not known yet.
    pub(crate) async fn save(&mut self) -> Result<(), StoreError> {
        match self.place {
            Some(Place { saved, seen }) if saved < seen => self.commit(vec![]).await.map(drop),
            _ => Ok(()),
        }
    }

    /// Commits with the new position; false, and nothing is written, where somebody else has moved it meanwhile.
    async fn commit(&mut self, mut kept: Vec<Kept>) -> Result<bool, StoreError> {
        let Place { saved, seen } = self.place().await?;
        kept.push(Kept::Consumed { consumer: CONSUMER, from: saved, to: seen });
        match self.store.keep(kept).await {
            Ok(()) => {
                self.place = Some(Place { saved: seen, seen });
                Ok(true)
            }
            Err(StoreError::Conflict { .. }) => {
                self.forget();
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// The database knows better, or will be asked later.
    fn forget(&mut self) {
        self.place = None;
        self.subscribers = Subscribers::default();
    }

    /// Lets somebody else follow the log, who may be better placed.
    async fn step_down(&mut self) {
        self.forget();
        if let Err(error) = self.store.release(CONSUMER, &self.holder).await {
            tracing::debug!(%error, "the lease for following the log was not given back; it ends by itself");
        }
    }
}
