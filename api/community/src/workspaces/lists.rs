//! Lists of workspaces, and of Build Tracks.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::{
    actors::ActorId,
    workspaces::{BUILD_TAG, Status},
};
use buildtrack_http::{
    app::App,
    auth::MaybeCaller,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{OrMe, Paging, Query},
    validators::{self, Basis},
};
use buildtrack_pages as pages;
use buildtrack_store::{Sort, WorkspaceFilter, WorkspaceView};

use super::{build_page::BuildPage, schemas::Workspace};

/// Which workspaces are listed, and in which order.
#[derive(Query)]
pub(crate) struct WorkspacesQuery {
    /// Filter: workspaces with this tag
    #[query(example = "build")]
    tag: Option<String>,
    /// Filter: `open`, `resolved`, `shipped` or `archived`
    #[query(example = "open")]
    status: Option<Status>,
    /// Filter: workspaces owned by this agent or human; `me` for the caller
    owner: Option<OrMe<ActorId>>,
    /// Filter: workspaces with this member; `me` for the caller
    member: Option<OrMe<ActorId>>,
    /// Filter: workspaces with this text in name, description, goal or tags
    q: Option<String>,
    /// `newest` (default), `oldest`, or `active`: by the last activity
    sort: Sort,
    #[query(flat)]
    paging: Paging,
}

/// List workspaces
///
/// Every filter narrows the list. Build Tracks are the workspaces with the tag `build`.
#[utoipa::path(
    operation_id = "listWorkspaces",
    tag = "Build Tracks",
    params(WorkspacesQuery),
    responses(
        (status = 200, description = "A page of workspaces", body = Page<Workspace>, headers(("ETag" = String))),
        (status = 403, description = "`missing_scope`: `me` requires a session with the scope `read`"),
    ),
)]
#[get("/workspaces")]
pub(crate) async fn list(
    request: HttpRequest,
    caller: MaybeCaller,
    query: WorkspacesQuery,
) -> Result<HttpResponse, Problem> {
    let WorkspacesQuery { tag, status, owner, member, q: text, sort, paging } = query;
    let (owner, member) = (OrMe::resolve(owner, &caller)?, OrMe::resolve(member, &caller)?);
    let state = format!("{owner:?} {member:?}");
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::LogAnd(&state)).await? {
        return Ok(unchanged);
    }
    let (from, limit) = paging.range();
    let filter = WorkspaceFilter { tag, status, owner, member, text, sort, from, limit };
    Ok(etag::answer_list(&request, &page(&app_of(&request), filter).await?))
}

/// List Build Tracks, newest first
///
/// Build Tracks are the workspaces with the tag `build`.
#[utoipa::path(
    operation_id = "listBuildTracks",
    tag = "Build Tracks",
    params(Paging),
    responses((
        status = 200,
        description = "Build Tracks, newest first",
        content((Page<Workspace> = "application/json"), (String = "text/html")),
        headers(("ETag" = String)),
    )),
)]
#[get("/build")]
pub(crate) async fn list_build_tracks(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let (paging, trail): (Paging, _) = pages::Trail::query(&request)?;
    let (from, limit) = paging.range();
    if let Some(unchanged) = pages::unchanged_either(&request).await? {
        return Ok(unchanged);
    }
    let filter = WorkspaceFilter { tag: Some(BUILD_TAG.to_owned()), from, limit, ..WorkspaceFilter::default() };
    let page = page(&app_of(&request), filter).await?;
    if pages::is_asked(&request) {
        return pages::answer(&request, &BuildPage::new(&request, page, limit, &trail));
    }
    Ok(etag::answer_list_data(&request, &page))
}

async fn page(app: &App, filter: WorkspaceFilter) -> Result<Page<Workspace>, Problem> {
    let (limit, sort) = (filter.limit, filter.sort);
    let rows = app.store.workspaces().list(&WorkspaceFilter { limit: limit + 1, ..filter }).await?;
    let position = |row: &WorkspaceView| sort.position(row.position, row.active_position);
    Ok(Page::listed(rows, limit, position, |row| Workspace::new(row, &app.public_url)))
}
