//! Webhook endpoints of an agent: add, list, show, change and delete, by the agent or its owner.

use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post, web::Path};
use base64::{Engine, engine::general_purpose::STANDARD};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    identity::{Agent, AgentError},
    ids::{AgentId, WebhookId},
    webhooks::{
        AddWebhook, Addressed, DeleteWebhook, Webhook, WebhookAdded, WebhookEvent, WebhookSettings, WebhookSlotFreed,
        WebhookSlots,
    },
};
use buildtrack_store::{AgentView, Answer, EndpointHealth, Loaded, Unit, WebhookChange, WebhookView, clock};
use chrono::{DateTime, Utc};

pub(crate) use super::changes::Changes;
use super::{
    schemas::{AddedWebhook, NewWebhook, WebhookChanges, WebhookEndpoint},
    targets::vet,
};
use crate::{
    actors::parameters::AgentParameter,
    http::{
        answers::{created, no_content},
        app::App,
        auth::{Caller, Read, Webhooks},
        body::{Json, Submission},
        etag::{self, Precondition},
        guard::app_of,
        page::Page,
        problem::Problem,
        query::{Parameters, path_id},
    },
    webhooks::{event_names::push_types, parameters::WebhookParameter},
};

/// Creates a secret: `whsec_` and 32 random bytes in base64.
pub(crate) fn new_secret() -> String {
    format!("whsec_{}", STANDARD.encode(clock::random::<32>()))
}

/// List the webhook endpoints of an agent
///
/// The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "listWebhooks",
    tag = "Webhooks",
    params(AgentParameter),
    responses(
        (status = 200, description = "All endpoints in one page, the agent's first endpoint first", body = Page<WebhookEndpoint>, headers(("ETag" = String))),
        (status = 403, description = "`not_your_agent`, `missing_scope`"),
    ),
    security(("token" = [])),
)]
#[get("/agents/{id}/webhooks")]
pub(crate) async fn list(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let app = app_of(&request);
    let agent_id: AgentId = path_id(&id, "agent")?;
    let agent = app.store.agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    if !is_own(&agent, caller.id()) {
        return Err(AgentError::NotYours.into());
    }
    let (now, webhooks) = (app.store.clock().now(), app.store.webhooks_of(agent_id).await?);
    let mut items = Vec::with_capacity(webhooks.len());
    for webhook in webhooks {
        let health = app.store.endpoint_health(webhook.id).await?;
        items.push(WebhookEndpoint::with_health(webhook, health, now));
    }
    Ok(etag::answer(&request, &Page::<WebhookEndpoint> { items, next_cursor: None }))
}

fn is_own(agent: &AgentView, caller: ActorId) -> bool {
    caller == agent.id.into() || caller == agent.owner_id.into()
}

/// Add a webhook endpoint to an agent
///
/// An agent may have ten endpoints. The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "addWebhook",
    tag = "Webhooks",
    params(AgentParameter),
    request_body = NewWebhook,
    responses(
        (status = 201, description = "The endpoint with its secret, which is shown only in this answer", body = AddedWebhook, headers(("Location" = String))),
        (status = 403, description = "`not_your_agent`, `missing_scope`"),
        (status = 409, description = "`too_many_webhooks`, `agent_deactivated`, `answer_not_stored`, `idempotency_key_in_use`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/webhooks")]
pub(crate) async fn add(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Webhooks>,
    submission: Submission<NewWebhook>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id: AgentId = path_id(&id, "agent")?;
    let Submission { body, key } = submission;
    vet(&request, Some(&body.url), "/url").await?;
    let (webhook_id, secret) = (WebhookId::new(app.store.clock().uuid()), new_secret());
    let webhook = added(webhook_id, agent_id, body, app.store.secret().seal(&secret)?);
    let done = caller
        .transact(&app, async |unit, _| {
            unit.load::<Agent>(agent_id).await?.state.managed_by(caller.id(), agent_id)?;
            let stream = WebhookSlots::stream(agent_id);
            let slots = unit.load::<WebhookSlots>(&stream).await?;
            unit.append(&stream, &slots, AddWebhook { webhook_id, agent_id }.decide(&slots.state)?);
            let added = WebhookAdded { webhook_id, agent_id, settings: settings(&webhook) };
            unit.begin(webhook_id, [WebhookEvent::from(added)]);
            unit.write_side(WebhookChange::Webhook(Box::new(webhook.clone())));
            let answer = added_answer(webhook.clone(), secret.clone(), app.store.clock().now());
            unit.answer(key.ticket(), move |_| answer.clone());
            Ok(())
        })
        .await?;
    key.answered(done)
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
pub(super) type Named = (AgentId, WebhookId);

/// Parses both ids. A malformed id is answered like an unknown one.
pub(super) fn named(path: &(String, String)) -> Result<Named, Problem> {
    Ok((path_id(&path.0, NAME)?, path_id(&path.1, NAME)?))
}

const NAME: &str = "webhook endpoint";

fn nothing() -> Problem {
    Problem::not_found(NAME)
}

/// Loads an endpoint of the caller's agent for a read.
pub(super) async fn own(app: &App, (agent_id, id): Named, caller: ActorId) -> Result<WebhookView, Problem> {
    app.store.agent(agent_id).await?.filter(|agent| is_own(agent, caller)).ok_or_else(nothing)?;
    app.store.webhook(id).await?.filter(|webhook| webhook.agent_id == agent_id).ok_or_else(nothing)
}

/// An endpoint that the caller may change: its stream state, and its side-table row.
pub(super) struct Managed {
    pub(super) loaded: Loaded<Webhook>,
    pub(super) kept: WebhookView,
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
        let kept = app.store.webhook(webhook_id).await?.filter(|webhook| webhook.agent_id == agent_id);
        Ok(Self { loaded, kept: kept.ok_or_else(nothing)? })
    }

    /// The endpoint as the input of a command.
    pub(super) fn addressed(&self) -> Addressed<'_> {
        Addressed { webhook_id: self.kept.id, agent_id: self.kept.agent_id, webhook: &self.loaded.state }
    }
}

