//! Which agent of this server an agent of the relay is: the agent asks for a challenge, and answers it with the did's key.
//!
//! A challenge is kept nowhere. It is the keyed hash of what it is for, of the time until which it can be answered, and of the
//! versions of the streams that an answer changes, so that it is worth nothing any more once it was answered.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, delete, http::StatusCode, post, put, web::Path};
use agora_envelope::DidKey;
use buildtrack_domain::{
    decide::Command,
    identity::{Agent as AgentState, AgentError},
    ids::AgentId,
    relay::{
        Did,
        directory::{Link, LinkDid, LinkError, LinkEvent, Linking, UnlinkDid},
    },
};
use buildtrack_store::{Loaded, Unit, sha256_hex};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{
    presences::small,
    schemas::{Challenge, NewChallenge, RelayWork},
    signed::{Signed, read, verify},
};
use crate::{
    app::App,
    http::{
        answers::no_content,
        auth::{Caller, Write},
        body::{Raw, Submission},
        etag,
        guard::app_of,
        problem::{FieldError, Problem},
        query::path_id,
    },
    webhooks::deliveries::own,
};

/// How long a challenge can be answered.
const PATIENCE: TimeDelta = TimeDelta::minutes(5);

/// Asks for a challenge, to be answered with the key of a did that the agent says is its own. By the agent or its owner.
#[utoipa::path(
    operation_id = "challengeDid",
    tag = "Relay",
    params(("id" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w")),
    request_body = NewChallenge,
    responses((status = 200, description = "The challenge, for five minutes", body = Challenge)),
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
    let agent_id: AgentId = path_id(&id, "agent")?;
    own(&app, agent_id, &caller).await?;
    let did = did_of(&submission.body.did)?;
    let done = caller.transact(&app, async |unit, _| Ok(load(unit, agent_id, &did).await?.versions())).await?;
    let now = app.store.clock().now();
    let expires_at = now + PATIENCE;
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

/// Links a did to an agent: the body is what the challenge said to sign, signed with the did's key. A did belongs to one
/// agent, and an agent has one did; what is linked already stays. By the agent or its owner.
#[utoipa::path(
    operation_id = "linkDid",
    tag = "Relay",
    params(("id" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w")),
    request_body(content = Object, description = "`{\"type\": \"LINK\", \"id\": did, \"agentId\": id, \"challenge\", \"ts\", \"sig\"}`: `sign` of the challenge, signed as envelopes are"),
    responses(
        (status = 200, description = "It is linked", body = RelayWork, headers(("ETag" = String))),
        (status = 400, description = "`type_unknown`, `signature_invalid`, and the rules of JSON and did:key", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "`challenge_invalid`: it is another's, or was answered already, or its time is over; `unsigned`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`did_taken`, `has_did`, `agent_deactivated`", body = Problem, content_type = "application/problem+json"),
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
    let agent_id: AgentId = path_id(&id, "agent")?;
    own(&app, agent_id, &caller).await?;
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
                answered(&app, agent_id, &signed, sides.versions())?;
            }
            sides.append(unit, agent_id, &signed.did, events);
            Ok(())
        })
        .await?;
    let work = work(&app, agent_id).await?.ok_or_else(|| Problem::not_found("did of this agent"))?;
    Ok(etag::answer(&request, &work))
}

/// Takes the link back. By the agent or its owner. Where nothing is linked nothing changes.
#[utoipa::path(
    operation_id = "unlinkDid",
    tag = "Relay",
    params(("id" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w")),
    responses((status = 204, description = "Nothing is linked")),
    security(("token" = [])),
)]
#[delete("/agents/{id}/did")]
pub(crate) async fn unlink(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id: AgentId = path_id(&id, "agent")?;
    own(&app, agent_id, &caller).await?;
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

/// What an agent is and does at the relay, if that is known.
pub(crate) async fn work(app: &Arc<App>, agent_id: AgentId) -> Result<Option<RelayWork>, Problem> {
    let Some(view) = app.store.did_of(agent_id).await? else { return Ok(None) };
    let records = app.store.party_records(std::slice::from_ref(&view.did)).await?;
    let record = records.get(&view.did).copied().unwrap_or_default();
    Ok(Some(RelayWork {
        did: view.did.to_string(),
        linked_at: view.linked_at,
        completed: record.completed,
        failed: record.failed,
        on_time: record.kept,
        mean_seconds: record.mean_seconds(),
    }))
}

/// Both sides of a link.
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

/// A challenge that can be answered until then.
fn mac(app: &App, agent_id: AgentId, did: &Did, until: i64, versions: (i64, i64)) -> String {
    // The line breaks keep it apart from everything else that is hashed under this key.
    let text = format!("did challenge\n{agent_id}\n{did}\n{until}\n{}\n{}", versions.0, versions.1);
    format!("{until}.{}", app.store.secret().keyed_hash(&text))
}

/// Refuses an answer to another challenge.
fn answered(app: &App, agent_id: AgentId, signed: &Signed, versions: (i64, i64)) -> Result<(), Problem> {
    let text = |name: &str| signed.value.get(name).and_then(Value::as_str).unwrap_or_default();
    let until = text("challenge").split('.').next().and_then(|until| until.parse().ok()).unwrap_or_default();
    let expected = mac(app, agent_id, &signed.did, until, versions);
    let is_over = DateTime::<Utc>::from_timestamp(until, 0).is_none_or(|until| until <= app.store.clock().now());
    // Hashed once more, so that the time of the comparison tells nothing of what is expected.
    let is_it = sha256_hex(expected) == sha256_hex(text("challenge"));
    if is_it && !is_over && text("agentId") == agent_id.to_string() {
        return Ok(());
    }
    let detail = "It is no challenge of this agent and did, or it was answered already, or its time is over.";
    let hint = "Ask for a new one: POST /api/v1/agents/{id}/did/challenge.";
    Err(Problem::new(StatusCode::FORBIDDEN, "challenge_invalid", detail, hint))
}

fn did_of(text: &str) -> Result<Did, Problem> {
    let key = text.parse::<DidKey>().map_err(|error| {
        let hint = "Use did:key with an Ed25519 key: did:key:z6Mk….";
        Problem::invalid(vec![FieldError::field("/did", error.reason(), error.to_string(), hint)])
    })?;
    key.as_str().parse().map_err(|error| Problem::internal(&error))
}

impl From<LinkError> for Problem {
    fn from(error: LinkError) -> Self {
        let detail = format!("{error}.");
        let (code, hint) = match error {
            LinkError::Taken => ("did_taken", "Take it from the other agent first: DELETE /api/v1/agents/{id}/did."),
            LinkError::HasAnother => ("has_did", "Take the other one away first: DELETE /api/v1/agents/{id}/did."),
        };
        Self::new(StatusCode::CONFLICT, code, detail, hint)
    }
}
