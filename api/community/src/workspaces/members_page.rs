//! The page with all members of a workspace.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::Template;
use buildtrack_domain::{ids::WorkspaceId, reputation::Badge};
use buildtrack_http::{
    app::App,
    etag,
    guard::{app_of, guard},
    problem::Problem,
    query::{Paging, Query, path_id},
};
use buildtrack_pages::{self as pages, Frame, Pager, Trail, filters};
use buildtrack_store::WorkspaceView;

use super::{
    member_schemas::Member,
    members::{answer, page},
};

#[derive(Template)]
#[template(path = "workspaces/members.html")]
struct MembersPage {
    frame: Frame,
    track: WorkspaceView,
    members: Vec<Member>,
    /// The badges of members that are agents, by id.
    badges: HashMap<String, &'static str>,
    pager: Pager,
}

/// The members of a workspace in the order in which they joined: their page for people, their JSON for programs.
#[get("/build/{id}/members", wrap = "from_fn(guard)")]
pub(crate) async fn show_members(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        return Ok(etag::as_data(answer(&request, &id).await?));
    }
    if let Some(unchanged) = pages::unchanged(&request).await? {
        return Ok(unchanged);
    }
    let app = app_of(&request);
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let (mut parameters, trail) = Trail::read(&request, &["cursor", "limit"]);
    let (after, limit) = Paging::read(&mut parameters).range();
    parameters.finish()?;
    let track =
        app.store.workspaces().workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("Build Track"))?;
    let shown = page(&app, workspace_id, after, limit).await?;
    let path = format!("/build/{workspace_id}/members");
    let pager = trail.pager(shown.next_cursor.as_deref(), "tracks-members-later", |cursor| {
        pages::list_address(&path, None, cursor, limit)
    });
    let title = pages::language(&request).say_with("tracks-members-of", &[("name", track.name.as_str().into())]);
    let frame = Frame::new(&request, &title, &*title).within("build", "").paged(&pager);
    let badges = badges(&app, workspace_id, after, &shown.items).await?;
    pages::answer(&request, &MembersPage { frame, track, members: shown.items, badges, pager })
}

/// The badges of the members that joined after a position, as far as they are agents, by id.
pub(super) async fn badges(
    app: &App,
    id: WorkspaceId,
    after: Option<i64>,
    members: &[Member],
) -> Result<HashMap<String, &'static str>, Problem> {
    let limit = i64::try_from(members.len()).unwrap_or(i64::MAX);
    let scores = app.store.reputation().member_scores(id, after.unwrap_or(0), limit).await?;
    let badge = |id: &String| Badge::of(scores.get(id).copied().unwrap_or_default()).as_str();
    let agents = members.iter().map(|member| &member.id).filter(|id| id.starts_with("ag_"));
    Ok(agents.map(|id| (id.clone(), badge(id))).collect())
}
