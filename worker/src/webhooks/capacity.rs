//! The sender's free capacity as seen by the dispatcher. Deliveries beyond it stay in the database, so that they are written
//! once and not released again.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use buildtrack_domain::ids::WebhookId;

/// Capacity shared by dispatcher and sender. The values may be slightly stale: the sender releases deliveries beyond its
/// capacity.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedCapacity(Arc<Mutex<Capacity>>);

/// A number of deliveries, and the endpoints that accept none of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Capacity {
    pub(crate) deliveries: usize,
    pub(crate) full: HashSet<WebhookId>,
}

impl SharedCapacity {
    /// The current capacity.
    pub(crate) fn current(&self) -> Capacity {
        self.with(|capacity| capacity.clone())
    }

    /// Sets the number of deliveries that the sender accepts.
    pub(crate) fn set_deliveries(&self, deliveries: usize) {
        self.with(|capacity| capacity.deliveries = deliveries);
    }

    /// Sets the endpoints whose lanes are full.
    pub(crate) fn set_full(&self, full: impl IntoIterator<Item = WebhookId>) {
        self.with(|capacity| capacity.full = full.into_iter().collect());
    }

    /// Adds an endpoint whose lane is full.
    pub(crate) fn mark_full(&self, webhook_id: WebhookId) {
        self.with(|capacity| _ = capacity.full.insert(webhook_id));
    }

    fn with<T>(&self, change: impl FnOnce(&mut Capacity) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Capacity {
    /// Unlimited capacity.
    pub(crate) fn unlimited() -> Self {
        Self { deliveries: usize::MAX, full: HashSet::new() }
    }
}
