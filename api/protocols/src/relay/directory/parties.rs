//! Operations on directory entries: register, withdraw, list and show.

use buildtrack_http::{
    app::App,
    guard::app_of,
    page::{Cursor, fitting},
    problem::Problem,
    problems::relay::unknown,
    query::{Limit, Query},
};
use std::slice;

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web::Path};
use buildtrack_domain::relay::{
    Did,
    directory::{Availability, Declaration},
};
use buildtrack_store::DirectoryEntry;

use super::{
    declaring::{admit, declare, register},
    schemas::{Directory, Party, PartyAnswer, Withdrawn},
    small,
    validation::MANIFEST,
};

use crate::relay::{
    allowance::{Counted, admit_address},
    parameters::PartyParameter,
};

/// Register an agent in the directory.
///
/// Replaces the agent's previous registration. The body is signed like an envelope: `sig` is Ed25519, by the key of
/// `agent.id`, over its RFC 8785 form without `sig`. `ts` must be newer than that of the previous registration and
/// differ from the relay's clock by less than five minutes. Manifests must match `GET /v1/manifest.schema.json`.
#[utoipa::path(
    operation_id = "registerParty",
    tag = "Relay",
    request_body(content = Object, description = "`{\"agent\": {\"id\": did, \"name\", \"url\", \"description\", …}, \"capabilities\": [manifest, …], \"status\": \"online\", \"ts\": time, \"sig\": signature}`; up to 20 manifests, 32 KiB"),
    responses(
        (status = 200, description = "The agent is listed", body = PartyAnswer),
        (status = 400, description = "`INVALID_REQUEST`: `registration_invalid`: `errors` names every invalid field; `timestamp_out_of_window`, `signature_invalid`, and violations of the rules of JSON and did:key"),
        (status = 403, description = "`FORBIDDEN`: `registration_unsigned`: the hint states what to sign"),
        (status = 409, description = "`INVALID_REQUEST`: `declaration_stale`: an equally new or newer one was already accepted"),
        (status = 413, description = "`INVALID_REQUEST`: `too_large`, `body_too_large`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`, `budget_spent`"),
    ),
)]
#[post("/v1/agents")]
pub(crate) async fn register_party(request: HttpRequest, body: Counted) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (signed, duplicate) = register(&app, &request, &body.0).await?;
    let view = app.store.relay().party(&signed.did).await?.ok_or_else(unknown)?;
    let agent = shown(&app, &view).await?;
    Ok(HttpResponse::Ok().json(PartyAnswer { ok: true, agent, duplicate }))
}

/// Which part of the list is shown.
#[derive(Query)]
struct PartiesQuery {
    /// `cursor` of the previous page
    cursor: Option<Cursor>,
    /// Maximum number of agents, 1 to 200
    #[query(example = 50)]
    limit: Limit,
}

/// List the agents in the directory.
///
/// The latest registration comes first.
#[utoipa::path(
    operation_id = "listParties",
    tag = "Relay",
    params(PartiesQuery),
    responses(
        (status = 200, description = "The agents", body = Directory),
        (status = 400, description = "`INVALID_REQUEST`: `invalid_parameter`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[get("/v1/agents")]
pub(crate) async fn list(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    let PartiesQuery { cursor, limit: Limit(limit) } = PartiesQuery::of(&request)?;
    let before = cursor.map_or(i64::MAX, |cursor| cursor.0);
    let mut views = app.store.relay().parties(before, limit + 1).await?;
    let count = views.len();
    views.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let mut agents = all_shown(&app, &views).await?;
    agents.truncate(fitting(&agents));
    views.truncate(agents.len());
    let cursor = views.last().filter(|_| views.len() < count).map(|last| Cursor(last.position).encode());
    Ok(HttpResponse::Ok().json(Directory { ok: true, agents, has_more: cursor.is_some(), cursor }))
}

/// Show an agent in the directory.
///
/// Shows the agent's capabilities, presence, record and signed registration.
#[utoipa::path(
    operation_id = "showParty",
    tag = "Relay",
    params(PartyParameter),
    responses(
        (status = 200, description = "The agent", body = PartyAnswer),
        (status = 404, description = "`INVALID_REQUEST`: `agent_unknown`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[get("/v1/agents/{did}")]
pub(crate) async fn show(request: HttpRequest, did: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    let view = find(&app, &did).await?;
    let agent = shown(&app, &view).await?.signed(&view);
    Ok(HttpResponse::Ok().json(PartyAnswer { ok: true, agent, duplicate: false }))
}

/// Withdraw an agent from the directory.
///
/// The agent's registrations remain on the log.
#[utoipa::path(
    operation_id = "withdrawParty",
    tag = "Relay",
    params(PartyParameter),
    request_body(content = Object, description = "`{\"type\": \"WITHDRAW\", \"id\": did, \"ts\": time, \"sig\": signature}`, signed like a registration"),
    responses(
        (status = 200, description = "The agent is no longer listed", body = Withdrawn),
        (status = 400, description = "`INVALID_REQUEST`: `type_unknown`, `timestamp_out_of_window`, `signature_invalid`, and violations of the rules of JSON and did:key"),
        (status = 403, description = "`FORBIDDEN`: `unsigned`, `not_yours`"),
        (status = 404, description = "`INVALID_REQUEST`: `agent_unknown`"),
        (status = 409, description = "`INVALID_REQUEST`: `declaration_stale`"),
        (status = 413, description = "`INVALID_REQUEST`: `too_large`, `body_too_large`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`, `budget_spent`"),
    ),
)]
#[delete("/v1/agents/{did}")]
pub(crate) async fn withdraw(request: HttpRequest, did: Path<String>, body: Counted) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let signed = admit(&app, &request, &body.0, &small::FORM).await?;
    small::is(&signed, "WITHDRAW")?;
    signed.about(&did.parse().map_err(|_| unknown())?)?;
    declare(&app, &signed, Declaration::Withdrawal, Availability::Offline).await?;
    Ok(HttpResponse::Ok().json(Withdrawn { ok: true, id: signed.did.to_string() }))
}

/// Show the JSON Schema of capability manifests.
///
/// Capability manifests in the directory of the relay follow this schema.
#[utoipa::path(
    operation_id = "showManifestSchema",
    tag = "Relay",
    responses((status = 200, description = "JSON Schema, draft 2020-12", body = Object, content_type = "application/schema+json")),
)]
#[get("/v1/manifest.schema.json")]
pub(crate) async fn show_manifest_schema() -> HttpResponse {
    HttpResponse::Ok().content_type("application/schema+json").body(MANIFEST)
}

/// The entry of a did. Errors with `agent_unknown`.
pub(super) async fn find(app: &App, did: &str) -> Result<DirectoryEntry, Problem> {
    let did: Did = did.parse().map_err(|_| unknown())?;
    app.store.relay().party(&did).await?.ok_or_else(unknown)
}

/// One agent with its record.
async fn shown(app: &App, view: &DirectoryEntry) -> Result<Party, Problem> {
    all_shown(app, slice::from_ref(view)).await?.pop().ok_or_else(unknown)
}

/// Agents with their records, in the same order.
pub(super) async fn all_shown(app: &App, views: &[DirectoryEntry]) -> Result<Vec<Party>, Problem> {
    let dids: Vec<_> = views.iter().map(|view| view.did.clone()).collect();
    let records = app.store.relay().party_records(&dids).await?;
    let record = |view: &DirectoryEntry| records.get(&view.did).copied().unwrap_or_default();
    Ok(views.iter().map(|view| Party::new(view, record(view), &app.public_url)).collect())
}
