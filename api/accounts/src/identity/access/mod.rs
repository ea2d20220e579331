//! What acts for an agent after the request that made it, in one place: listed for the agent and its owner; removed and kept by the owner.
//!
//! **Invariant:** a client cannot keep what it made: keeping is for sessions of the owner, and clients act as agents.

pub mod keeping;
pub mod listing;
pub mod schemas;

use std::borrow::Cow;

use actix_web::{HttpRequest, HttpResponse, delete, get, web::Path};
use buildtrack_domain::{
    actors::ActorId,
    identity::{Access, AccessKind, Agent},
    ids::{AgentId, ConsentId, KeyId, SessionId, WebhookId},
};
use buildtrack_http::{
    actors::{owned::own, parameters::AgentParameter},
    answers::no_content,
    app::App,
    auth::{Caller, OwnerCaller, Read},
    described::text,
    etag,
    guard::app_of,
    page::Page,
    path_parameters,
    problem::Problem,
    query::{Parameters, Query, TEXT_MAX, Value, path_id, refused},
};
use buildtrack_store::{AgentView, access};
use utoipa::openapi::Schema;

use self::{
    listing::{UNKNOWN, entries, made, seen_by},
    schemas::{AccessEntry, AccessEntryKind, AccessState, MakingName},
};
use super::{consents, key_schemas::PRIMARY, keys, sessions};

path_parameters! {
    /// A kind of what acts for an agent.
    AccessKindParameter = "kind", &["grant", "key", "session", "arena_token", "arena_endpoint", "webhook", "did", "push_config"], "webhook", "The kind";
    /// A kind of what a client makes.
    MadeKindParameter = "kind", &["arena_token", "arena_endpoint", "webhook", "did", "push_config"], "webhook", "The kind";
    /// Something that acts for an agent.
    AccessParameter = "accessId", &[AgentId::FORM, WebhookId::FORM, KeyId::FORM, SessionId::FORM, ConsentId::FORM, PRIMARY, CONFIG], "wh_01h2e8kqvbfwea724h75qc655w", "The id of the entry";
}

/// The form of the id of a push notification config: that of its exchange, and its own.
const CONFIG: &str = "[a-z]+_[0-9a-z]{26}:[A-Za-z0-9._~-]{1,128}";

/// List what acts for an agent
///
/// Its clients, keys and sessions, and what these and the owner made that goes on acting for the agent: arena token and endpoint, webhook
/// endpoints that are on, the linked did, push notification configs of tasks. Their number is bounded. The caller is the agent or its owner.
/// An agent sees of the clients, keys and sessions only those of its session, and does not see who else made the rest.
#[utoipa::path(
    operation_id = "listAccess",
    tag = "Identity",
    params(AgentParameter),
    responses((status = 200, description = "All entries, in one page", body = Page<AccessEntry>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/agents/{id}/access")]
pub(crate) async fn list(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let app = app_of(&request);
    let agent = own(&app, path_id(&id, "agent")?, &caller).await?;
    let items = entries(&app.store, &agent).await?;
    let items = match caller.id() {
        ActorId::Owner(_) => items,
        ActorId::Agent(_) => seen_by(items, caller.session().id),
    };
    Ok(etag::answer(&request, &Page { items, next_cursor: None }))
}

/// Remove something that acts for an agent
///
/// It ends as by its own removal: a token, key or session ends at once, a webhook endpoint is disabled, a did is unlinked, a consent is
/// withdrawn with what was made under it. The caller is the agent's owner.
#[utoipa::path(
    operation_id = "removeAccess",
    tag = "Identity",
    params(AgentParameter, AccessKindParameter, AccessParameter),
    responses(
        (status = 204, description = "It does not act for the agent any more"),
        (status = 403, description = "`owner_required`"),
        (status = 409, description = "`primary_key`"),
    ),
    security(("token" = [])),
)]
#[delete("/agents/{id}/access/{kind}/{accessId}")]
pub(crate) async fn remove(
    request: HttpRequest,
    path: Path<(String, String, String)>,
    owner: OwnerCaller,
) -> Result<HttpResponse, Problem> {
    let (app, (id, kind, access_id)) = (app_of(&request), path.into_inner());
    let agent = own(&app, path_id(&id, "agent")?, &owner.caller).await?;
    end(&app, &agent, (&kind, &access_id), &owner).await?;
    Ok(no_content())
}

/// Ends an entry of an agent of the owner.
pub async fn end(app: &App, agent: &AgentView, (kind, id): (&str, &str), owner: &OwnerCaller) -> Result<(), Problem> {
    match kind {
        "grant" => consents::end(app, owner, agent.id, path_id(id, "consent")?).await,
        "key" => keys::revoke_key(app, agent.id, id, owner).await,
        "session" => end_session(app, agent.id, path_id(id, "session")?, owner).await,
        kind => {
            let found = find(app, agent, (kind, id)).await?;
            end_all(app, vec![found.0], owner).await
        }
    }
}

