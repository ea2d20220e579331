//! Deferred updates of deliveries that the sender does not attempt: releases and postponements, collected and written in one
//! transaction at a time.

use std::collections::HashMap;

use buildtrack_domain::ids::{DeliveryId, WebhookId};
use buildtrack_store::{Store, WaitsFor, WebhookChange};
use chrono::{DateTime, Utc};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use super::lanes::LeaseEnds;
use crate::pause::BACK_OFF;

/// Collects updates and writes them in the background. They may be lost: a delivery becomes due anyway when its lease
/// expires.
pub(crate) struct DeferredUpdates {
    store: Store,
    updates: Updates,
    under_way: JoinSet<()>,
}

#[derive(Default)]
struct Updates {
    endpoints: HashMap<WebhookId, (DateTime<Utc>, Option<i64>)>,
    postponed: HashMap<(WebhookId, WaitsFor), (DateTime<Utc>, Vec<DeliveryId>)>,
    released: LeaseEnds,
    unattempted: LeaseEnds,
}

impl DeferredUpdates {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, updates: Updates::default(), under_way: JoinSet::new() }
    }

    /// Postpones all pending deliveries of the endpoint until `until`, unless its breaker was reset more often than `resets`.
    pub(crate) fn postpone_endpoint(&mut self, webhook_id: WebhookId, until: DateTime<Utc>, resets: Option<i64>) {
        self.updates.endpoints.insert(webhook_id, (until, resets));
    }

    /// Releases a delivery for which this process has no capacity. Its lease ends at `until`.
    pub(crate) fn release(&mut self, delivery: DeliveryId, until: Instant) {
        self.updates.released.push((delivery, until));
    }

    /// Releases deliveries that were not attempted because the database failed. They become due soon after it is back.
    pub(crate) fn retry_soon(&mut self, deliveries: LeaseEnds) {
        self.updates.unattempted.extend(deliveries);
    }

    /// Postpones a delivery until `until`.
    pub(crate) fn postpone(
        &mut self,
        (webhook_id, waits_for): (WebhookId, WaitsFor),
        delivery: DeliveryId,
        until: DateTime<Utc>,
    ) {
        self.updates.postponed.entry((webhook_id, waits_for)).or_insert((until, vec![])).1.push(delivery);
    }

    /// Starts writing the collected updates, unless a write is running.
    pub(crate) fn flush(&mut self) {
        if !self.is_writing() && !self.updates.is_empty() {
            self.under_way.spawn(std::mem::take(&mut self.updates).write(self.store.clone()));
        }
    }

    /// Waits until a running write ends; forever if none is running.
    pub(crate) async fn flushed(&mut self) {
        if self.under_way.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether a write is running, or its end was not awaited.
    pub(crate) fn is_writing(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// Writes all collected updates.
    pub(crate) async fn finish(&mut self) {
        while self.is_writing() || !self.updates.is_empty() {
            self.flush();
            self.flushed().await;
        }
    }
}

impl Updates {
    fn is_empty(&self) -> bool {
        let Self { endpoints, postponed, released, unattempted } = self;
        endpoints.is_empty() && postponed.is_empty() && released.is_empty() && unattempted.is_empty()
    }

    /// Writes the updates. Releases are retried until the database is available; postponements are dropped after a failure.
    async fn write(mut self, store: Store) {
        loop {
            // After a lease has expired, another process may have claimed the delivery.
            let now = Instant::now();
            self.released.retain(|(_, until)| now < *until);
            self.unattempted.retain(|(_, until)| now < *until);
            if self.is_empty() {
                return;
            }
            let Err(error) = store.log().write_side(self.changes(store.log().clock().now())).await else { return };
            tracing::debug!(%error, "updates of deliveries were not written; releases are retried");
            self.endpoints.clear();
            self.postponed.clear();
            sleep(BACK_OFF).await;
        }
    }

    fn changes(&self, now: DateTime<Utc>) -> Vec<WebhookChange> {
        let mut changes: Vec<_> = self
            .endpoints
            .iter()
            .map(|(id, until)| WebhookChange::Postponed { webhook_id: *id, until: until.0, resets: until.1 })
            .collect();
        let postponed = self.postponed.iter().map(|((_, waits_for), (at, deliveries))| WebhookChange::Released {
            deliveries: deliveries.clone(),
            at: *at,
            waits_for: Some(*waits_for),
        });
        changes.extend(postponed);
        for (dropped, at) in [(&self.released, now), (&self.unattempted, now + BACK_OFF)] {
            if !dropped.is_empty() {
                let deliveries = dropped.iter().map(|(id, _)| *id).collect();
                changes.push(WebhookChange::Released { deliveries, at, waits_for: None });
            }
        }
        changes
    }
}
