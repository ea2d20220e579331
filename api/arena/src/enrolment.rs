//! Enrolment of agents in the arena, and their arena tokens.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, put, web::Path};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_community::webhooks::targets::vet;
use buildtrack_domain::{
    arena::enrolment::{Enrol, Enrolled, Enrolment as State, EnrolmentStream, RotateToken, Withdraw},
    decide::Command,
    identity::{Access, AccessKind, Agent},
    ids::AgentId,
};
use buildtrack_http::{
    actors::{
        owned::{own_active, own_named},
        parameters::AgentParameter,
    },
    answers::{no_content, shown},
    app::App,
    auth::{Caller, Read, Write},
    body::{Act, Json},
    etag,
    guard::app_of,
    problem::Problem,
    problems::arena::not_enrolled,
    query::path_id,
};
use buildtrack_store::{Answer, ArenaChange, SocketState, clock, sha256_hex};

use super::{
    enrolment_schemas::{ArenaToken, Enrolment, ShownEnrolment},
    tokens::TOKEN_PREFIX,
};

/// Enrol an agent in the arena
///
/// Replaces an earlier enrolment. The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "enrolAgent",
    tag = "Arena",
    params(AgentParameter),
    request_body = Enrolment,
    responses((status = 200, description = "The enrolment", body = ShownEnrolment, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[put("/agents/{id}/arena")]
pub(crate) async fn enrol(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    body: Json<Enrolment>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id: AgentId = path_id(&id, "agent")?;
    let Json(enrolment) = body;
    own_active(&app, agent_id, &caller).await?;
    vet(&request, enrolment.endpoint_url.as_deref(), "/endpointUrl").await?;
    caller
        .transact_unnamed(&app, async |unit, _| {
            let agent = unit.load::<Agent>(agent_id).await?;
            let owner_id = agent.state.owner.ok_or_else(|| Problem::not_found("agent"))?;
            let stream = EnrolmentStream(agent_id);
            let state = unit.load::<State>(stream).await?;
            let enrolled = Enrolled {
                agent_id,
                owner_id,
                endpoint_url: enrolment.endpoint_url(),
                leagues: enrolment.leagues(),
                accepts_challenges: enrolment.accepts_challenges,
                judges: enrolment.judges(),
            };
            let before = state.state.current.as_ref().and_then(|before| before.endpoint_url.clone());
            let has_endpoint = enrolled.endpoint_url.is_some();
            if before != enrolled.endpoint_url {
                let added = ArenaChange::EndpointAdded { agent_id };
                unit.write_side(if has_endpoint { added } else { ArenaChange::EndpointRemoved { agent_id } });
                if has_endpoint {
                    caller.record_origin(unit, Access::only(AccessKind::ArenaEndpoint, agent_id)).await?;
                }
            }
            unit.append(stream, &state, Enrol(enrolled).decide(&state.state)?);
            Ok(())
        })
        .await?;
    answer(&request, &app, agent_id).await
}

/// Show an agent's enrolment
///
/// The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "showEnrolment",
    tag = "Arena",
    params(AgentParameter),
    responses(
        (status = 200, description = "The enrolment", body = ShownEnrolment, headers(("ETag" = String))),
        (status = 404, description = "`not_found`, `not_enrolled`"),
    ),
    security(("token" = [])),
)]
#[get("/agents/{id}/arena")]
pub(crate) async fn show(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id = own_named(&app, &id, &caller).await?;
    answer(&request, &app, agent_id).await
}

async fn answer(request: &HttpRequest, app: &App, agent_id: AgentId) -> Result<HttpResponse, Problem> {
    let store = &app.store;
    let view = store.arena().enrolment(agent_id).await?.ok_or_else(not_enrolled)?;
    let known = (store.arena().agent(agent_id).await?, store.arena().endpoint(agent_id).await?);
    let standings = store.arena().standings(agent_id).await?;
    let is_connected = store.arena().socket_state(agent_id).await? == SocketState::Open;
    let body = ShownEnrolment::new(view, known, (&standings, is_connected), store.log().clock().now());
    Ok(etag::answer(request, &body))
}

/// Withdraw an agent from the arena
///
/// Matches under way are played to their end. Ratings and results stay.
#[utoipa::path(
    operation_id = "withdrawAgent",
    tag = "Arena",
    params(AgentParameter),
    responses(
        (status = 204, description = "The agent is not enrolled any more"),
        (status = 404, description = "`not_found`, `not_enrolled`"),
    ),
    security(("token" = [])),
)]
#[delete("/agents/{id}/arena")]
pub(crate) async fn withdraw(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id = own_named(&app, &id, &caller).await?;
    caller
        .transact_unnamed(&app, async |unit, _| {
            let stream = EnrolmentStream(agent_id);
            let state = unit.load::<State>(stream).await?;
            unit.append(stream, &state, Withdraw { agent_id }.decide(&state.state)?);
            unit.write_side(ArenaChange::EndpointRemoved { agent_id });
            unit.write_side(ArenaChange::Unqueued { agent_id });
            Ok(())
        })
        .await?;
    Ok(no_content())
}

/// Create a new arena token
///
/// The token opens `/agent/connect`. The earlier one, and the connection that it opened, end at once.
#[utoipa::path(
    operation_id = "rotateArenaToken",
    tag = "Arena",
    params(AgentParameter),
    responses((status = 201, description = "The new token, which is shown only in this answer", body = ArenaToken)),
    security(("token" = [])),
)]
#[post("/agents/{id}/arena/token")]
pub(crate) async fn rotate_token(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    act: Act,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id: AgentId = path_id(&id, "agent")?;
    let Act(idempotency) = act;
    own_active(&app, agent_id, &caller).await?;
    let token = format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(clock::random::<32>()));
    let done = caller
        .transact_unnamed(&app, async |unit, _| {
            let stream = EnrolmentStream(agent_id);
            let state = unit.load::<State>(stream).await?;
            unit.append(stream, &state, RotateToken { agent_id }.decide(&state.state)?);
            unit.write_side(ArenaChange::Token { agent_id, hash: sha256_hex(&token) });
            caller.record_origin(unit, Access::only(AccessKind::ArenaToken, agent_id)).await?;
            let body = ArenaToken { agent_id: agent_id.to_string(), token: token.clone() };
            let withheld =
                "The token was shown once. Repeat the request with another Idempotency-Key to create another one.";
            let answer = Answer { status: 201, withheld: Some(withheld.into()), ..shown(&body) };
            unit.answer(idempotency.ticket(), move |_| answer.clone());
            Ok(())
        })
        .await?;
    app.store.identity().cache_issued_token(&sha256_hex(&token));
    idempotency.answered(done)
}
