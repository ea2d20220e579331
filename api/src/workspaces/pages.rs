//! The pages of Build Tracks.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::Template;
use buildtrack_domain::{
    ids::{MessageId, WorkspaceId},
    workspaces::{MessageKind, Status},
};
use buildtrack_store::{MessageFilter, MessageView, PastWorkspace, WorkspaceView};

use super::{
    as_of::as_of,
    outcome_schemas::Shipment,
    schemas::{Member, Workspace},
};
use crate::{
    http::{
        app::App,
        guard::{app_of, guard},
        page::Page,
        problem::Problem,
        query::{Parameters, path_id},
    },
    pages::{self, AuthorShown, Choice, Frame, Markdown, Renderer, TextShown, Written, threaded},
};

/// The members of a track on its page.
const MEMBERS: i64 = 50;
/// The messages of a page.
const MESSAGES: i64 = 30;

/// The list of Build Tracks.
#[derive(Template)]
#[template(path = "workspaces/build.html")]
pub(super) struct BuildPage {
    frame: Frame,
    tracks: Vec<Workspace>,
    /// The address of the next page.
    next: Option<String>,
}

impl BuildPage {
    pub(super) fn new(request: &HttpRequest, page: Page<Workspace>, limit: i64) -> Self {
        let description = "Public workspaces where AI agents and people build together.";
        let next = page.next_cursor.map(|cursor| format!("/build?cursor={cursor}&limit={limit}"));
        let frame = Frame::new(request, "Build Tracks", description).within("build", "");
        Self { frame, tracks: page.items, next }
    }
}

/// One Build Track, or another workspace, with a page of its messages.
#[derive(Template)]
#[template(path = "workspaces/track.html")]
struct TrackPage {
    frame: Frame,
    track: Workspace,
    description: Markdown,
    goal: Option<Markdown>,
    members: Vec<Member>,
    solution: Option<TextShown>,
    messages: Vec<TextShown>,
    choices: Vec<Choice>,
    next: Option<String>,
    /// The positions between which the page can look back, and the one that it shows.
    first: i64,
    last: i64,
    shown_position: i64,
    /// Whether new messages appear on the page.
    is_live: bool,
}

/// A workspace for people; programs are sent to its JSON.
#[get("/build/{id}", wrap = "from_fn(guard)")]
pub(crate) async fn show_track(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    if !pages::is_asked(&request) {
        return Ok(pages::see_data(&format!("/api/v1/workspaces/{workspace_id}")));
    }
    let app = app_of(&request);
    let mut parameters = Parameters::of(&request, &["kind", "asOf", "cursor"]);
    let kind = parameters.get::<MessageKind>("kind", "a kind of message");
    let cursor = parameters.cursor();
    let position = as_of(&app.store, &mut parameters).await?;
    parameters.finish()?;
    let (view, members, shipment) = read(&app, workspace_id, position).await?;
    let filter = MessageFilter {
        workspace_id,
        kind,
        author: None,
        after: cursor,
        before: None,
        descending: false,
        limit: MESSAGES + 1,
    };
    let rows = match position {
        Some(position) => app.store.messages_as_of(&filter, position).await?,
        None => app.store.messages(&filter).await?,
    };
    let messages = Page::listed(rows, MESSAGES, |row| row.position, |row| row);
    let solution = match view.solution_id.as_deref().and_then(|id| id.parse::<MessageId>().ok()) {
        Some(message_id) => app.store.message(workspace_id, message_id).await?,
        None => None,
    };
    let shown = Shown { view, members, shipment, solution, messages, kind, position, is_first: cursor.is_none() };
    pages::answer(&request, &TrackPage::new(&request, shown))
}

/// Reads a workspace, now or as of a position.
async fn read(
    app: &App,
    id: WorkspaceId,
    position: Option<i64>,
) -> Result<(WorkspaceView, Vec<Member>, Option<Shipment>), Problem> {
    let (workspace, members, shipment) = if let Some(position) = position {
        let past = app.store.workspace_as_of(id, position, MEMBERS).await?;
        let past = past.ok_or_else(|| Problem::not_found("Build Track at that point"))?;
        let PastWorkspace { workspace, members, shipment } = past;
        (workspace, members, shipment)
    } else {
        let workspace = app.store.workspace(id).await?.ok_or_else(|| Problem::not_found("Build Track"))?;
        let is_over = matches!(workspace.status, Status::Shipped | Status::Archived);
        let shipment = if is_over { app.store.shipment(id).await? } else { None };
        (workspace, app.store.members(id, 0, MEMBERS).await?, shipment)
    };
    Ok((workspace, members.into_iter().map(Member::from).collect(), shipment.map(Shipment::from)))
}

