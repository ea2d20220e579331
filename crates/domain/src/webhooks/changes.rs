//! Commands on a webhook endpoint: change, disable, enable, delete.

use super::{
    DisabledReason, Filter, PushType, Webhook, WebhookChangedV2, WebhookDeleted, WebhookDisabled, WebhookEnabled,
    WebhookError, WebhookEvent, WebhookSettings,
};
use crate::{
    decide::Command,
    ids::{AgentId, WebhookId},
};

/// The maximum number of characters in an endpoint's description.
pub const WEBHOOK_DESCRIPTION_MAX: u64 = 200;
/// The maximum number of events in one push.
pub const BATCH_MAX: i64 = 100;

/// Changes an endpoint. Fields that are `None` stay as they are.
#[derive(Debug, Clone, Default)]
pub struct ChangeWebhook {
    /// New event types.
    pub events: Option<Vec<PushType>>,
    /// A new filter, which replaces the whole old one.
    pub filter: Option<Filter>,
    /// Whether deliveries are ordered: each push waits until the previous one succeeded.
    pub ordered: Option<bool>,
    /// The maximum number of events in one push.
    pub batch: Option<i64>,
    /// Whether pushes are enabled.
    pub enabled: Option<bool>,
    /// Whether the address changes too. It is in a side table, not on the log.
    pub address_changed: bool,
    /// Whether the description changes too. It is in a side table, not on the log.
    pub description_changed: bool,
}

/// An endpoint with the endpoint id and agent id from the request.
#[derive(Debug, Clone, Copy)]
pub struct Addressed<'a> {
    /// The endpoint's id.
    pub webhook_id: WebhookId,
    /// The agent that the request names.
    pub agent_id: AgentId,
    /// The endpoint, folded from its stream.
    pub webhook: &'a Webhook,
}

impl Command for ChangeWebhook {
    type State<'a> = Addressed<'a>;
    type Event = WebhookEvent;
    type Error = WebhookError;

    fn decide(
        &self,
        Addressed { webhook_id, agent_id, webhook }: Addressed<'_>,
    ) -> Result<Vec<WebhookEvent>, WebhookError> {
        webhook.held_by(agent_id)?;
        let mut decided = Vec::new();
        let Self { address_changed, description_changed, .. } = *self;
        let settings = self.settings(&webhook.settings);
        if settings != webhook.settings || address_changed || description_changed {
            let changed = WebhookChangedV2 { webhook_id, agent_id, settings, address_changed, description_changed };
            decided.push(changed.into());
        }
        match (self.enabled, webhook.disabled) {
            (Some(true), Some(_)) => decided.push(WebhookEnabled { webhook_id, agent_id }.into()),
            (Some(false), None) => {
                decided.push(WebhookDisabled { webhook_id, agent_id, reason: DisabledReason::Owner }.into());
            }
            _ => {}
        }
        Ok(decided)
    }
}

impl ChangeWebhook {
    fn settings(&self, current: &WebhookSettings) -> WebhookSettings {
        WebhookSettings {
            events: self.events.clone().unwrap_or_else(|| current.events.clone()),
            filter: self.filter.clone().unwrap_or_else(|| current.filter.clone()),
            ordered: self.ordered.unwrap_or(current.ordered),
            batch: self.batch.unwrap_or(current.batch),
        }
    }
}

/// Disables an endpoint, on behalf of the server. If it is already disabled, nothing changes.
#[derive(Debug, Clone, Copy)]
pub struct DisableWebhook {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The reason.
    pub reason: DisabledReason,
}

impl Command for DisableWebhook {
    type State<'a> = &'a Webhook;
    type Event = WebhookEvent;
    type Error = WebhookError;

    fn decide(&self, webhook: &Webhook) -> Result<Vec<WebhookEvent>, WebhookError> {
        let (agent_id, Self { webhook_id, reason }) = (webhook.holder()?, *self);
        if webhook.disabled.is_some() {
            return Ok(vec![]);
        }
        Ok(vec![WebhookDisabled { webhook_id, agent_id, reason }.into()])
    }
}

/// Deletes an endpoint. The first endpoint of an agent, created at its registration, cannot be deleted.
#[derive(Debug, Clone, Copy)]
pub struct DeleteWebhook;

impl Command for DeleteWebhook {
    type State<'a> = Addressed<'a>;
    type Event = WebhookEvent;
    type Error = WebhookError;

