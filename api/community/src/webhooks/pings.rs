//! Test events: a signed push to an endpoint on request.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, post, web::Path};
use buildtrack_domain::{identity::AgentError, webhooks::Pong};
use buildtrack_http::{
    actors::parameters::AgentParameter,
    auth::{Caller, Webhooks},
    body::Act,
    etag,
    guard::{app_of, state_of},
    problem::Problem,
};

use super::{
    commands::{Named, named, own},
    pinger::Pinger,
    schemas::Ping,
};

use crate::webhooks::parameters::WebhookParameter;

/// Send a test event to a webhook endpoint
///
/// The server sends a signed event at once, also to a disabled endpoint, and returns the result. A 2xx answer verifies the
/// endpoint and closes its circuit breaker, so that waiting deliveries are due. Any other result changes nothing. A ping counts
/// against the rate limit of its target.
#[utoipa::path(
    operation_id = "pingWebhook",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter),
    responses(
        (status = 200, description = "The result: an answer, or the reason why there is none", body = Ping),
        (status = 409, description = "`no_webhook_url`, `agent_deactivated`, `idempotency_key_in_use`"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/webhooks/{webhookId}/ping")]
pub(crate) async fn ping(
    request: HttpRequest,
    path: Path<(String, String)>,
    caller: Caller<Webhooks>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    Ok(etag::answer(&request, &Ping::from(test(&request, named(&path)?, &caller).await?)))
}

/// Sends a test event to an endpoint.
pub async fn test(request: &HttpRequest, named: Named, caller: &Caller<Webhooks>) -> Result<Pong, Problem> {
    let app = app_of(request);
    let webhook = own(&app, named, caller.id()).await?;
    if !app.store.identity().agent(named.0).await?.is_some_and(|agent| agent.active) {
        return Err(AgentError::Deactivated.into());
    }
    if webhook.url.is_none() {
        let detail = "The endpoint has no address.";
        let hint = "Set its address: PATCH /api/v1/agents/{id}/webhooks/{webhookId} {\"url\": \"https://…\"}.";
        return Err(Problem::new(StatusCode::CONFLICT, "no_webhook_url", detail, hint));
    }
    Ok((state_of::<Pinger>(request).ping)(webhook).await?)
}
