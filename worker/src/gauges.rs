//! Gauges of pending deliveries and queue depths, for `/metrics`.

use std::time::Duration;

use buildtrack_bus::Bus;
use buildtrack_store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::{pause::pause, queues, webhooks::CONSUMER};

const EVERY: Duration = Duration::from_secs(5);

pub(crate) async fn run(store: Store, bus: Bus, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Err(error) = deliveries(&store).await {
            tracing::warn!(%error, "pending deliveries cannot be counted");
        }
        // An unreachable broker is reported by the publisher and the consumer.
        stop.run_until_cancelled(queued(&bus)).await;
        pause(EVERY, &stop).await;
    }
}

async fn deliveries(store: &Store) -> Result<(), StoreError> {
    let depth = store.webhooks().queue_depth(CONSUMER).await?;
    let oldest = store.log().recorded_since(store.log().consumer_position(CONSUMER).await?).await?;
    let waited = oldest.and_then(|oldest| (store.log().clock().now() - oldest).to_std().ok()).unwrap_or_default();
    metrics::gauge!("buildtrack_webhook_pending").set(count(depth.pending));
    metrics::gauge!("buildtrack_webhook_behind").set(count(depth.behind));
    metrics::gauge!("buildtrack_webhook_behind_seconds").set(waited);
    Ok(())
}

async fn queued(bus: &Bus) {
    for queue in queues() {
        let name = queue.name().to_owned();
        if let Ok(depth) = bus.depth(&queue).await {
            metrics::gauge!("buildtrack_queue_depth", "queue" => name.clone()).set(precise(depth));
        }
        if let Ok(dead_letters) = bus.dead_letter_count(&queue).await {
            metrics::gauge!("buildtrack_queue_dead_letters", "queue" => name).set(precise(dead_letters));
        }
    }
}

fn count(number: i64) -> f64 {
    precise(u64::try_from(number).unwrap_or(0))
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, more than any queue holds")]
fn precise(number: u64) -> f64 {
    number as f64
}