    fn decide(
        &self,
        Addressed { webhook_id, agent_id, webhook }: Addressed<'_>,
    ) -> Result<Vec<WebhookEvent>, WebhookError> {
        webhook.held_by(agent_id)?;
        if !webhook.further {
            return Err(WebhookError::First);
        }
        Ok(vec![WebhookDeleted { webhook_id, agent_id }.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        decide::{State, testing::given},
        webhooks::{WebhookAdded, WebhookChanged, WebhookRegistered},
    };
    use uuid::Uuid;

    const SCOUT: AgentId = AgentId::new(Uuid::from_u128(1));
    const RANGER: AgentId = AgentId::new(Uuid::from_u128(2));
    const HOOK: WebhookId = WebhookId::new(Uuid::from_u128(3));

    fn registered() -> WebhookEvent {
        WebhookRegistered { webhook_id: HOOK, agent_id: SCOUT, events: PushType::ALL.to_vec() }.into()
    }

    fn added() -> WebhookEvent {
        let settings = WebhookSettings::all_of(PushType::ALL.to_vec());
        WebhookAdded { webhook_id: HOOK, agent_id: SCOUT, settings }.into()
    }

    fn disabled(reason: DisabledReason) -> WebhookEvent {
        WebhookDisabled { webhook_id: HOOK, agent_id: SCOUT, reason }.into()
    }

    fn enabled() -> WebhookEvent {
        WebhookEnabled { webhook_id: HOOK, agent_id: SCOUT }.into()
    }

    fn scouts(webhook: &Webhook) -> Addressed<'_> {
        Addressed { webhook_id: HOOK, agent_id: SCOUT, webhook }
    }

    #[test]
    fn a_change_event_holds_all_settings() {
        let filter: Filter = serde_json::from_str(r#"{"fields":{"kind":["proposal"]}}"#).unwrap();
        let change = ChangeWebhook { filter: Some(filter.clone()), batch: Some(20), ..ChangeWebhook::default() };
        let settings = WebhookSettings { filter, batch: 20, ..WebhookSettings::all_of(PushType::ALL.to_vec()) };
        let changed = WebhookChangedV2 {
            webhook_id: HOOK,
            agent_id: SCOUT,
            settings: settings.clone(),
            address_changed: false,
            description_changed: false,
        };
        for begun in [registered(), added()] {
            let webhook = given([begun]);
            assert_eq!(change.decide(scouts(&webhook)), Ok(vec![changed.clone().into()]));
            let webhook = webhook.apply(&changed.clone().into());
            assert_eq!(webhook.settings, settings);
            assert_eq!(change.decide(scouts(&webhook)), Ok(vec![]));
        }
    }

    #[test]
    fn a_change_in_a_side_table_adds_an_event() {
        let webhook = given([registered()]);
        let moved = ChangeWebhook { address_changed: true, ..ChangeWebhook::default() };
        let named = ChangeWebhook { description_changed: true, ..ChangeWebhook::default() };
        assert_eq!(moved.decide(scouts(&webhook)).map(|events| events.len()), Ok(1));
        assert_eq!(named.decide(scouts(&webhook)).map(|events| events.len()), Ok(1));
    }

    #[test]
    fn a_version_1_change_keeps_the_newer_settings() {
        let changed = WebhookChanged {
            webhook_id: HOOK,
            agent_id: SCOUT,
            events: vec![PushType::TrackShipped],
            address_changed: false,
        };
        let batched = ChangeWebhook { batch: Some(20), ..ChangeWebhook::default() };
        let webhook = given::<Webhook>([registered()]);
        let webhook = batched.decide(scouts(&webhook)).unwrap().iter().fold(webhook.clone(), Webhook::apply);
        let settings = webhook.apply(&changed.into()).settings;
        assert_eq!((settings.events, settings.batch), (vec![PushType::TrackShipped], 20));
    }

    #[test]
    fn an_endpoint_is_disabled_and_enabled_once() {
        let (on, off) = (Some(true), Some(false));
        let switch = |enabled| ChangeWebhook { enabled, ..ChangeWebhook::default() };
        let webhook = given([registered()]);
        assert_eq!(switch(on).decide(scouts(&webhook)), Ok(vec![]));
        assert_eq!(switch(off).decide(scouts(&webhook)), Ok(vec![disabled(DisabledReason::Owner)]));
        let webhook = given([registered(), disabled(DisabledReason::Gone)]);
        assert_eq!(switch(off).decide(scouts(&webhook)), Ok(vec![]), "the reason stays");
        assert_eq!(switch(on).decide(scouts(&webhook)), Ok(vec![enabled()]));
    }

    #[test]
    fn the_server_disables_only_enabled_endpoints() {
        let disable = DisableWebhook { webhook_id: HOOK, reason: DisabledReason::Failing };
        assert_eq!(disable.decide(&given([added()])), Ok(vec![disabled(DisabledReason::Failing)]));
        assert_eq!(disable.decide(&given([added(), disabled(DisabledReason::Owner)])), Ok(vec![]));
        let again = given([added(), disabled(DisabledReason::Gone), enabled()]);
        assert_eq!(disable.decide(&again), Ok(vec![disabled(DisabledReason::Failing)]));
        assert_eq!(disable.decide(&Webhook::default()), Err(WebhookError::NotFound));
    }

    #[test]
    fn only_further_endpoints_can_be_deleted_and_only_once() {
        let deleted = WebhookEvent::from(WebhookDeleted { webhook_id: HOOK, agent_id: SCOUT });
        assert_eq!(DeleteWebhook.decide(scouts(&given([registered()]))), Err(WebhookError::First));
        assert_eq!(DeleteWebhook.decide(scouts(&given([added()]))), Ok(vec![deleted.clone()]));
        let gone = given([added(), deleted]);
        assert_eq!(DeleteWebhook.decide(scouts(&gone)), Err(WebhookError::NotFound));
        assert_eq!(ChangeWebhook::default().decide(scouts(&gone)), Err(WebhookError::NotFound));
    }

    #[test]
    fn an_endpoint_of_another_agent_is_not_found() {
        let webhook = given([added()]);
        let rangers = Addressed { agent_id: RANGER, ..scouts(&webhook) };
        assert_eq!(ChangeWebhook::default().decide(rangers), Err(WebhookError::NotFound));
        assert_eq!(DeleteWebhook.decide(rangers), Err(WebhookError::NotFound));
    }
}
