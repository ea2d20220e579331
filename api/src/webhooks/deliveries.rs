//! Deliveries: what was pushed to an agent's endpoints, each attempt, and another try.

use std::{collections::HashMap, sync::Arc};

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Path};
use buildtrack_domain::{
    identity::AgentError,
    ids::{AgentId, DeliveryId, WebhookId},
    webhooks::Condition,
};
use buildtrack_store::{AgentView, DeliveryFilter, DeliveryStatus, DeliveryView, Kept, Scope, WaitsFor};
use chrono::{DateTime, Utc};

use super::{
    delivery_schemas::Delivery,
    health_schemas::{WebhookHealth, condition},
};
use crate::{
    app::App,
    http::{
        auth::{Caller, Needs, Read},
        body::Act,
        etag,
        guard::app_of,
        page::{IdCursor, Page},
        problem::Problem,
        query::{Paging, Parameters, path_id},
    },
};

/// Manage webhooks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Webhooks;

impl Needs for Webhooks {
    const SCOPE: Option<Scope> = Some(Scope::Webhooks);
}

/// The agent, where it is the caller or the caller's; for others there is none.
pub(crate) async fn own<S: Needs>(app: &App, agent_id: AgentId, caller: &Caller<S>) -> Result<AgentView, Problem> {
    let agent = app.store.agent(agent_id).await?;
    let own = |agent: &AgentView| caller.id() == agent_id.into() || caller.id() == agent.owner_id.into();
    agent.filter(own).ok_or_else(|| Problem::not_found("agent"))
}

/// The same, where the agent can still be pushed to.
pub(super) async fn own_active<S: Needs>(app: &App, agent_id: AgentId, caller: &Caller<S>) -> Result<(), Problem> {
    let active = own(app, agent_id, caller).await?.active;
    if active { Ok(()) } else { Err(AgentError::Deactivated.into()) }
}

