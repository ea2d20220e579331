//! Replays: reads a range of the log for one endpoint again, in steps, and enqueues the events that the endpoint's current
//! settings select.
//!
//! **Invariant:** the position of a replay commits together with its deliveries, so an interrupted replay resumes at that
//! position. The lease only saves other processes the work.

use std::time::Duration;

use buildtrack_domain::{event::Event, ids::DeliveryId};
use buildtrack_store::{
    Recorded, ReplayStep, ReplayView, Replayed, Store, StoreError, Subscription, WebhookChange, WebhookView,
};
use tokio_util::sync::CancellationToken;

use crate::{
    leased::{LeasedTask, Next, Schedule},
    sweeps::Sweep,
};

pub(crate) const LEASE: &str = "replays";
/// Pause between two polls for running replays.
const EVERY: Duration = Duration::from_secs(1);
/// Events per step.
const EVENTS: i64 = 500;
/// Pending deliveries of an endpoint at which its replay pauses, so that the table does not grow faster than it shrinks.
const WAITING: i64 = 2000;

/// Advances replays.
pub(crate) struct Replays {
    store: Store,
    sweep: Sweep,
}

impl Replays {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, sweep: Sweep::new(LEASE) }
    }
}

impl LeasedTask for Replays {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, LEASE, Duration::from_secs(10));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        step(&self.store, &mut self.sweep).await.map(Next::now_if)
    }
}

/// Advances every running replay that may proceed by one step. True if any has moved.
pub(crate) async fn step(store: &Store, sweep: &mut Sweep) -> Result<bool, StoreError> {
    let mut moved = false;
    for (key, replay) in store.webhooks().running_replays().await? {
        if sweep.is_postponed(&key) {
            continue;
        }
        let work = async {
            moved |= advance(store, replay?).await?;
            Ok(())
        };
        sweep.attempt(store, &key, work).await?;
    }
    Ok(moved)
}

async fn advance(store: &Store, replay: ReplayView) -> Result<bool, StoreError> {
    let webhook = store.webhooks().webhook(replay.webhook_id).await?;
    let active = store.identity().agent(replay.agent_id).await?.is_some_and(|agent| agent.active);
    let Some(webhook) = webhook.filter(|_| active) else {
        store.log().write_side(vec![WebhookChange::ReplayCancelled { id: replay.id }]).await?;
        return Ok(true);
    };
    // The owner may enable a disabled endpoint again, so its replay waits.
    if !webhook.is_on() || store.webhooks().waiting(replay.agent_id, webhook.id, WAITING).await? >= WAITING {
        return Ok(false);
    }
    let step = next(store, replay, &webhook).await?;
    metrics::counter!("buildtrack_webhook_replayed_total").increment(step.deliveries.len() as u64);
    store.log().write_side(vec![WebhookChange::ReplayStep(Box::new(step))]).await?;
    Ok(true)
}

/// The next step. The endpoint's settings are read anew at each step, so they may change during a replay.
async fn next(store: &Store, replay: ReplayView, webhook: &WebhookView) -> Result<ReplayStep, StoreError> {
    let selected = store
        .webhooks()
        .subscribed_events(&Subscription::from(webhook), replay.position, replay.until_position, EVENTS)
        .await?;
    let mut previous = None;
    let replayed = |recorded: &Recorded| {
        let push = recorded.event.as_ref().and_then(Event::push)?;
        let (id, position) = (DeliveryId::new(store.log().clock().uuid()), recorded.position);
        Some(Replayed { id, position, push_type: push.push_type, previous: previous.replace(position) })
    };
    let deliveries = selected.events.iter().filter_map(replayed).collect();
    Ok(ReplayStep { replay, to: selected.reached, deliveries })
}