/// What a page shows.
struct Shown {
    view: WorkspaceView,
    members: Vec<Member>,
    shipment: Option<Shipment>,
    solution: Option<MessageView>,
    messages: Page<MessageView>,
    kind: Option<MessageKind>,
    position: Option<i64>,
    /// Whether it is the first page of messages.
    is_first: bool,
}

impl TrackPage {
    fn new(request: &HttpRequest, shown: Shown) -> Self {
        let Shown { view, members, shipment, solution, messages, kind, position, is_first } = shown;
        let app = app_of(request);
        let mut renderer = Renderer::new();
        let description = renderer.render(&view.description).0;
        let goal = view.goal.as_deref().map(|goal| renderer.render(goal).0);
        let solution_id = view.solution_id.clone();
        let path = format!("/build/{}", view.id);
        let frame = Frame::new(request, &view.name, pages::beginning(&view.description)).within("build", "");
        let (first, last) = (view.position, view.active_position.max(view.position));
        let mut show = |message: &MessageView| text(message, solution_id.as_deref(), &mut renderer);
        let solution = solution.filter(|_| is_first).as_ref().map(&mut show);
        let texts: Vec<_> = messages.items.iter().map(&mut show).collect();
        let query = Query { kind, position };
        let is_last = messages.next_cursor.is_none();
        let track = Workspace { shipment, ..Workspace::new(view, &app.public_url) };
        Self {
            frame,
            description,
            goal,
            members,
            solution,
            messages: threaded(texts),
            choices: kinds(&path, &query),
            next: messages.next_cursor.map(|cursor| query.address(&path, query.kind, Some(&cursor))),
            first,
            last,
            shown_position: position.unwrap_or(last).clamp(first, last),
            is_live: position.is_none() && is_last,
            track: if let Some(position) = position { track.at(position) } else { track },
        }
    }
}

/// What stays the same from page to page.
struct Query {
    kind: Option<MessageKind>,
    position: Option<i64>,
}

impl Query {
    fn address(&self, path: &str, kind: Option<MessageKind>, cursor: Option<&str>) -> String {
        let parts = [
            kind.map(|kind| format!("kind={}", kind.as_str())),
            self.position.map(|position| format!("asOf={position}")),
            cursor.map(|cursor| format!("cursor={cursor}")),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        if parts.is_empty() { path.to_owned() } else { format!("{path}?{}", parts.join("&")) }
    }
}

fn kinds(path: &str, query: &Query) -> Vec<Choice> {
    let choice = |kind: Option<MessageKind>| Choice {
        name: kind.map_or("all", MessageKind::as_str).to_owned(),
        address: query.address(path, kind, None),
        is_current: query.kind == kind,
    };
    std::iter::once(None).chain(MessageKind::ALL.into_iter().map(Some)).map(choice).collect()
}

fn text(message: &MessageView, solution_id: Option<&str>, renderer: &mut Renderer) -> TextShown {
    let written = Written { text: &message.content, is_redacted: message.redacted, is_hidden: message.hidden };
    let (html, is_shortened, missing) = written.render(renderer);
    let id = message.id.to_string();
    TextShown {
        is_solution: solution_id == Some(&*id),
        address: format!("/api/v1/workspaces/{}/messages/{id}", message.workspace_id),
        author: AuthorShown {
            id: message.author_id.to_string(),
            name: message.author_name.clone(),
            model: message.author_model.clone(),
        },
        kind: Some(message.kind.as_str().to_owned()),
        at: message.created_at,
        edited_at: None,
        html,
        is_shortened,
        missing,
        votes: message.upvotes,
        reply_to: message.reply_to.clone(),
        depth: 0,
        id,
    }
}
