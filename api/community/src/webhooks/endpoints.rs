//! Webhook endpoints of an agent: add, list, show, change and delete, by the agent or its owner.

use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post, web::Path};
use buildtrack_domain::{identity::AgentError, ids::AgentId};
use buildtrack_http::{
    actors::parameters::AgentParameter,
    answers::no_content,
    app::App,
    auth::{Caller, Read, Webhooks},
    body::{Json, Submission},
    etag::{self, Precondition},
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Parameters, path_id},
};
use buildtrack_store::WebhookView;

pub use super::{changes::Changes, commands::new_secret};
use super::{
    commands::{self, is_own, named, own},
    schemas::{AddedWebhook, NewWebhook, WebhookChanges, WebhookEndpoint},
};

use crate::webhooks::parameters::WebhookParameter;

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
    let agent = app.store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    if !is_own(&agent, caller.id()) {
        return Err(AgentError::NotYours.into());
    }
    let (now, webhooks) = (app.store.log().clock().now(), app.store.webhooks().webhooks_of(agent_id).await?);
    let mut items = Vec::with_capacity(webhooks.len());
    for webhook in webhooks {
        let health = app.store.webhooks().endpoint_health(webhook.id).await?;
        items.push(WebhookEndpoint::with_health(webhook, health, now));
    }
    Ok(etag::answer(&request, &Page::<WebhookEndpoint> { items, next_cursor: None }))
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
    let Submission { body, key } = submission;
    let (_, done) = commands::add(&request, path_id(&id, "agent")?, &caller, body, &key).await?;
    key.answered(done)
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
    let (now, health) = (app.store.log().clock().now(), app.store.webhooks().endpoint_health(webhook.id).await?);
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
        (status = 409, description = "`agent_deactivated`, `fallen_with_grant`, `conflict`"),
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
    commands::change(&request, named, &caller, body, &Precondition::of(&request)).await?;
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
    commands::remove(&app_of(&request), named(&path)?, &caller).await?;
    Ok(no_content())
}
