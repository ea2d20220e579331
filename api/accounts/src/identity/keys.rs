//! The keys of an agent, for its owner: named ones beside the primary key, each with scopes and an expiry.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web::Path};
use buildtrack_domain::{
    decide::Command,
    identity::{Agent as State, AgentError, AgentEvent, CreateKey, RevokeKey},
    ids::{AgentId, KeyId},
};
use buildtrack_http::{
    actors::parameters::AgentParameter,
    answers::{no_content, shown},
    app::App,
    auth::OwnerCaller,
    body::Submission,
    etag,
    guard::app_of,
    idempotency::Key,
    page::Page,
    path_parameters,
    problem::Problem,
    query::path_id,
};
use buildtrack_store::{Answer, Done, IdentityChange, NewAgentKey, Scope, sha256_hex};
use chrono::SubsecRound;

use super::{
    key_schemas::{AgentKey, NewNamedKey, PRIMARY},
    registration::{NewKey, new_key, note_refusal},
    session_schemas::scopes,
    sessions::names,
};

path_parameters! {
    /// A key of an agent.
    KeyParameter = "keyId", &[KeyId::FORM, PRIMARY], "key_01h2e8kqvbfwea724h75qc655w", "The key's id";
}

/// List the keys of an agent
///
/// The primary key comes first, then the named keys, oldest first.
#[utoipa::path(
    operation_id = "listKeys",
    tag = "Identity",
    params(AgentParameter),
    responses(
        (status = 200, description = "The keys, in one page", body = Page<AgentKey>, headers(("ETag" = String))),
        (status = 403, description = "`not_your_agent`, `owner_required`"),
    ),
    security(("token" = [])),
)]
#[get("/agents/{id}/keys")]
pub(crate) async fn list(request: HttpRequest, id: Path<String>, owner: OwnerCaller) -> Result<HttpResponse, Problem> {
    let (app, agent_id) = (app_of(&request), path_id(&id, "agent")?);
    let agent = app.store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    if agent.owner_id != owner.owner_id {
        return Err(AgentError::NotYours.into());
    }
    let found = app.store.identity().keys_of(agent_id).await?;
    Ok(etag::answer(&request, &Page { items: found.into_iter().map(AgentKey::from).collect(), next_cursor: None }))
}

/// Create a named key for an agent
///
/// An agent has up to 10 named keys. A new one removes those that have expired.
#[utoipa::path(
    operation_id = "createKey",
    tag = "Identity",
    params(AgentParameter),
    request_body = NewNamedKey,
    responses(
        (status = 201, description = "The new key, which is shown only in this answer", body = AgentKey),
        (status = 403, description = "`not_your_agent`, `owner_required`"),
        (status = 409, description = "`too_many_keys`, `agent_deactivated`"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/keys/named")]
pub(crate) async fn create(
    request: HttpRequest,
    id: Path<String>,
    owner: OwnerCaller,
    submission: Submission<NewNamedKey>,
) -> Result<HttpResponse, Problem> {
    let agent_id = path_id(&id, "agent")?;
    let Submission { body, key } = submission;
    let (_, done) = create_key(&app_of(&request), agent_id, &owner, body, &key).await?;
    key.answered(done)
}

/// Creates a named key for an agent of the owner.
pub async fn create_key(
    app: &App,
    agent_id: AgentId,
    owner: &OwnerCaller,
    body: NewNamedKey,
    idempotency: &Key,
) -> Result<(NewKey, Done<()>), Problem> {
    let (key, created_at) = (new_key(), app.store.log().clock().now());
    let allowed = body.scopes.map_or_else(|| Scope::ALL.to_vec(), |given| scopes(&given));
    let new = NewAgentKey {
        id: KeyId::new(app.store.log().clock().uuid()),
        agent_id,
        key_hash: sha256_hex(&key),
        name: body.name,
        scopes: names(&allowed).join(" "),
        created_at,
        // Both databases store microseconds.
        expires_at: body.expires_at.map(|at| at.trunc_subsecs(6)),
    };
    let (by, key_id, expires_at) = (owner.owner_id, new.id, new.expires_at);
    let command = CreateKey { agent_id, by, key_id, expires_at, now: created_at };
    let withheld =
        format!("The key {key_id} was shown once. Revoke it, and create another one with another Idempotency-Key.");
    let answer = Answer { status: 201, withheld: Some(withheld), ..shown(&AgentKey::created(&new, &key)) };
    let done = owner
        .caller
        .transact(app, async |unit, _| {
            let agent = unit.load::<State>(agent_id).await?;
            let events = command.decide(&agent.state)?;
            for event in &events {
                if let AgentEvent::KeyRevoked(expired) = event {
                    unit.write_side(IdentityChange::KeyRevoked { agent_id, key_id: expired.key_id });
                }
            }
            unit.append(agent_id, &agent, events);
            unit.write_side(IdentityChange::Key(Box::new(new.clone())));
            let answer = answer.clone();
            unit.answer(idempotency.ticket(), move |_| answer.clone());
            Ok(())
        })
        .await
        .inspect_err(note_refusal)?;
    Ok((NewKey { agent_id, key }, done))
}

/// Revoke a named key of an agent
///
/// The key and its sessions end at once. The primary key is replaced instead: `POST /api/v1/agents/{id}/keys`.
#[utoipa::path(
    operation_id = "revokeKey",
    tag = "Identity",
    params(AgentParameter, KeyParameter),
    responses(
        (status = 204, description = "The key is revoked"),
        (status = 403, description = "`not_your_agent`, `owner_required`"),
        (status = 409, description = "`primary_key`"),
    ),
    security(("token" = [])),
)]
#[delete("/agents/{id}/keys/{keyId}")]
pub(crate) async fn revoke(
    request: HttpRequest,
    ids: Path<(String, String)>,
    owner: OwnerCaller,
) -> Result<HttpResponse, Problem> {
    revoke_key(&app_of(&request), path_id(&ids.0, "agent")?, &ids.1, &owner).await?;
    Ok(no_content())
}

/// Revokes a named key of an agent of the owner.
pub async fn revoke_key(app: &App, agent_id: AgentId, key: &str, owner: &OwnerCaller) -> Result<(), Problem> {
    let named: Option<KeyId> = if key == PRIMARY { None } else { Some(path_id(key, "key")?) };
    let command = RevokeKey { agent_id, by: owner.owner_id, key_id: named };
    owner
        .caller
        .transact(app, async |unit, _| {
            let agent = unit.load::<State>(agent_id).await?;
            unit.append(agent_id, &agent, command.decide(&agent.state)?);
            if let Some(key_id) = named {
                unit.write_side(IdentityChange::KeyRevoked { agent_id, key_id });
            }
            Ok(())
        })
        .await?;
    Ok(())
}
