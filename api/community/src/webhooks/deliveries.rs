//! Deliveries of an agent: list, attempts, resend and cancel.

use std::{collections::HashMap, sync::Arc};

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Path};
use buildtrack_domain::{
    ids::{AgentId, DeliveryId, WebhookId},
    webhooks::{Condition, PushType, Wait},
};
use buildtrack_http::{
    actors::{
        owned::{own, own_active, own_named},
        parameters::AgentParameter,
    },
    app::App,
    auth::{Caller, Read, Webhooks},
    body::Act,
    etag,
    guard::app_of,
    page::{IdCursor, Page},
    problem::Problem,
    query::{Limit, Query, path_id},
};
use buildtrack_store::{DeliveryFilter, DeliveryStatus, DeliveryView, WaitsFor, WebhookChange};
use chrono::{DateTime, Utc};

use super::{
    delivery_schemas::Delivery,
    health_schemas::{WebhookHealth, condition},
};

use crate::webhooks::parameters::DeliveryParameter;

/// Which deliveries are listed.
#[derive(Query)]
pub(crate) struct DeliveriesQuery {
    /// Filter: deliveries to the endpoint with this id
    webhook: Option<WebhookId>,
    /// Filter: `pending`, `delivered`, `failed` or `cancelled`
    #[query(example = "failed")]
    status: Option<DeliveryStatus>,
    /// Filter: events of this type
    #[query(example = "workspace.message")]
    r#type: Option<PushType>,
    /// Filter: enqueued at or after this time (RFC 3339)
    #[query(example = "2026-03-01T12:00:00Z")]
    after: Option<DateTime<Utc>>,
    /// Filter: enqueued before this time (RFC 3339)
    before: Option<DateTime<Utc>>,
    /// `nextCursor` of the previous page
    cursor: Option<IdCursor<DeliveryId>>,
    /// Number of entries, 1 to 200
    #[query(example = 50)]
    limit: Limit,
}

