//! How much waits, for `/metrics`.

use std::time::Duration;

use buildtrack_store::Store;
use tokio_util::sync::CancellationToken;

use crate::{pause::pause, webhooks::CONSUMER};

const EVERY: Duration = Duration::from_secs(5);

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match store.queue_depth(CONSUMER).await {
            Ok(depth) => {
                metrics::gauge!("buildtrack_webhook_pending").set(count(depth.pending));
                metrics::gauge!("buildtrack_webhook_behind").set(count(depth.behind));
            }
            Err(error) => tracing::warn!(%error, "what waits to be pushed cannot be counted"),
        }
        pause(EVERY, &stop).await;
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, which is more than will ever wait")]
fn count(number: i64) -> f64 {
    number.max(0) as f64
}
