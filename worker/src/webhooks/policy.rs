//! Delivery policies of endpoints.

use buildtrack_store::Endpoint;

/// The delivery policy of an endpoint: ordering, batching and verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeliveryPolicy {
    /// Deliveries are made one after the other, in log order.
    pub(crate) ordered: bool,
    /// Maximum number of events per push.
    pub(crate) batch: usize,
    /// Whether the endpoint has ever answered with 2xx at its current address.
    pub(crate) verified: bool,
}

impl DeliveryPolicy {
    pub(crate) const PLAIN: Self = Self { ordered: false, batch: 1, verified: true };

    pub(crate) fn of(endpoint: &Endpoint) -> Self {
        let Endpoint { webhook, .. } = endpoint;
        let batch = usize::try_from(webhook.batch).unwrap_or(1).max(1);
        Self { ordered: webhook.ordered, batch, verified: webhook.verified_at.is_some() }
    }
}
