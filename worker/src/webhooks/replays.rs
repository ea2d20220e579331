//! Replays: goes over the log once more for one endpoint, step by step, and enqueues what it would be told of now.
//!
//! **Invariant:** how far a replay has come commits with its deliveries, so that it goes on there wherever it was cut off.
//! The lease merely saves the others the work.

use std::time::Duration;

use buildtrack_domain::{ids::DeliveryId, webhooks::Push};
use buildtrack_store::{Hearing, Kept, Recorded, ReplayStep, ReplayView, Replayed, Store, StoreError, WebhookView};
use tokio_util::sync::CancellationToken;

use crate::{
    pause::{BACK_OFF, pause},
    sweeps::Sweep,
};

pub(crate) const LEASE: &str = "replays";
/// How long one process has the replays before another may. It is renewed at every look.
const HOLDING: Duration = Duration::from_secs(10);
/// How often it is looked for what there is to do.
const LOOK: Duration = Duration::from_secs(1);
/// Events a step.
const EVENTS: i64 = 500;
/// Deliveries that may wait for an endpoint before its replay does, so that the table fills no faster than it empties.
const WAITING: i64 = 2000;

/// Takes replays on until `stop`.
pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let (holder, mut sweep) = (store.clock().uuid().to_string(), Sweep::new(LEASE));
    while !stop.is_cancelled() {
        match look(&store, &holder, &mut sweep).await {
            Ok(true) => {}
            Ok(false) => pause(LOOK, &stop).await,
            Err(error) => {
                tracing::warn!(%error, "replays cannot be taken on; trying again");
                pause(BACK_OFF, &stop).await;
            }
        }
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for replays was not given back; it ends by itself");
    }
}

async fn look(store: &Store, holder: &str, sweep: &mut Sweep) -> Result<bool, StoreError> {
    Ok(store.lease(LEASE, holder, HOLDING).await? && step(store, sweep).await?)
}

/// Takes every replay one step further that may go on; tells whether any has moved.
pub(crate) async fn step(store: &Store, sweep: &mut Sweep) -> Result<bool, StoreError> {
    let mut moved = false;
    for (key, replay) in store.running_replays().await? {
        if sweep.is_put_off(&key) {
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
    let webhook = store.webhook(replay.webhook_id).await?;
    let active = store.agent(replay.agent_id).await?.is_some_and(|agent| agent.active);
    let Some(webhook) = webhook.filter(|_| active) else {
        store.keep(vec![Kept::ReplayCancelled { id: replay.id }]).await?;
        return Ok(true);
    };
    // Whoever has switched the endpoint off may switch it on again.
    if !webhook.is_on() || store.waiting(replay.agent_id, webhook.id, WAITING).await? >= WAITING {
        return Ok(false);
    }
    let step = next(store, replay, &webhook).await?;
    metrics::counter!("buildtrack_webhook_replayed_total").increment(step.deliveries.len() as u64);
    store.keep(vec![Kept::ReplayStep(Box::new(step))]).await?;
    Ok(true)
}

/// What comes next. The endpoint is asked anew at every step, so that what it wants to hear of may change on the way.
async fn next(store: &Store, replay: ReplayView, webhook: &WebhookView) -> Result<ReplayStep, StoreError> {
    let told = store.told(&Hearing::from(webhook), replay.position, replay.until_position, EVENTS).await?;
    let mut previous = None;
    let replayed = |recorded: &Recorded| {
        let push = recorded.event.as_ref().and_then(Push::of)?;
        let (id, position) = (DeliveryId::new(store.clock().uuid()), recorded.position);
        Some(Replayed { id, position, push_type: push.push_type(), previous: previous.replace(position) })
    };
    let deliveries = told.events.iter().filter_map(replayed).collect();
    Ok(ReplayStep { replay, to: told.reached, deliveries })
}
