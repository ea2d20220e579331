//! Links between agents of this server and did:keys of the relay. An agent requests a challenge and answers it with the
//! key of the did.
//!
//! The server stores no challenges. A challenge is a keyed hash of its purpose, its expiry, and the versions of the
//! streams that an answer changes.
//!
//! **Invariant:** a challenge is valid for one answer only, because the answer changes those versions.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, delete, http::StatusCode, post, put, web::Path};
use agora_envelope::DidKey;
use buildtrack_domain::{
    decide::Command,
    identity::{Access, AccessKind, Agent as AgentState, AgentError},
    ids::AgentId,
    relay::{
        Did,
        directory::{Link, LinkDid, LinkEvent, Linking, UnlinkDid},
    },
};
use buildtrack_http::{
    actors::{owned::own_named, parameters::AgentParameter},
    answers::no_content,
    app::App,
    auth::{Caller, Write},
    body::{Raw, Submission},
    etag,
    guard::app_of,
    problem::{FieldError, Problem},
};
use buildtrack_store::{Loaded, Purpose, Unit, sha256_hex};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{
    link_schemas::{Challenge, NewChallenge, RelayWork},
    signed::{Signed, read, verify},
    small,
};

/// How long a challenge is valid.
const CHALLENGE_LIFETIME: TimeDelta = TimeDelta::minutes(5);

/// Request a challenge that proves ownership of a did.
///
/// Sign the challenge with the key of the did that the agent claims. The agent or its owner can request it.
#[utoipa::path(
    operation_id = "challengeDid",
    tag = "Relay",
    params(AgentParameter),
    request_body = NewChallenge,
    responses((status = 200, description = "The challenge; it expires after five minutes", body = Challenge)),
    security(("token" = [])),
)]
#[post("/agents/{id}/did/challenge")]
pub(crate) async fn challenge(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    submission: Submission<NewChallenge>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id = own_named(&app, &id, &caller).await?;
    let did = did_of(&submission.body.did)?;
    let done = caller.transact(&app, async |unit, _| Ok(load(unit, agent_id, &did).await?.versions())).await?;
    let now = app.store.log().clock().now();
    let expires_at = now + CHALLENGE_LIFETIME;
    let challenge = mac(&app, agent_id, &did, expires_at.timestamp(), done.value);
    let sign = json!({
        "type": "LINK",
        "id": did.as_str(),
        "agentId": agent_id.to_string(),
        "challenge": challenge,
        "ts": now.to_rfc3339_opts(SecondsFormat::Millis, true),
    });
    Ok(HttpResponse::Ok().json(Challenge { challenge, expires_at, sign }))
}

/// Link a did to an agent.
///
/// The body is the object `sign` of the challenge, signed with the key of the did. A did belongs to one agent, and an
/// agent has one did. Repeating an existing link changes nothing. The agent or its owner can link.
#[utoipa::path(
    operation_id = "linkDid",
    tag = "Relay",
    params(AgentParameter),
    request_body(content = Object, description = "`{\"type\": \"LINK\", \"id\": did, \"agentId\": id, \"challenge\", \"ts\", \"sig\"}`: `sign` of the challenge, signed as envelopes are"),
    responses(
        (status = 200, description = "The did is linked", body = RelayWork, headers(("ETag" = String))),
        (status = 400, description = "`type_unknown`, `signature_invalid`, and violations of the rules of JSON and did:key"),
        (status = 403, description = "`challenge_invalid`: the challenge belongs to another agent or did, was already answered, or has expired; `unsigned`"),
        (status = 409, description = "`did_taken`, `has_did`, `agent_deactivated`"),
    ),
    security(("token" = [])),
)]
#[put("/agents/{id}/did")]
pub(crate) async fn link(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    body: Raw,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id = own_named(&app, &id, &caller).await?;
    let signed = verify(read(&body.0)?, &small::FORM)?;
    small::is(&signed, "LINK")?;
    caller
        .transact(&app, async |unit, _| {
            if unit.load::<AgentState>(agent_id).await?.state.deactivated {
                return Err(AgentError::Deactivated.into());
            }
            let sides = load(unit, agent_id, &signed.did).await?;
            let command = LinkDid { did: signed.did.clone(), agent_id };
            let events = command.decide((&sides.link.state, &sides.slot.state))?;
            if !events.is_empty() {
                check_answer(&app, agent_id, &signed, sides.versions())?;
                caller.record_origin(unit, Access::only(AccessKind::Did, agent_id)).await?;
            }
            sides.append(unit, agent_id, &signed.did, events);
            Ok(())
        })
        .await?;
    let work = work(&app, agent_id).await?.ok_or_else(|| Problem::not_found("did of this agent"))?;
    Ok(etag::answer(&request, &work))
}