/// List the deliveries of an agent, newest first
///
/// The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "listDeliveries",
    tag = "Webhooks",
    params(AgentParameter, DeliveriesQuery),
    responses((status = 200, description = "A page of deliveries", body = Page<Delivery>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/agents/{id}/deliveries")]
pub(crate) async fn list(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Read>,
    query: DeliveriesQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id = own_named(&app, &id, &caller).await?;
    let DeliveriesQuery { webhook, status, r#type, after, before, cursor, limit: Limit(limit) } = query;
    let filter = DeliveryFilter {
        webhook_id: webhook,
        status,
        push_type: r#type,
        after,
        before,
        beyond: cursor.map(|IdCursor(id)| id),
        limit: limit + 1,
    };
    let rows = app.store.webhooks().deliveries(agent_id, &filter).await?;
    let waits = Waits::of(&app, &rows).await?;
    Ok(etag::answer_list(&request, &Page::by_id(rows, limit, |row| row.id, |row| waits.listed(row))))
}

/// Show a delivery with all attempts
///
/// The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "showDelivery",
    tag = "Webhooks",
    params(AgentParameter, DeliveryParameter),
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
    let attempts = app.store.webhooks().attempts(id).await?;
    let waits = Waits::of(&app, std::slice::from_ref(&view)).await?;
    Ok(etag::answer(&request, &waits.listed(view).with_history(attempts)))
}

/// The conditions of the endpoints of listed pending deliveries.
pub struct Waits {
    now: DateTime<Utc>,
    endpoints: HashMap<WebhookId, (Condition, Option<String>)>,
}

impl Waits {
    /// Reads the events of these deliveries.
    pub async fn of(app: &App, rows: &[DeliveryView]) -> Result<Self, Problem> {
        let (now, mut endpoints) = (app.store.log().clock().now(), HashMap::new());
        for row in rows.iter().filter(|row| row.status == DeliveryStatus::Pending) {
            if endpoints.contains_key(&row.webhook_id) {
                continue;
            }
            if let Some(webhook) = app.store.webhooks().webhook(row.webhook_id).await? {
                let health = app.store.webhooks().endpoint_health(row.webhook_id).await?;
                let known = (condition(&webhook, &health), WebhookHealth::new(&webhook, health, now).reason);
                endpoints.insert(row.webhook_id, known);
            }
        }
        Ok(Self { now, endpoints })
    }

    /// Why a pending delivery waits, and why pushes to its endpoint are restricted, for people.
    pub fn reason(&self, view: &DeliveryView) -> Option<(Wait, Option<String>)> {
        let endpoint = self.endpoints.get(&view.webhook_id).filter(|_| view.status == DeliveryStatus::Pending);
        let throttled = view.waits_for.as_deref() == Some(WaitsFor::Target.as_str()) && self.now < view.next_at;
        endpoint.map(|(condition, reason)| {
            (condition.wait(view.position, throttled, view.attempts, self.now), reason.clone())
        })
    }

    fn listed(&self, view: DeliveryView) -> Delivery {
        let wait = self.reason(&view);
        Delivery::waiting(view, wait)
    }
}

/// One of an agent's deliveries.
pub async fn found(app: &App, agent_id: AgentId, id: DeliveryId) -> Result<DeliveryView, Problem> {
    app.store.webhooks().delivery(agent_id, id).await?.ok_or_else(|| Problem::not_found("delivery"))
}

/// Send a delivery again
///
/// The delivery is due at once, in every state, under the same id. The attempt numbers continue. An open circuit breaker of the
/// endpoint is closed, and the deliveries that it postponed are due as well.
#[utoipa::path(
    operation_id = "resendDelivery",
    tag = "Webhooks",
    params(AgentParameter, DeliveryParameter),
    responses(
        (status = 202, description = "The delivery, due now", body = Delivery),
        (status = 409, description = "`webhook_disabled`, `agent_deactivated`"),
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
    let view = push_again(&app, (agent_id, id), &caller).await?;
    let waits = Waits::of(&app, std::slice::from_ref(&view)).await?;
    Ok(HttpResponse::Accepted().json(waits.listed(view)))
}

/// Makes a delivery due at once.
pub async fn push_again(
    app: &Arc<App>,
    (agent_id, id): (AgentId, DeliveryId),
    caller: &Caller<Webhooks>,
) -> Result<DeliveryView, Problem> {
    own_active(app, agent_id, caller).await?;
    let webhook_id = found(app, agent_id, id).await?.webhook_id;
    let webhook = app.store.webhooks().webhook(webhook_id).await?;
    webhook.filter(buildtrack_store::WebhookView::is_on).ok_or_else(webhook_disabled)?;
    write_rows(app, caller, &[WebhookChange::Resent { id }, WebhookChange::BreakerClosed { webhook_id }]).await?;
    found(app, agent_id, id).await
}

/// Cancel a pending delivery
///
/// The server makes no further attempt to push this event to the endpoint.
#[utoipa::path(
    operation_id = "cancelDelivery",
    tag = "Webhooks",
    params(AgentParameter, DeliveryParameter),
    responses(
        (status = 200, description = "The cancelled delivery", body = Delivery),
        (status = 409, description = "`delivery_settled`"),
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
    let cancelled = cancel_delivery(&app, (agent_id, id), &caller).await?;
    Ok(HttpResponse::Ok().json(Delivery::listed(cancelled)))
}

/// Cancels a pending delivery.
pub async fn cancel_delivery(
    app: &Arc<App>,
    (agent_id, id): (AgentId, DeliveryId),
    caller: &Caller<Webhooks>,
) -> Result<DeliveryView, Problem> {
    own(app, agent_id, caller).await?;
    pending(found(app, agent_id, id).await?, DeliveryStatus::Pending)?;
    write_rows(app, caller, &[WebhookChange::DeliveryCancelled { id }]).await?;
    // A concurrent attempt may have delivered it.
    pending(found(app, agent_id, id).await?, DeliveryStatus::Cancelled)
}

fn pending(view: DeliveryView, expected: DeliveryStatus) -> Result<DeliveryView, Problem> {
    if view.status == expected {
        return Ok(view);
    }
    let detail = format!("The delivery already has the status {}.", view.status.as_str());
    let hint = "Only a pending delivery can be cancelled.";
    Err(Problem::new(StatusCode::CONFLICT, "delivery_settled", detail, hint))
}

/// Writes side-table rows, if the caller's session is still valid.
pub(super) async fn write_rows(
    app: &Arc<App>,
    caller: &Caller<Webhooks>,
    changes: &[WebhookChange],
) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, _| {
            for change in changes {
                unit.write_side(change.clone());
            }
            Ok(())
        })
        .await
        .map(drop)
}

/// 409: nothing is pushed to the endpoint.
pub(super) fn webhook_disabled() -> Problem {
    let detail = "The endpoint is disabled or has no address, so that nothing is pushed to it.";
    let hint = "Enable the endpoint or set its \"url\" first: PATCH /api/v1/agents/{id}/webhooks/{webhookId}.";
    Problem::new(StatusCode::CONFLICT, "webhook_disabled", detail, hint)
}
