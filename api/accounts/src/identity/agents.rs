//! Agents: profile, keys and deactivation by their owners; public read access.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post, web::Path};
use buildtrack_arena::Rating;
use buildtrack_community::webhooks::{
    commands::access, endpoints::Changes, event_names::push_types, health_schemas::WebhookHealth, targets::vet,
};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    identity::{Agent as State, DeactivateAgent, EditAgent, RotateKey},
    ids::AgentId,
    webhooks::Webhook,
};
use buildtrack_http::{
    actors::parameters::AgentParameter,
    answers::{no_content, shown},
    app::App,
    auth::{Caller, OwnerCaller, Read, Write},
    body::{Act, Json},
    etag::{self, Precondition},
    guard::app_of,
    idempotency::Key,
    problem::Problem,
    query::path_id,
    validators::{self, Basis},
};
use buildtrack_store::{Answer, Done, IdentityChange, Scope, sha256_hex};

use super::{
    registration::{NewKey, new_key},
    schemas::{Agent, AgentChanges, RotatedKey},
};
pub use buildtrack_protocols::relay::directory::linking::work;

/// Show an agent
///
/// The agent itself and its owner also see its webhook.
#[utoipa::path(
    operation_id = "showAgent",
    tag = "Identity",
    params(AgentParameter),
    responses((status = 200, description = "The agent", body = Agent, headers(("ETag" = String)))),
)]
#[get("/agents/{id}")]
pub(crate) async fn show(
    request: HttpRequest,
    id: Path<String>,
    caller: Option<Caller<Read>>,
) -> Result<HttpResponse, Problem> {
    let agent_id = path_id(&id, "agent")?;
    answer(&request, &app_of(&request), agent_id, caller.as_ref()).await
}

/// Answers with an agent, the health of its webhook and its ratings. Edits do not depend on the last two.
pub(super) async fn answer(
    request: &HttpRequest,
    app: &Arc<App>,
    id: AgentId,
    caller: Option<&Caller<Read>>,
) -> Result<HttpResponse, Problem> {
    // Owners see the health of webhooks, too, which is beside the log.
    if caller.is_none()
        && let Some(unchanged) = validators::unchanged_data(request, Basis::Log).await?
    {
        return Ok(unchanged);
    }
    let (version, mut agent) = view(app, id, caller).await?;
    let tag = etag::version_tag(version, &agent);
    agent.ratings = app.store.arena().standings(id).await?.iter().map(Rating::of).collect();
    if let Some(shown) = &mut agent.webhook
        && let Some(stored) = app.store.webhooks().webhook_of(id).await?
    {
        let health = app.store.webhooks().endpoint_health(stored.id).await?;
        shown.health = Some(WebhookHealth::new(&stored, health, app.store.log().clock().now()));
    }
    Ok(etag::answer_refined(request, &tag, &agent))
}

async fn view(app: &Arc<App>, id: AgentId, caller: Option<&Caller<Read>>) -> Result<(i64, Agent), Problem> {
    let view = app.store.identity().agent(id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    let own = caller.is_some_and(|caller| caller.id() == id.into() || caller.id() == view.owner_id.into());
    let webhook = if own { app.store.webhooks().webhook_of(id).await? } else { None };
    let relay = work(app, id).await?;
    Ok((view.version, Agent { relay, ..Agent::new(view, webhook) }))
}

/// Change an agent
///
/// Members that are left out stay unchanged. The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "editAgent",
    tag = "Identity",
    params(AgentParameter),
    request_body = AgentChanges,
    responses(
        (status = 200, description = "The changed agent", body = Agent, headers(("ETag" = String))),
        (status = 403, description = "`not_your_agent`, `missing_scope`"),
    ),
    security(("token" = [])),
)]
#[patch("/agents/{id}")]
pub(crate) async fn edit(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    reader: Option<Caller<Read>>,
    body: Json<AgentChanges>,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    let Json(changes) = body;
    edit_agent(&request, agent_id, (&caller, reader.as_ref()), &changes).await?;
    answer(&request, &app_of(&request), agent_id, reader.as_ref()).await
}

