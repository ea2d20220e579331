//! Applies a change of an endpoint to its events, its side-table row and its pending deliveries.

use buildtrack_domain::{
    decide::{Command, State},
    webhooks::{Addressed, ChangeWebhook, Filter, PushType, Webhook, WebhookSettings},
};
use buildtrack_http::problem::Problem;
use buildtrack_store::{Loaded, Unit, WebhookChange, WebhookView};
use chrono::{DateTime, Utc};

use super::schemas::WebhookChanges;

use crate::webhooks::event_names::push_types;

/// Parsed changes of an endpoint. Absent members stay unchanged.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The target; null for polling alone.
    pub url: Option<Option<String>>,
    /// The description; null for none.
    pub description: Option<Option<String>>,
    /// The events that it receives.
    pub events: Option<Vec<PushType>>,
    /// Which of them.
    pub filter: Option<Filter>,
    /// Whether deliveries keep the order of events.
    pub ordered: Option<bool>,
    /// The maximum number of events in a delivery.
    pub batch: Option<i64>,
    /// Whether it receives deliveries.
    pub enabled: Option<bool>,
}

impl From<WebhookChanges> for Changes {
    fn from(body: WebhookChanges) -> Self {
        let WebhookChanges { url, description, events, filter, ordered, batch, enabled } = body;
        let events = events.map(|names| push_types(Some(names)));
        Self { url, description, events, filter: filter.map(Filter::from), ordered, batch, enabled }
    }
}

impl Changes {
    /// Decides the change, and writes its events and the side-table rows of the endpoint and its pending deliveries. Returns whether the
    /// caller has given the endpoint another address, and with it another origin.
    pub fn make(
        &self,
        unit: &mut Unit<'_>,
        loaded: &Loaded<Webhook>,
        stored: WebhookView,
        now: DateTime<Utc>,
    ) -> Result<bool, Problem> {
        let url = self.url.clone().unwrap_or_else(|| stored.url.clone());
        let description = self.description.clone().unwrap_or_else(|| stored.description.clone());
        let command = ChangeWebhook {
            events: self.events.clone(),
            filter: self.filter.clone(),
            ordered: self.ordered,
            batch: self.batch,
            enabled: self.enabled,
            address_changed: url != stored.url,
            description_changed: description != stored.description,
        };
        let (webhook_id, agent_id) = (stored.id, stored.agent_id);
        let decided = command.decide(Addressed { webhook_id, agent_id, webhook: &loaded.state })?;
        if decided.is_empty() {
            return Ok(false);
        }
        let before = &loaded.state;
        let after = decided.iter().fold(Webhook::clone(before), Webhook::apply);
        let WebhookSettings { events, filter, ordered, batch } = after.settings;
        let changed = WebhookView { url, description, events, filter, ordered, batch, ..stored };
        let changed = match (before.disabled, after.disabled) {
            (None, Some(reason)) => {
                unit.write_side(WebhookChange::DeliveriesCancelled { webhook_id });
                changed.disabled(reason, now)
            }
            (Some(_), None) => changed.enabled(),
            _ => changed,
        };
        let is_renewed = command.address_changed || (before.disabled.is_some() && after.disabled.is_none());
        if is_renewed {
            unit.write_side(WebhookChange::FailuresForgiven { webhook_id });
        }
        unit.append(webhook_id, loaded, decided);
        let makes_access = command.address_changed && changed.url.is_some();
        unit.write_side(WebhookChange::Webhook(Box::new(changed)));
        Ok(makes_access)
    }
}
