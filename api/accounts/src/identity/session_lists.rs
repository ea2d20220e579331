//! Lists and ends the caller's sessions.

use actix_web::{HttpRequest, HttpResponse, delete, get, web::Path};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    identity::{Agent, EndAgentSessions, EndOwnerSessions, Owner},
    ids::SessionId,
};
use buildtrack_http::{
    answers::no_content,
    app::App,
    auth::{Caller, Read, Write},
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::path_id,
};
use buildtrack_store::IdentityChange;

use super::{account_schemas::SessionEntry, sessions};

/// List the caller's sessions, newest first
///
/// An agent or owner has at most 100 sessions.
#[utoipa::path(
    operation_id = "listSessions",
    tag = "Identity",
    responses((status = 200, description = "The active sessions, in one page", body = Page<SessionEntry>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/me/sessions")]
pub(crate) async fn list(request: HttpRequest, caller: Caller<Read>) -> Result<HttpResponse, Problem> {
    let sessions = app_of(&request).store.identity().sessions_of(caller.id()).await?;
    let entry = |view: buildtrack_store::SessionView| {
        let current = view.id == caller.session().id;
        SessionEntry::new(view, current)
    };
    Ok(etag::answer(&request, &Page { items: sessions.into_iter().map(entry).collect(), next_cursor: None }))
}

/// End one session of the caller
///
/// Ends a session of another device, or of a token that others may have seen. A client that acts under a consent ends its own session alone.
#[utoipa::path(
    operation_id = "endSession",
    tag = "Identity",
    params(("id" = String, Path, example = "ses_01h2e8kqvbfwea724h75qc655w")),
    responses((status = 204, description = "The session's token is no longer valid")),
    security(("token" = [])),
)]
#[delete("/me/sessions/{id}")]
pub(crate) async fn end(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    end_session(&app_of(&request), &caller, path_id(&id, "session")?).await?;
    Ok(no_content())
}

/// Ends a session of the caller.
pub async fn end_session(app: &App, caller: &Caller<Write>, session_id: SessionId) -> Result<(), Problem> {
    let is_own = app.store.identity().sessions_of(caller.id()).await?.iter().any(|session| session.id == session_id);
    if !is_own {
        return Err(Problem::not_found("session"));
    }
    caller
        .transact(app, async |unit, _| {
            if session_id != caller.session().id {
                caller.refuse_client(app, unit).await?;
            }
            sessions::end(unit, session_id).await
        })
        .await?;
    Ok(())
}

/// End all other sessions of the caller
///
/// The session of this request stays. A client that acts under a consent cannot end others' sessions.
#[utoipa::path(
    operation_id = "endOtherSessions",
    tag = "Identity",
    responses((status = 204, description = "The tokens of the other sessions are no longer valid")),
    security(("token" = [])),
)]
#[delete("/me/sessions")]
pub(crate) async fn end_others(request: HttpRequest, caller: Caller<Write>) -> Result<HttpResponse, Problem> {
    end_other_sessions(&app_of(&request), &caller).await?;
    Ok(no_content())
}

/// Ends all other sessions of the caller.
pub async fn end_other_sessions(app: &App, caller: &Caller<Write>) -> Result<(), Problem> {
    let but = caller.session().id;
    caller
        .transact(app, async |unit, actor| {
            caller.refuse_client(app, unit).await?;
            match actor.id {
                ActorId::Owner(owner_id) => {
                    let owner = unit.load::<Owner>(owner_id).await?;
                    unit.append(owner_id, &owner, EndOwnerSessions { owner_id }.decide(&owner.state)?);
                }
                ActorId::Agent(agent_id) => {
                    let agent = unit.load::<Agent>(agent_id).await?;
                    unit.append(agent_id, &agent, EndAgentSessions { agent_id }.decide(&agent.state)?);
                }
            }
            unit.write_side(IdentityChange::OtherSessionsEnded { holder: actor.id.to_string(), but });
            Ok(())
        })
        .await?;
    Ok(())
}