async fn end_session(app: &App, agent_id: AgentId, session_id: SessionId, owner: &OwnerCaller) -> Result<(), Problem> {
    let opened = app.store.identity().opened_sessions(agent_id).await?;
    if !opened.iter().any(|session| session.id == session_id) {
        return Err(Problem::not_found("session"));
    }
    owner.caller.transact(app, async |unit, _| sessions::end(unit, session_id).await).await?;
    Ok(())
}

/// What a client may have made, as the path names it.
async fn find(app: &App, agent: &AgentView, (kind, id): (&str, &str)) -> Result<(Access, AccessEntry), Problem> {
    let kind: AccessKind = path_id(kind, NAME)?;
    let mut made = made(&app.store, agent).await?.into_iter();
    made.find(|(access, _)| access.kind == kind && access.subject == id).ok_or_else(|| Problem::not_found(NAME))
}

const NAME: &str = "access";

/// The id of a maker as the list has it, or `unknown`.
#[derive(Debug, Default)]
struct MakerId(String);

impl Value for MakerId {
    fn expected() -> Cow<'static, str> {
        "madeBy.id of the entries to remove, or unknown".into()
    }

    fn parse(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    fn schema() -> Schema {
        text().min_length(Some(1)).max_length(Some(TEXT_MAX)).into()
    }
}

/// The maker whose things are removed.
#[derive(Query)]
pub(crate) struct MakerQuery {
    /// `madeBy.id` of the entries to remove, or `unknown`
    #[query(required, example = "former_primary")]
    maker: MakerId,
}

/// Remove everything that one maker made for an agent
///
/// For example what sessions of an earlier primary key made: `maker=former_primary`. The maker itself stays. The caller is the agent's owner.
#[utoipa::path(
    operation_id = "removeAccessOfMaker",
    tag = "Identity",
    params(AgentParameter, MakerQuery),
    responses(
        (status = 204, description = "Nothing that this maker made acts for the agent any more"),
        (status = 403, description = "`owner_required`"),
    ),
    security(("token" = [])),
)]
#[delete("/agents/{id}/access")]
pub(crate) async fn remove_of_maker(
    request: HttpRequest,
    id: Path<String>,
    owner: OwnerCaller,
    query: MakerQuery,
) -> Result<HttpResponse, Problem> {
    let MakerQuery { maker: MakerId(maker) } = query;
    if maker.is_empty() {
        let hint = "Send madeBy.id of the entries to remove, or unknown.";
        return Err(refused("maker", "maker is missing", hint));
    }
    let app = app_of(&request);
    let agent = own(&app, path_id(&id, "agent")?, &owner.caller).await?;
    let is_of_maker = |entry: &AccessEntry| match &entry.made_by.id {
        Some(id) => *id == maker,
        None => entry.made_by.how == MakingName::Unknown && maker == UNKNOWN,
    };
    let made = made(&app.store, &agent).await?.into_iter();
    let of_maker = made.filter(|(_, entry)| is_of_maker(entry)).map(|(access, _)| access).collect();
    end_all(&app, of_maker, &owner).await?;
    Ok(no_content())
}

/// Ends these things, in two commits at most: a commit appends once to the stream that arena token and arena endpoint share. An agent has a
/// bounded number of things.
async fn end_all(app: &App, accesses: Vec<Access>, owner: &OwnerCaller) -> Result<(), Problem> {
    let is_endpoint = |access: &Access| access.kind == AccessKind::ArenaEndpoint;
    let (endpoints, others): (Vec<_>, Vec<_>) = accesses.into_iter().partition(is_endpoint);
    for accesses in [others, endpoints] {
        let ending = owner.caller.transact(app, async |unit, _| {
            for access in &accesses {
                // The commit names the version of the agent's stream, and with it the owner.
                unit.load::<Agent>(access.agent_id).await?;
                access::end_access(&app.store, unit, access).await?;
            }
            Ok(())
        });
        ending.await?;
    }
    Ok(())
}

/// What falls with a consent, for the page on which the owner withdraws it.
pub fn falling<'e>(entries: &'e [AccessEntry], consent_id: &str) -> impl Iterator<Item = &'e AccessEntry> {
    let falls =
        |entry: &&AccessEntry| entry.state == AccessState::FallsWithGrant && entry.kind != AccessEntryKind::Session;
    entries.iter().filter(falls).filter(move |entry| entry.made_by.id.as_deref() == Some(consent_id))
}