/// Lists what was pushed to an agent's endpoints, newest first; to itself and its owner.
#[utoipa::path(
    operation_id = "listDeliveries",
    tag = "Webhooks",
    params(
        ("id" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w"),
        ("webhook" = Option<String>, Query, description = "Only to this endpoint (its id)"),
        ("status" = Option<String>, Query, description = "Only `pending`, `delivered`, `failed` or `cancelled` ones", example = "failed"),
        ("type" = Option<String>, Query, description = "Only of events of this type", example = "workspace.message"),
        ("after" = Option<String>, Query, description = "Only enqueued then or later (RFC 3339)", example = "2026-03-01T12:00:00Z"),
        ("before" = Option<String>, Query, description = "Only enqueued earlier (RFC 3339)"),
        Paging,
    ),
    responses((status = 200, description = "Deliveries", body = Page<Delivery>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/agents/{id}/deliveries")]
pub(crate) async fn list(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id = path_id(&id, "agent")?;
    own(&app, agent_id, &caller).await?;
    let known = ["webhook", "status", "type", "after", "before", "cursor", "limit"];
    let mut parameters = Parameters::of(&request, &known);
    let filter = DeliveryFilter {
        webhook_id: parameters.get("webhook", "an id that begins with wh_"),
        status: parameters.get("status", "pending, delivered, failed or cancelled"),
        push_type: parameters.get("type", "an event type such as workspace.message"),
        after: parameters.get::<DateTime<Utc>>("after", "a time as RFC 3339 writes it"),
        before: parameters.get::<DateTime<Utc>>("before", "a time as RFC 3339 writes it"),
        beyond: parameters.get("cursor", "a nextCursor of an earlier page").map(|IdCursor(id)| id),
        limit: parameters.limit(),
    };
    parameters.finish()?;
    let limit = filter.limit;
    let rows = app.store.deliveries(agent_id, &DeliveryFilter { limit: limit + 1, ..filter }).await?;
    let waits = Waits::of(&app, &rows).await?;
    Ok(etag::answer(&request, &Page::by_id(rows, limit, |row| row.id, |row| waits.listed(row))))
}

/// Shows a delivery with every attempt; to the agent itself and its owner.
#[utoipa::path(
    operation_id = "showDelivery",
    tag = "Webhooks",
    params(
        ("id" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w"),
        ("deliveryId" = String, Path, example = "dlv_01h2e8kqvbfwea724h75qc655w"),
    ),
    responses((status = 200, description = "The delivery", body = Delivery, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/agents/{id}/deliveries/{deliveryId}")]
pub(crate) async fn show(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, id) = (path_id(&ids.0, "agent")?, path_id(&ids.1, "delivery")?);
    own(&app, agent_id, &caller).await?;
    let view = found(&app, agent_id, id).await?;
    let attempts = app.store.attempts(id).await?;
    let waits = Waits::of(&app, std::slice::from_ref(&view)).await?;
    Ok(etag::answer(&request, &waits.listed(view).with_history(attempts)))
}

/// What is known of the endpoints for which listed deliveries wait.
struct Waits {
    now: DateTime<Utc>,
    endpoints: HashMap<WebhookId, (Condition, Option<String>)>,
}

impl Waits {
    async fn of(app: &App, rows: &[DeliveryView]) -> Result<Self, Problem> {
        let (now, mut endpoints) = (app.store.clock().now(), HashMap::new());
        for row in rows.iter().filter(|row| row.status == DeliveryStatus::Pending) {
            if endpoints.contains_key(&row.webhook_id) {
                continue;
            }
            if let Some(webhook) = app.store.webhook(row.webhook_id).await? {
                let health = app.store.endpoint_health(row.webhook_id).await?;
                let known = (condition(&webhook, &health), WebhookHealth::new(&webhook, health, now).reason);
                endpoints.insert(row.webhook_id, known);
            }
        }
        Ok(Self { now, endpoints })
    }

    fn listed(&self, view: DeliveryView) -> Delivery {
        let endpoint = self.endpoints.get(&view.webhook_id).filter(|_| view.status == DeliveryStatus::Pending);
        let throttled = view.waits_for.as_deref() == Some(WaitsFor::Target.as_str()) && self.now < view.next_at;
        let wait = endpoint.map(|(condition, reason)| {
            (condition.wait(view.position, throttled, view.attempts, self.now), reason.clone())
        });
        Delivery::waiting(view, wait)
    }
}

async fn found(app: &App, agent_id: AgentId, id: DeliveryId) -> Result<DeliveryView, Problem> {
    app.store.delivery(agent_id, id).await?.ok_or_else(|| Problem::not_found("delivery"))
}

/// Pushes once more, now, whatever became of it: under the same delivery id, with attempts counted on. An open breaker of
/// the endpoint is closed, and what was put off for it is due now too.
#[utoipa::path(
    operation_id = "resendDelivery",
    tag = "Webhooks",
    params(
        ("id" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w"),
        ("deliveryId" = String, Path, example = "dlv_01h2e8kqvbfwea724h75qc655w"),
    ),
    responses(
        (status = 202, description = "The delivery, due now", body = Delivery),
        (status = 409, description = "`webhook_disabled`, `agent_deactivated`", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/deliveries/{deliveryId}/resend")]
pub(crate) async fn resend(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Webhooks>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, id) = (path_id(&ids.0, "agent")?, path_id(&ids.1, "delivery")?);
    own_active(&app, agent_id, &caller).await?;
    let webhook_id = found(&app, agent_id, id).await?.webhook_id;
    let webhook = app.store.webhook(webhook_id).await?;
    webhook.filter(buildtrack_store::WebhookView::is_on).ok_or_else(webhook_disabled)?;
    keep(&app, &caller, &[Kept::Resent { id }, Kept::BreakerClosed { webhook_id }]).await?;
    let view = found(&app, agent_id, id).await?;
    let waits = Waits::of(&app, std::slice::from_ref(&view)).await?;
    Ok(HttpResponse::Accepted().json(waits.listed(view)))
}

/// Gives a delivery up that is pending.
#[utoipa::path(
    operation_id = "cancelDelivery",
    tag = "Webhooks",
    params(
        ("id" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w"),
        ("deliveryId" = String, Path, example = "dlv_01h2e8kqvbfwea724h75qc655w"),
    ),
    responses(
        (status = 200, description = "The delivery, cancelled", body = Delivery),
        (status = 409, description = "`delivery_settled`", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/deliveries/{deliveryId}/cancel")]
pub(crate) async fn cancel(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Webhooks>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, id) = (path_id(&ids.0, "agent")?, path_id(&ids.1, "delivery")?);
    own(&app, agent_id, &caller).await?;
    pending(found(&app, agent_id, id).await?, DeliveryStatus::Pending)?;
    keep(&app, &caller, &[Kept::DeliveryCancelled { id }]).await?;
    // It may have been delivered at this very moment.
    let cancelled = pending(found(&app, agent_id, id).await?, DeliveryStatus::Cancelled)?;
    Ok(HttpResponse::Ok().json(Delivery::listed(cancelled)))
}

fn pending(view: DeliveryView, expected: DeliveryStatus) -> Result<DeliveryView, Problem> {
    if view.status == expected {
        return Ok(view);
    }
    let detail = format!("The delivery is {} already.", view.status.as_str());
    let hint = "Only what is pending can be cancelled.";
    Err(Problem::new(StatusCode::CONFLICT, "delivery_settled", detail, hint))
}

/// Writes beside the log, as long as the caller's session runs.
pub(super) async fn keep(app: &Arc<App>, caller: &Caller<Webhooks>, kept: &[Kept]) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, _| {
            for kept in kept {
                unit.keep(kept.clone());
            }
            Ok(())
        })
        .await
        .map(drop)
}

/// 409: nothing is pushed to the endpoint.
pub(super) fn webhook_disabled() -> Problem {
    let detail = "Nothing is pushed to this endpoint: it is switched off, or has no address.";
    let hint = "Switch it on or give it an address first.";
    Problem::new(StatusCode::CONFLICT, "webhook_disabled", detail, hint)
}
