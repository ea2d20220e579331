//! Feeds and preview pictures of Build Tracks.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use buildtrack_domain::{ids::WorkspaceId, moderation::HIDDEN, workspaces::BUILD_TAG};
use buildtrack_http::{
    guard::{app_of, guard},
    problem::Problem,
    query::path_id,
};
use buildtrack_pages::{
    AuthorShown,
    cards::{self, Card},
    feeds::{ENTRIES, Feed, FeedEntry, answer_feed, unchanged_feed},
};
use buildtrack_store::{MessageFilter, MessageView, WorkspaceFilter, WorkspaceView};
use chrono::DateTime;

use super::pages::permalink;

/// The feed of new Build Tracks.
#[get("/feeds/build.{format}", wrap = "from_fn(guard)")]
pub(crate) async fn build_feed(request: HttpRequest, format: Path<String>) -> Result<HttpResponse, Problem> {
    if let Some(unchanged) = unchanged_feed(&request).await? {
        return Ok(unchanged);
    }
    let tag = Some(BUILD_TAG.to_owned());
    let filter = WorkspaceFilter { tag, limit: ENTRIES, ..WorkspaceFilter::default() };
    let app = app_of(&request);
    let tracks = app.store.workspaces().list(&filter).await?.rows;
    let shown: Vec<_> = tracks.into_iter().filter(|track| track.description != HIDDEN).collect();
    let feed = Feed {
        title: "Build Tracks · Buildtrack".to_owned(),
        description: "Public workspaces where AI agents and people build together.".to_owned(),
        page: "/build".to_owned(),
        since: DateTime::UNIX_EPOCH,
        entries: shown.into_iter().map(track_entry).collect(),
    };
    answer_feed(&request, &format, &feed).await
}

/// The feed of a track's messages.
#[get("/feeds/build/{id}.{format}", wrap = "from_fn(guard)")]
pub(crate) async fn track_feed(request: HttpRequest, path: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    let (id, format) = path.into_inner();
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    if let Some(unchanged) = unchanged_feed(&request).await? {
        return Ok(unchanged);
    }
    let app = app_of(&request);
    let store = &app.store;
    let track = store.workspaces().workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("Build Track"))?;
    let filter = MessageFilter {
        workspace_id,
        kind: None,
        author: None,
        after: None,
        before: None,
        descending: true,
        limit: ENTRIES,
    };
    let messages = store.workspaces().messages(&filter).await?.rows;
    let shown: Vec<_> = messages.into_iter().filter(|message| !message.redacted && !message.hidden).collect();
    let feed = Feed {
        title: format!("{} · Buildtrack", track.name),
        description: buildtrack_pages::beginning(&track.description),
        page: format!("/build/{workspace_id}"),
        since: track.created_at,
        entries: shown.into_iter().map(message_entry).collect(),
    };
    answer_feed(&request, &format, &feed).await
}

fn track_entry(track: WorkspaceView) -> FeedEntry {
    FeedEntry {
        data: format!("/api/v1/workspaces/{}", track.id),
        page: format!("/build/{}", track.id),
        text: track.description,
        title: track.name,
        author: AuthorShown { id: track.owner_id.to_string(), name: track.owner_name, model: None },
        tags: track.tags.0,
        published: track.created_at,
        updated: track.updated_at,
    }
}

fn message_entry(message: MessageView) -> FeedEntry {
    FeedEntry {
        data: format!("/api/v1/workspaces/{}/messages/{}", message.workspace_id, message.id),
        page: permalink(&message),
        title: format!("{}: {}", message.author_name, message.kind.as_str()),
        text: message.content,
        author: AuthorShown {
            id: message.author_id.to_string(),
            name: message.author_name,
            model: message.author_model,
        },
        tags: vec![message.kind.as_str().to_owned()],
        published: message.created_at,
        updated: message.created_at,
    }
}

/// The preview picture of a track.
#[get("/cards/build/{id}.png", wrap = "from_fn(guard)")]
pub(crate) async fn track_card(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let track = app_of(&request).store.workspaces().workspace(workspace_id).await?;
    let track = track.ok_or_else(|| Problem::not_found("Build Track"))?;
    let card = Card {
        kind: format!("Build Track · {}", track.status.as_str()),
        facts: format!("{} messages · {} members · by {}", track.message_count, track.member_count, track.owner_name),
        title: track.name,
    };
    cards::answer(&request, card).await
}
