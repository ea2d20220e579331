//! Replays: pushing past events to an endpoint again.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Path};
use buildtrack_domain::ids::{AgentId, ReplayId, WebhookId};
use buildtrack_http::{
    actors::{
        owned::{own, own_active},
        parameters::AgentParameter,
    },
    app::App,
    auth::{Caller, Read, Webhooks},
    body::{Act, Submission},
    etag,
    guard::app_of,
    page::{IdCursor, Page},
    problem::Problem,
    query::{Limit, Query, path_id},
};
use buildtrack_store::{ReplayStatus, ReplayView, Subscription, WebhookChange, WebhookView};

use super::{
    commands::Named,
    deliveries::{webhook_disabled, write_rows},
    delivery_schemas::{NewReplay, Replay},
};

use crate::webhooks::parameters::{ReplayParameter, WebhookParameter};

async fn endpoint(app: &App, agent_id: AgentId, webhook_id: WebhookId) -> Result<WebhookView, Problem> {
    let webhook = app.store.webhooks().webhook(webhook_id).await?.filter(|webhook| webhook.agent_id == agent_id);
    webhook.ok_or_else(|| Problem::not_found("webhook"))
}

/// Replay past events to a webhook endpoint
///
/// The replay covers all past events that the endpoint would receive now. Events that were delivered before keep their delivery
/// id. An endpoint has at most one running replay. An open circuit breaker is closed.
#[utoipa::path(
    operation_id = "startReplay",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter),
    request_body = NewReplay,
    responses(
        (status = 200, description = "With `dryRun`: the number of events; nothing is enqueued", body = Replay),
        (status = 202, description = "The running replay", body = Replay),
        (status = 409, description = "`replay_running`, `webhook_disabled`, `agent_deactivated`"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/webhooks/{webhookId}/replays")]
pub(crate) async fn start(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Webhooks>,
    submission: Submission<NewReplay>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, webhook_id) = (path_id(&ids.0, "agent")?, path_id(&ids.1, "webhook")?);
    let body = submission.body;
    let replay = start_replay(&app, (agent_id, webhook_id), &caller, &body).await?;
    if body.dry_run {
        return Ok(HttpResponse::Ok().json(Replay::preview(replay)));
    }
    Ok(HttpResponse::Accepted().json(Replay::from(replay)))
}

/// Begins a replay, or plans it only if that was asked for.
pub async fn start_replay(
    app: &Arc<App>,
    (agent_id, webhook_id): Named,
    caller: &Caller<Webhooks>,
    body: &NewReplay,
) -> Result<ReplayView, Problem> {
    own_active(app, agent_id, caller).await?;
    let webhook = endpoint(app, agent_id, webhook_id).await?;
    let replay = planned(app, &webhook, body).await?;
    if body.dry_run {
        return Ok(replay);
    }
    if !webhook.is_on() {
        return Err(webhook_disabled());
    }
    let id = replay.id;
    write_rows(app, caller, &[WebhookChange::Replay(Box::new(replay)), WebhookChange::BreakerClosed { webhook_id }])
        .await?;
    app.store.webhooks().replay(webhook_id, id).await?.ok_or_else(running)
}

/// The replay as it would begin now.
async fn planned(app: &App, webhook: &WebhookView, body: &NewReplay) -> Result<ReplayView, Problem> {
    let store = &app.store;
    let head = store.log().tail().head();
    let from = match (body.after.or(body.since_position), body.since_time) {
        (None, Some(time)) => store.log().position_before(time).await?,
        (position, _) => position.unwrap_or(0).min(head),
    };
    let until = body.until_position.unwrap_or(head).min(head).max(from);
    let total = store.webhooks().count_subscribed_events(&Subscription::from(webhook), from, until).await?;
    Ok(ReplayView {
        id: ReplayId::new(store.log().clock().uuid()),
        webhook_id: webhook.id,
        agent_id: webhook.agent_id,
        from_position: from,
        until_position: until,
        position: from,
        total,
        enqueued: 0,
        status: ReplayStatus::Running,
        created_at: store.log().clock().now(),
        settled_at: None,
    })
}

fn running() -> Problem {
    let detail = "A replay to this endpoint is already running.";
    let hint = "Wait for its end (GET …/replays shows its progress), or cancel it: POST …/replays/{replayId}/cancel.";
    Problem::new(StatusCode::CONFLICT, "replay_running", detail, hint)
}

/// Which replays are listed.
#[derive(Query)]
pub(crate) struct ReplaysQuery {
    /// `nextCursor` of the previous page
    cursor: Option<IdCursor<ReplayId>>,
    /// Number of entries, 1 to 200
    #[query(example = 50)]
    limit: Limit,
}

/// List the replays to a webhook endpoint, newest first
///
/// A replay enqueues earlier events for the endpoint again.
#[utoipa::path(
    operation_id = "listReplays",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter, ReplaysQuery),
    responses((status = 200, description = "A page of replays", body = Page<Replay>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/agents/{id}/webhooks/{webhookId}/replays")]
pub(crate) async fn list(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Read>,
    ReplaysQuery { cursor, limit: Limit(limit) }: ReplaysQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, webhook_id) = (path_id(&ids.0, "agent")?, path_id(&ids.1, "webhook")?);
    own(&app, agent_id, &caller).await?;
    endpoint(&app, agent_id, webhook_id).await?;
    let rows = app.store.webhooks().replays(webhook_id, cursor.map(|IdCursor(id)| id), limit + 1).await?;
    Ok(etag::answer_list(&request, &Page::by_id(rows, limit, |row| row.id, Replay::from)))
}

/// Show the progress of a replay
///
/// The answer says how many events the replay covers and how many are enqueued.
#[utoipa::path(
    operation_id = "showReplay",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter, ReplayParameter),
    responses((status = 200, description = "The replay", body = Replay, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/agents/{id}/webhooks/{webhookId}/replays/{replayId}")]
pub(crate) async fn show(
    request: HttpRequest,
    ids: Path<(String, String, String)>,
    caller: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, webhook_id) = (path_id(&ids.0, "agent")?, path_id(&ids.1, "webhook")?);
    let id = path_id(&ids.2, "replay")?;
    own(&app, agent_id, &caller).await?;
    endpoint(&app, agent_id, webhook_id).await?;
    Ok(etag::answer(&request, &Replay::from(found(&app, webhook_id, id).await?)))
}

async fn found(app: &App, webhook_id: WebhookId, id: ReplayId) -> Result<ReplayView, Problem> {
    app.store.webhooks().replay(webhook_id, id).await?.ok_or_else(|| Problem::not_found("replay"))
}

/// Cancel a running replay
///
/// Events that it has enqueued are still delivered.
#[utoipa::path(
    operation_id = "cancelReplay",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter, ReplayParameter),
    responses(
        (status = 200, description = "The cancelled replay", body = Replay),
        (status = 409, description = "`replay_settled`"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/webhooks/{webhookId}/replays/{replayId}/cancel")]
pub(crate) async fn cancel(
    request: HttpRequest,
    ids: Path<(String, String, String)>,
    caller: Caller<Webhooks>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, webhook_id) = (path_id(&ids.0, "agent")?, path_id(&ids.1, "webhook")?);
    let cancelled = stop(&app, (agent_id, webhook_id), path_id(&ids.2, "replay")?, &caller).await?;
    Ok(HttpResponse::Ok().json(Replay::from(cancelled)))
}

/// Cancels a running replay.
pub async fn stop(
    app: &Arc<App>,
    (agent_id, webhook_id): Named,
    id: ReplayId,
    caller: &Caller<Webhooks>,
) -> Result<ReplayView, Problem> {
    own(app, agent_id, caller).await?;
    endpoint(app, agent_id, webhook_id).await?;
    expect(found(app, webhook_id, id).await?, ReplayStatus::Running)?;
    write_rows(app, caller, &[WebhookChange::ReplayCancelled { id }]).await?;
    // The replay may have ended concurrently.
    expect(found(app, webhook_id, id).await?, ReplayStatus::Cancelled)
}

fn expect(view: ReplayView, expected: ReplayStatus) -> Result<ReplayView, Problem> {
    if view.status == expected {
        return Ok(view);
    }
    let detail = format!("The replay already has the status {}.", view.status.as_str());
    let hint = "Only a running replay can be cancelled.";
    Err(Problem::new(StatusCode::CONFLICT, "replay_settled", detail, hint))
}
