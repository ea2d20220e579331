//! Commands on webhook endpoints, which the operations of the API and the forms of the portal run.

use actix_web::{HttpRequest, http::StatusCode};
use base64::{Engine, engine::general_purpose::STANDARD};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    identity::{Access, AccessKind, Agent, AgentError},
    ids::{AgentId, WebhookId},
    webhooks::{
        AddWebhook, Addressed, DeleteWebhook, Webhook, WebhookAdded, WebhookEvent, WebhookSettings, WebhookSlotFreed,
        WebhookSlots,
    },
};
use buildtrack_http::{
    answers::created,
    app::App,
    auth::{Caller, Webhooks},
    etag::Precondition,
    guard::app_of,
    idempotency::Key,
    problem::Problem,
    query::path_id,
};
use buildtrack_store::{
    AgentView, Answer, Done, EndpointHealth, Loaded, Purpose, Unit, WebhookChange, WebhookView, clock,
};
use chrono::{DateTime, Utc};

use super::{
    changes::Changes,
    event_names::push_types,
    schemas::{AddedWebhook, NewWebhook, WebhookChanges, WebhookEndpoint},
    targets::vet,
};

/// Creates a secret: `whsec_` and 32 random bytes in base64.
pub fn new_secret() -> String {
    format!("whsec_{}", STANDARD.encode(clock::random::<32>()))
}

/// An endpoint's new secret, which the agent and its owner see once.
#[derive(Debug)]
pub struct NewSecret {
    /// The endpoint's id.
    pub webhook_id: WebhookId,
    /// The endpoint's secret, which is shown once.
    pub secret: String,
}

/// Adds an endpoint to the caller's agent.
pub async fn add(
    request: &HttpRequest,
    agent_id: AgentId,
    caller: &Caller<Webhooks>,
    body: NewWebhook,
    idempotency: &Key,
) -> Result<(NewSecret, Done<()>), Problem> {
    let app = app_of(request);
    vet(request, Some(&body.url), "/url").await?;
    let (webhook_id, secret) = (WebhookId::new(app.store.log().clock().uuid()), new_secret());
    let named = (agent_id, webhook_id);
    let webhook = added(webhook_id, agent_id, body, app.store.log().secret().seal(Purpose::WebhookSecret, &secret)?);
    let done = caller
        .transact(&app, async |unit, _| {
            unit.load::<Agent>(agent_id).await?.state.managed_by(caller.id(), agent_id)?;
            let stream = WebhookSlots::stream(agent_id);
            let slots = unit.load::<WebhookSlots>(&stream).await?;
            unit.append(&stream, &slots, AddWebhook { webhook_id, agent_id }.decide(&slots.state)?);
            let added = WebhookAdded { webhook_id, agent_id, settings: settings(&webhook) };
            unit.begin(webhook_id, [WebhookEvent::from(added)]);
            unit.write_side(WebhookChange::Webhook(Box::new(webhook.clone())));
            caller.record_origin(unit, access(named)).await?;
            let answer = added_answer(webhook.clone(), secret.clone(), app.store.log().clock().now());
            unit.answer(idempotency.ticket(), move |_| answer.clone());
            Ok(())
        })
        .await?;
    Ok((NewSecret { webhook_id, secret }, done))
}

fn added(id: WebhookId, agent_id: AgentId, body: NewWebhook, secret_sealed: String) -> WebhookView {
    let NewWebhook { url, description, events, filter, ordered, batch } = body;
    let first = WebhookView::new(id, agent_id, Some(url), push_types(events), secret_sealed);
    WebhookView { further: true, description, filter: filter.into(), ordered, batch, ..first }
}

fn settings(webhook: &WebhookView) -> WebhookSettings {
    let WebhookView { events, filter, ordered, batch, .. } = webhook.clone();
    WebhookSettings { events, filter, ordered, batch }
}

fn added_answer(webhook: WebhookView, secret: String, now: DateTime<Utc>) -> Answer {
    let path = format!("/api/v1/agents/{}/webhooks/{}", webhook.agent_id, webhook.id);
    let withheld =
        format!("The endpoint is {}. Its secret was shown once: create a new one with POST {path}/secret.", webhook.id);
    let webhook = WebhookEndpoint::with_health(webhook, EndpointHealth::default(), now);
    let body = AddedWebhook { webhook, secret };
    Answer { withheld: Some(withheld), ..created(path, &body) }
}

/// The ids of agent and endpoint in a path.
pub type Named = (AgentId, WebhookId);

/// The endpoint as something that acts for its agent.
pub fn access((agent_id, webhook_id): Named) -> Access {
    Access { kind: AccessKind::Webhook, subject: webhook_id.to_string(), agent_id }
}

