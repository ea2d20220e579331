//! What a sender reads from the database: due deliveries, which it claims, and the delivery policies of endpoints.

use std::time::Duration;

use buildtrack_store::{ClaimLimits, ClaimedDeliveries, Delivery, Store, StoreError, StoredBreaker};
use tokio::time::Instant;

use super::{LEASE, policy::DeliveryPolicy, pusher::Pusher};

/// Longest pause between two queries for due deliveries.
pub(crate) const POLL: Duration = Duration::from_secs(1);

/// The result of a query for due deliveries.
pub(crate) enum Found {
    /// Deliveries leased by this process until `until`, within these limits.
    Due { claimed: ClaimedDeliveries, until: Instant, limits: ClaimLimits },
    /// No delivery is due for this long.
    Nothing(Duration),
}

/// The endpoint's delivery policy and breaker; `None` if the database fails.
pub(crate) async fn read_policy(pusher: &Pusher, delivery: &Delivery) -> Option<(DeliveryPolicy, StoredBreaker)> {
    let policy = pusher.policy(delivery).await;
    policy.inspect_err(|error| tracing::warn!(%error, "an endpoint's delivery policy cannot be read")).ok()
}

/// Claims due deliveries for this process, within these limits.
pub(crate) async fn claim(store: Store, limits: ClaimLimits) -> Result<Found, StoreError> {
    let Some(due) = store.webhooks().next_due().await? else { return Ok(Found::Nothing(POLL)) };
    let wait = (due - store.log().clock().now()).to_std().unwrap_or_default();
    if !wait.is_zero() {
        return Ok(Found::Nothing(wait.min(POLL)));
    }
    let until = Instant::now() + LEASE;
    let claimed = store.webhooks().claim_due_within(LEASE, limits.clone()).await?;
    Ok(Found::Due { claimed, until, limits })
}