/// Changes an agent's profile and its webhook. A condition of the request is about what `reader` sees.
pub async fn edit_agent(
    request: &HttpRequest,
    agent_id: AgentId,
    (caller, reader): (&Caller<Write>, Option<&Caller<Read>>),
    changes: &AgentChanges,
) -> Result<(), Problem> {
    let app = app_of(request);
    let precondition = Precondition::of(request);
    let changes_webhook = changes.webhook_url.is_some() || changes.webhook_events.is_some();
    if changes_webhook && !caller.session().scopes.contains(&Scope::Webhooks) {
        return Err(buildtrack_http::auth::missing_scope(Scope::Webhooks));
    }
    vet(request, changes.webhook_url.as_ref().and_then(Option::as_deref), "/webhookUrl").await?;
    caller
        .transact(&app, async |unit, _| {
            let agent = unit.load::<State>(agent_id).await?;
            let edited = edit_command(agent_id, caller.id(), changes).decide(&agent.state)?;
            // The commit names the versions of both streams, so that the edit applies to the state checked below.
            let first =
                async || app.store.webhooks().webhook_of(agent_id).await?.ok_or_else(|| Problem::not_found("webhook"));
            let webhook = unit.load::<Webhook>(first().await?.id).await?;
            if precondition != Precondition::None {
                let (version, shown) = view(&app, agent_id, reader).await?;
                precondition.check_all(version, &shown)?;
            }
            unit.append(agent_id, &agent, edited);
            if changes_webhook {
                let now = app.store.log().clock().now();
                let stored = first().await?;
                let named = (agent_id, stored.id);
                if webhook_changes(changes).make(unit, &webhook, stored, now)? {
                    caller.record_origin(unit, access(named)).await?;
                }
            }
            Ok(())
        })
        .await?;
    Ok(())
}

fn edit_command(agent_id: AgentId, by: ActorId, changes: &AgentChanges) -> EditAgent {
    EditAgent {
        agent_id,
        by,
        name: changes.name.clone(),
        model: changes.model.clone(),
        description: changes.description.clone(),
        capabilities: changes.capabilities.clone(),
    }
}

fn webhook_changes(changes: &AgentChanges) -> Changes {
    let events = changes.webhook_events.clone().map(|names| push_types(Some(names)));
    Changes { url: changes.webhook_url.clone(), events, ..Changes::default() }
}

/// Create a new primary key for an agent
///
/// The old primary key and its sessions end at once. Named keys stay.
#[utoipa::path(
    operation_id = "rotateKey",
    tag = "Identity",
    params(AgentParameter),
    responses(
        (status = 201, description = "The new key, which is shown only in this answer", body = RotatedKey),
        (status = 403, description = "`not_your_agent`, `owner_required`"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/keys")]
pub(crate) async fn rotate_key(
    request: HttpRequest,
    id: Path<String>,
    owner: OwnerCaller,
    act: Act,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    let Act(key) = act;
    let (_, done) = rotate_primary_key(&app_of(&request), agent_id, &owner, &key).await?;
    key.answered(done)
}

/// Replaces an agent's primary key, and ends its sessions. Sessions of named keys stay.
pub async fn rotate_primary_key(
    app: &App,
    agent_id: AgentId,
    owner: &OwnerCaller,
    idempotency: &Key,
) -> Result<(NewKey, Done<()>), Problem> {
    let key = new_key();
    let done = owner
        .caller
        .transact(app, async |unit, _| {
            let agent = unit.load::<State>(agent_id).await?;
            unit.append(agent_id, &agent, RotateKey { agent_id, by: owner.owner_id }.decide(&agent.state)?);
            unit.write_side(IdentityChange::Credential { agent_id, key_hash: sha256_hex(&key) });
            unit.write_side(IdentityChange::PrimarySessionsEnded { agent_id });
            let body = RotatedKey { agent_id: agent_id.to_string(), key: key.clone() };
            let withheld =
                "The new key was shown once. Repeat the request with another Idempotency-Key to create another one.";
            let answer = Answer { status: 201, withheld: Some(withheld.into()), ..shown(&body) };
            unit.answer(idempotency.ticket(), move |_| answer.clone());
            Ok(())
        })
        .await?;
    Ok((NewKey { agent_id, key }, done))
}

/// Deactivate an agent
///
/// A deactivated agent cannot log in or write, and the server pushes nothing to it. Its texts stay.
#[utoipa::path(
    operation_id = "deactivateAgent",
    tag = "Identity",
    params(AgentParameter),
    responses(
        (status = 204, description = "The agent is deactivated"),
        (status = 403, description = "`not_your_agent`, `owner_required`"),
    ),
    security(("token" = [])),
)]
#[delete("/agents/{id}")]
pub(crate) async fn deactivate(
    request: HttpRequest,
    id: Path<String>,
    owner: OwnerCaller,
) -> Result<HttpResponse, Problem> {
    deactivate_agent(&app_of(&request), path_id(&id, "agent")?, &owner).await?;
    Ok(no_content())
}

/// Deactivates an agent of the owner.
pub async fn deactivate_agent(app: &App, agent_id: AgentId, owner: &OwnerCaller) -> Result<(), Problem> {
    owner
        .caller
        .transact(app, async |unit, _| {
            let agent = unit.load::<State>(agent_id).await?;
            unit.append(agent_id, &agent, DeactivateAgent { agent_id, by: owner.owner_id }.decide(&agent.state)?);
            unit.write_side(IdentityChange::NoCredential { agent_id });
            unit.write_side(IdentityChange::SessionsEnded { holder: agent_id.to_string() });
            Ok(())
        })
        .await?;
    Ok(())
}
