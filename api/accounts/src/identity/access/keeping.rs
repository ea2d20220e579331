//! What the owner keeps of what clients made: it outlasts the consent under which it was made.

use std::borrow::Cow;

use actix_web::{HttpRequest, HttpResponse, delete, http::StatusCode, post, web::Path};
use buildtrack_domain::identity::Access;
use buildtrack_http::{
    actors::{owned::own, parameters::AgentParameter},
    answers::no_content,
    app::App,
    auth::OwnerCaller,
    body::Act,
    guard::app_of,
    problem::Problem,
    query::{Parameters, Query, Value, path_id},
};
use buildtrack_store::{AgentView, IdentityChange, Making};
use chrono::{DateTime, Utc};
use utoipa::openapi::Schema;

use super::{
    AccessParameter, MadeKindParameter, NAME, find,
    schemas::{AccessEntry, AccessState, MakingName},
};

/// What the owner saw before keeping it.
#[derive(Query)]
pub(crate) struct KeepQuery {
    /// `madeAt` of the entry in the list. If it was made anew since, the answer is 409 `made_anew`
    #[query(example = "2026-03-01T12:00:00Z")]
    made_at: Option<MadeAt>,
}

/// When the entry was made. An empty text is the same as none, as in a form that is sent without it.
struct MadeAt(DateTime<Utc>);

impl Value for MadeAt {
    fn expected() -> Cow<'static, str> {
        "the madeAt of the entry in the list, an RFC 3339 time".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    fn schema() -> Schema {
        DateTime::<Utc>::schema()
    }

    fn read(parameters: &mut Parameters, name: &str) -> Option<Self> {
        let is_empty = parameters.sent(name).is_none_or(str::is_empty);
        if is_empty { parameters.text(name).and(None) } else { parameters.parsed(name, Self::parse, &Self::expected()) }
    }
}

/// Keep something that a client made
///
/// It outlasts the consent under which it was made, until the client or another maker makes it anew. With
/// `madeAt`, the call keeps only what the owner has seen in the list. The caller is the agent's owner.
#[utoipa::path(
    operation_id = "keepAccess",
    tag = "Identity",
    params(AgentParameter, MadeKindParameter, AccessParameter, KeepQuery),
    responses(
        (status = 204, description = "It outlasts its consent"),
        (status = 403, description = "`owner_required`"),
        (status = 409, description = "`not_under_grant`, `made_anew`, `fallen_with_grant`"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/access/{kind}/{accessId}/keep")]
pub(crate) async fn keep(
    request: HttpRequest,
    path: Path<(String, String, String)>,
    owner: OwnerCaller,
    query: KeepQuery,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let seen = query.made_at.map(|MadeAt(seen)| seen);
    let (app, (id, kind, access_id)) = (app_of(&request), path.into_inner());
    let agent = own(&app, path_id(&id, "agent")?, &owner.caller).await?;
    set_kept(&app, &agent, (&kind, &access_id), (seen, &owner)).await?;
    Ok(no_content())
}

/// No longer keep something that a client made
///
/// It falls with its consent again, and at once if the consent has ended. The caller is the agent's owner.
#[utoipa::path(
    operation_id = "releaseAccess",
    tag = "Identity",
    params(AgentParameter, MadeKindParameter, AccessParameter),
    responses(
        (status = 204, description = "It falls with its consent"),
        (status = 403, description = "`owner_required`"),
        (status = 409, description = "`not_under_grant`"),
    ),
    security(("token" = [])),
)]
#[delete("/agents/{id}/access/{kind}/{accessId}/keep")]
pub(crate) async fn release(
    request: HttpRequest,
    path: Path<(String, String, String)>,
    owner: OwnerCaller,
) -> Result<HttpResponse, Problem> {
    let (app, (id, kind, access_id)) = (app_of(&request), path.into_inner());
    let agent = own(&app, path_id(&id, "agent")?, &owner.caller).await?;
    set_released(&app, &agent, (&kind, &access_id), &owner).await?;
    Ok(no_content())
}

/// Lets something outlast its consent, if it is what was made at the time that the owner saw.
pub async fn set_kept(
    app: &App,
    agent: &AgentView,
    named: (&str, &str),
    (seen, owner): (Option<DateTime<Utc>>, &OwnerCaller),
) -> Result<(), Problem> {
    let (access, entry) = find_of_client(app, agent, named).await?;
    if entry.state == AccessState::Ending {
        let detail = "The consent under which it was made has ended.";
        let hint = "Make it anew, if the agent needs it.";
        return Err(Problem::new(StatusCode::CONFLICT, "fallen_with_grant", detail, hint));
    }
    let made_at = entry.made_at.ok_or_else(|| Problem::not_found(NAME))?;
    if seen.is_some_and(|seen| seen != made_at) {
        return Err(made_anew());
    }
    let kept = IdentityChange::OriginKept { access: access.clone(), made_at };
    write(app, owner, kept).await?;
    // Its consent may have ended at the same moment, or a client may have made it anew.
    let origin =
        app.store.identity().origin(access.kind, &access.subject).await?.ok_or_else(|| Problem::not_found(NAME))?;
    let is_kept = origin.making == Making::Grant && origin.kept_at.is_some() && origin.made_at == made_at;
    if is_kept { Ok(()) } else { Err(made_anew()) }
}

/// Lets something fall with its consent again.
pub async fn set_released(
    app: &App,
    agent: &AgentView,
    named: (&str, &str),
    owner: &OwnerCaller,
) -> Result<(), Problem> {
    let (access, _) = find_of_client(app, agent, named).await?;
    write(app, owner, IdentityChange::OriginReleased { access }).await
}

async fn write(app: &App, owner: &OwnerCaller, change: IdentityChange) -> Result<(), Problem> {
    let writing = owner.caller.transact(app, async |unit, _| {
        unit.write_side(change.clone());
        Ok(())
    });
    writing.await?;
    Ok(())
}

/// What a client made under a consent, as the path names it.
async fn find_of_client(app: &App, agent: &AgentView, named: (&str, &str)) -> Result<(Access, AccessEntry), Problem> {
    let found = find(app, agent, named).await?;
    if found.1.made_by.how == MakingName::Grant {
        return Ok(found);
    }
    let detail = "No client made it under a consent, so that it falls with none.";
    let hint = "GET /api/v1/agents/{id}/access shows who made it. Remove it, or leave it as it is.";
    Err(Problem::new(StatusCode::CONFLICT, "not_under_grant", detail, hint))
}

/// 409: the owner decided on something else than is there now.
fn made_anew() -> Problem {
    let detail = "It is not what was made at that time: it was made anew, or its consent has ended.";
    let hint = "Read GET /api/v1/agents/{id}/access again, and decide on what is there now.";
    Problem::new(StatusCode::CONFLICT, "made_anew", detail, hint)
}