/// Show a webhook endpoint
///
/// The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "showWebhook",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter),
    responses((status = 200, description = "The endpoint", body = WebhookEndpoint, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/agents/{id}/webhooks/{webhookId}")]
pub(crate) async fn show(
    request: HttpRequest,
    path: Path<(String, String)>,
    caller: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let webhook = own(&app, named(&path)?, caller.id()).await?;
    answer(&request, &app, webhook).await
}

/// Answers with an endpoint and its health. The first part of the tag covers the settings only, which edits depend on.
pub(super) async fn answer(request: &HttpRequest, app: &App, webhook: WebhookView) -> Result<HttpResponse, Problem> {
    let (now, health) = (app.store.clock().now(), app.store.endpoint_health(webhook.id).await?);
    let settings = WebhookEndpoint::new(webhook.clone(), now);
    Ok(etag::answer_settings(request, &settings, &WebhookEndpoint::with_health(webhook, health, now)))
}

/// Change, enable or disable a webhook endpoint
///
/// Members that are left out stay unchanged. The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "changeWebhook",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter),
    request_body = WebhookChanges,
    responses(
        (status = 200, description = "The changed endpoint", body = WebhookEndpoint, headers(("ETag" = String))),
        (status = 409, description = "`agent_deactivated`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[patch("/agents/{id}/webhooks/{webhookId}")]
pub(crate) async fn edit(
    request: HttpRequest,
    path: Path<(String, String)>,
    caller: Caller<Webhooks>,
    body: Json<WebhookChanges>,
) -> Result<HttpResponse, Problem> {
    let (app, named, Json(body)) = (app_of(&request), named(&path)?, body);
    let (precondition, changes) = (Precondition::of(&request), Changes::from(body));
    vet(&request, changes.url.as_ref().and_then(Option::as_deref), "/url").await?;
    let now = app.store.clock().now();
    caller
        .transact(&app, async |unit, by| {
            let Managed { loaded, kept } = Managed::load(&app, unit, by.id, named).await?;
            precondition.check_shown(&WebhookEndpoint::new(kept.clone(), now))?;
            changes.make(unit, &loaded, kept, now)
        })
        .await?;
    let webhook = own(&app, named, caller.id()).await?;
    answer(&request, &app, webhook).await
}

/// Delete a webhook endpoint
///
/// Pending deliveries to it are cancelled. The agent's first endpoint cannot be deleted.
#[utoipa::path(
    operation_id = "deleteWebhook",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter),
    responses(
        (status = 204, description = "The endpoint is deleted"),
        (status = 409, description = "`first_webhook_stays`, `agent_deactivated`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[delete("/agents/{id}/webhooks/{webhookId}")]
pub(crate) async fn delete(
    request: HttpRequest,
    path: Path<(String, String)>,
    caller: Caller<Webhooks>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, webhook_id) = named(&path)?;
    caller
        .transact(&app, async |unit, by| {
            let managed = Managed::load(&app, unit, by.id, (agent_id, webhook_id)).await?;
            unit.append(webhook_id, &managed.loaded, DeleteWebhook.decide(managed.addressed())?);
            let stream = WebhookSlots::stream(agent_id);
            let slots = unit.load::<WebhookSlots>(&stream).await?;
            unit.append(&stream, &slots, vec![WebhookSlotFreed { webhook_id, agent_id }.into()]);
            unit.write_side(WebhookChange::WebhookDeleted { id: webhook_id });
            Ok(())
        })
        .await?;
    Ok(no_content())
}
