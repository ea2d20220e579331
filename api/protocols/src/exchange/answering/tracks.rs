//! Answers by the protocol document «Buildtrack tracks».

use buildtrack_community::search::schemas::Hit;
use buildtrack_domain::{
    ids::WorkspaceId,
    search::{Excerpts, Query},
    workspaces::Status,
};
use buildtrack_http::{app::App, page::Page, problem::Problem, query::path_id, validation::Input};
use buildtrack_store::{
    Sort, WorkspaceFilter, WorkspaceView,
    search::{HitView, SearchFilter, SearchSort},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use validator::Validate;

use super::requests::{Asked, cursor, fitting};

/// Default number of entries in an answer.
pub(super) const LIMIT: i64 = 20;

#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Browse {
    #[validate(length(max = 200))]
    #[schema(max_length = 200)]
    text: Option<String>,
    #[validate(length(max = 200))]
    #[schema(max_length = 200)]
    tag: Option<String>,
    status: Option<StatusName>,
    #[validate(range(min = 1, max = 50))]
    #[schema(minimum = 1, maximum = 50)]
    limit: Option<i64>,
    cursor: Option<String>,
}

impl Input for Browse {}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum StatusName {
    Open,
    Resolved,
    Shipped,
    Archived,
}

impl From<StatusName> for Status {
    fn from(name: StatusName) -> Self {
        match name {
            StatusName::Open => Self::Open,
            StatusName::Resolved => Self::Resolved,
            StatusName::Shipped => Self::Shipped,
            StatusName::Archived => Self::Archived,
        }
    }
}

#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Search {
    query: String,
    #[serde(rename = "in")]
    within: Option<Within>,
    #[validate(range(min = 1, max = 50))]
    #[schema(minimum = 1, maximum = 50)]
    limit: Option<i64>,
}

impl Input for Search {}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Within {
    Tracks,
    Messages,
}

#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Show {
    track_id: String,
}

impl Input for Show {}

pub(super) async fn answer(app: &App, mut asked: Asked) -> Result<Value, Problem> {
    match asked.action(&["browse", "search", "show"])? {
        "browse" => browse(app, asked.read(app).await?).await,
        "search" => search(app, &asked.read(app).await?).await,
        _ => show(app, &asked.read(app).await?).await,
    }
}

async fn browse(app: &App, request: Browse) -> Result<Value, Problem> {
    let limit = request.limit.unwrap_or(LIMIT);
    let filter = WorkspaceFilter {
        tag: request.tag.filter(|tag| !tag.is_empty()),
        status: request.status.map(Status::from),
        text: request.text.filter(|text| !text.is_empty()),
        sort: Sort::Newest,
        from: cursor(request.cursor.as_deref())?,
        limit: limit + 1,
        ..WorkspaceFilter::default()
    };
    let rows = app.store.workspaces().list(&filter).await?;
    let limit = fitting(&rows.rows, limit, |row| track(&row, &app.public_url));
    let page = Page::listed(rows, limit, |row| row.position, |row| track(&row, &app.public_url));
    Ok(json!({ "tracks": page.items, "nextCursor": page.next_cursor }))
}

async fn search(app: &App, request: &Search) -> Result<Value, Problem> {
    let document_type = match request.within.unwrap_or(Within::Tracks) {
        Within::Tracks => "workspace",
        Within::Messages => "message",
    };
    let filter = SearchFilter {
        query: Query::parse(&request.query)?,
        document_type: Some(document_type),
        workspace: None,
        author: None,
        tag: None,
        kind: None,
        since: None,
        sort: SearchSort::Relevance,
        after: None,
        before: None,
        skip: 0,
        limit: request.limit.unwrap_or(LIMIT),
    };
    let found = app.store.search().find(&filter).await?.rows;
    let excerpts = Excerpts::new(&filter.query);
    let hits: Vec<_> = found.into_iter().map(|view| hit(view, &excerpts, &app.public_url)).collect();
    Ok(json!({ "hits": hits }))
}

async fn show(app: &App, request: &Show) -> Result<Value, Problem> {
    let id: WorkspaceId = path_id(&request.track_id, "track")?;
    let view = app.store.workspaces().workspace(id).await?.ok_or_else(|| Problem::not_found("track"))?;
    Ok(json!({ "track": track(&view, &app.public_url) }))
}

fn track(view: &WorkspaceView, public_url: &str) -> Value {
    json!({
        "id": view.id,
        "name": view.name,
        "description": view.description,
        "goal": view.goal,
        "tags": view.tags.0,
        "status": view.status.as_str(),
        "ownerId": view.owner_id,
        "ownerName": view.owner_name,
        "memberCount": view.member_count,
        "messageCount": view.message_count,
        "solutionId": view.solution_id,
        "createdAt": view.created_at,
        "updatedAt": view.updated_at,
        "url": format!("{public_url}/build/{}", view.id),
    })
}

fn hit(view: HitView, excerpts: &Excerpts<'_>, public_url: &str) -> Value {
    let hit = Hit::new(view, excerpts, public_url);
    let is_message = hit.document_type == "message";
    json!({
        "trackId": hit.workspace_id,
        "trackName": hit.title,
        "messageId": is_message.then_some(&hit.id),
        "kind": hit.kind,
        "excerpt": hit.excerpt.iter().map(|part| &*part.text).collect::<String>(),
        "authorId": hit.author_id,
        "authorName": hit.author_name,
        "createdAt": hit.created_at,
        "url": hit.url,
    })
}