/// Parses both ids. A malformed id is answered like an unknown one.
pub(super) fn named(path: &(String, String)) -> Result<Named, Problem> {
    Ok((path_id(&path.0, NAME)?, path_id(&path.1, NAME)?))
}

const NAME: &str = "webhook endpoint";

fn nothing() -> Problem {
    Problem::not_found(NAME)
}

pub(super) fn is_own(agent: &AgentView, caller: ActorId) -> bool {
    caller == agent.id.into() || caller == agent.owner_id.into()
}

/// Loads an endpoint of the caller's agent for a read.
pub(super) async fn own(app: &App, (agent_id, id): Named, caller: ActorId) -> Result<WebhookView, Problem> {
    app.store.identity().agent(agent_id).await?.filter(|agent| is_own(agent, caller)).ok_or_else(nothing)?;
    app.store.webhooks().webhook(id).await?.filter(|webhook| webhook.agent_id == agent_id).ok_or_else(nothing)
}

/// An endpoint that the caller may change: its stream state, and its side-table row.
pub(super) struct Managed {
    pub(super) loaded: Loaded<Webhook>,
    pub(super) stored: WebhookView,
}

impl Managed {
    /// Loads an endpoint for a change. The commit names the versions of the agent and the endpoint. The side-table row changes
    /// only together with the endpoint's version, and is read after it.
    pub(super) async fn load(
        app: &App,
        unit: &mut Unit<'_>,
        by: ActorId,
        (agent_id, webhook_id): Named,
    ) -> Result<Self, Problem> {
        let agent = unit.load::<Agent>(agent_id).await?;
        agent.state.managed_by(by, agent_id).map_err(|error| match error {
            AgentError::NotFound | AgentError::NotYours => nothing(),
            error => error.into(),
        })?;
        let loaded = unit.load::<Webhook>(webhook_id).await?;
        let stored = app.store.webhooks().webhook(webhook_id).await?.filter(|webhook| webhook.agent_id == agent_id);
        Ok(Self { loaded, stored: stored.ok_or_else(nothing)? })
    }

    /// The endpoint as the input of a command.
    pub(super) fn addressed(&self) -> Addressed<'_> {
        Addressed { webhook_id: self.stored.id, agent_id: self.stored.agent_id, webhook: &self.loaded.state }
    }
}

/// Changes an endpoint, if the precondition holds for its settings.
pub async fn change(
    request: &HttpRequest,
    named: Named,
    caller: &Caller<Webhooks>,
    body: WebhookChanges,
    precondition: &Precondition,
) -> Result<(), Problem> {
    let (app, changes) = (app_of(request), Changes::from(body));
    vet(request, changes.url.as_ref().and_then(Option::as_deref), "/url").await?;
    let now = app.store.log().clock().now();
    caller
        .transact(&app, async |unit, by| {
            let Managed { loaded, stored } = Managed::load(&app, unit, by.id, named).await?;
            precondition.check_shown(&WebhookEndpoint::new(stored.clone(), now))?;
            let was_disabled = loaded.state.disabled.is_some();
            if changes.make(unit, &loaded, stored, now)? {
                caller.record_origin(unit, access(named)).await?;
            } else if was_disabled && changes.enabled == Some(true) {
                refuse_fallen(&app, named.1).await?;
            }
            Ok(())
        })
        .await?;
    Ok(())
}

/// Refuses to enable an endpoint at the address that a client gave it whose consent has ended. If the consent ends only now, the worker
/// disables the endpoint again.
async fn refuse_fallen(app: &App, webhook_id: WebhookId) -> Result<(), Problem> {
    let Some(origin) = app.store.identity().origin(AccessKind::Webhook, &webhook_id.to_string()).await? else {
        return Ok(());
    };
    if !app.store.identity().has_fallen(&origin).await? {
        return Ok(());
    }
    let detail = "A client gave the endpoint its address, and the consent of the client has ended.";
    let hint = "Send another url together with enabled, or delete the endpoint and add one.";
    Err(Problem::new(StatusCode::CONFLICT, "fallen_with_grant", detail, hint))
}

/// Deletes an endpoint.
pub async fn remove(app: &App, named: Named, caller: &Caller<Webhooks>) -> Result<(), Problem> {
    let (agent_id, webhook_id) = named;
    caller
        .transact(app, async |unit, by| {
            let managed = Managed::load(app, unit, by.id, named).await?;
            unit.append(webhook_id, &managed.loaded, DeleteWebhook.decide(managed.addressed())?);
            let stream = WebhookSlots::stream(agent_id);
            let slots = unit.load::<WebhookSlots>(&stream).await?;
            unit.append(&stream, &slots, vec![WebhookSlotFreed { webhook_id, agent_id }.into()]);
            unit.write_side(WebhookChange::WebhookDeleted { id: webhook_id });
            Ok(())
        })
        .await?;
    Ok(())
}