/// Remove the link between a did and an agent.
///
/// Changes nothing if no did is linked. The agent or its owner can remove it.
#[utoipa::path(
    operation_id = "unlinkDid",
    tag = "Relay",
    params(AgentParameter),
    responses((status = 204, description = "No did is linked")),
    security(("token" = [])),
)]
#[delete("/agents/{id}/did")]
pub(crate) async fn unlink(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id = own_named(&app, &id, &caller).await?;
    caller
        .transact(&app, async |unit, _| {
            let slot = unit.load::<Linking>(Linking::stream(agent_id)).await?;
            let events = UnlinkDid { agent_id }.decide(&slot.state)?;
            if let Some(did) = &slot.state.did {
                load(unit, agent_id, did).await?.append(unit, agent_id, did, events);
            }
            Ok(())
        })
        .await?;
    Ok(no_content())
}

/// The did and the record of an agent at the relay; none without a linked did.
pub async fn work(app: &Arc<App>, agent_id: AgentId) -> Result<Option<RelayWork>, Problem> {
    let Some(view) = app.store.relay().did_of(agent_id).await? else { return Ok(None) };
    let records = app.store.relay().party_records(std::slice::from_ref(&view.did)).await?;
    let record = records.get(&view.did).copied().unwrap_or_default();
    Ok(Some(RelayWork {
        did: view.did.to_string(),
        linked_at: view.linked_at,
        completed: record.completed,
        failed: record.failed,
        on_time: record.on_time,
        mean_seconds: record.mean_seconds(),
    }))
}

/// The streams of both sides of a link: did and agent.
struct Sides {
    link: Loaded<Link>,
    slot: Loaded<Linking>,
}

async fn load(unit: &mut Unit<'_>, agent_id: AgentId, did: &Did) -> Result<Sides, Problem> {
    Ok(Sides { link: unit.load(did.link_stream()).await?, slot: unit.load(Linking::stream(agent_id)).await? })
}

impl Sides {
    fn versions(&self) -> (i64, i64) {
        (self.link.version, self.slot.version)
    }

    fn append(&self, unit: &mut Unit<'_>, agent_id: AgentId, did: &Did, events: Vec<LinkEvent>) {
        let others = events.iter().map(LinkEvent::other_side).collect();
        unit.append(did.link_stream(), &self.link, events);
        unit.append(Linking::stream(agent_id), &self.slot, others);
    }
}

/// Computes a challenge that is valid until `until` (Unix seconds).
fn mac(app: &App, agent_id: AgentId, did: &Did, until: i64, versions: (i64, i64)) -> String {
    let text = format!("{agent_id}\n{did}\n{until}\n{}\n{}", versions.0, versions.1);
    format!("{until}.{}", app.store.log().secret().mac(Purpose::DidChallenge, &text))
}

/// Checks the answer to a challenge. Errors with `challenge_invalid`.
fn check_answer(app: &App, agent_id: AgentId, signed: &Signed, versions: (i64, i64)) -> Result<(), Problem> {
    let text = |name: &str| signed.value.get(name).and_then(Value::as_str).unwrap_or_default();
    let until = text("challenge").split('.').next().and_then(|until| until.parse().ok()).unwrap_or_default();
    let expected = mac(app, agent_id, &signed.did, until, versions);
    let is_expired =
        DateTime::<Utc>::from_timestamp(until, 0).is_none_or(|until| until <= app.store.log().clock().now());
    // Comparing hashes prevents a timing attack on the expected challenge.
    let is_equal = sha256_hex(expected) == sha256_hex(text("challenge"));
    if is_equal && !is_expired && text("agentId") == agent_id.to_string() {
        return Ok(());
    }
    let detail = "The challenge is not for this agent and did, was already answered, or has expired.";
    let hint = "Request a new one: POST /api/v1/agents/{id}/did/challenge.";
    Err(Problem::new(StatusCode::FORBIDDEN, "challenge_invalid", detail, hint))
}

fn did_of(text: &str) -> Result<Did, Problem> {
    let key = text.parse::<DidKey>().map_err(|error| {
        let hint = "Use did:key with an Ed25519 key: did:key:z6Mk….";
        Problem::invalid(vec![FieldError::field("/did", error.reason(), error.to_string(), hint)])
    })?;
    key.as_str().parse().map_err(|error| Problem::internal(&error))
}
