//! The pages of Build Tracks.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::{Template, filters::HtmlSafe};
use buildtrack_domain::{
    ids::{MessageId, WorkspaceId},
    workspaces::{MessageKind, Status},
};
use buildtrack_http::{
    app::App,
    etag,
    guard::{app_of, guard},
    page::Cursor,
    problem::Problem,
    query::{Parameters, Value, path_id},
};
use buildtrack_pages::{
    self as pages, AuthorShown, Bounds, Choice, Fragment, Frame, Markdown, Renderer, Span, TextShown, Texts, Written,
    filters, threaded,
};
use buildtrack_store::{MessageFilter, MessageView, PastWorkspace, WorkspaceView};

use super::{
    as_of::{Point, as_of},
    member_schemas::Member,
    members_page::badges,
    messages::{answer, view},
    outcome_schemas::Shipment,
    schemas::Workspace,
    tracks::answer_as_of,
};

/// The members of a track on its page.
const MEMBERS: i64 = 50;
/// The messages of a page.
const MESSAGES: i64 = 30;
/// The parameters of a workspace's page.
const PARAMETERS: [&str; 4] = ["kind", "asOf", "cursor", "before"];

/// One Build Track, or another workspace.
#[derive(Template)]
#[template(path = "workspaces/track-page.html")]
struct TrackPage {
    frame: Frame,
    shown: TrackShown,
}

/// A track with a page of its messages, within the frame of a page.
#[derive(Template)]
#[template(path = "workspaces/track.html")]
pub struct TrackShown {
    /// The track.
    pub track: Workspace,
    description: Markdown,
    goal: Option<Markdown>,
    /// The members that are shown.
    pub members: Vec<Member>,
    /// The accepted solution.
    pub solution: Option<TextShown>,
    /// The messages of this page.
    pub messages: Vec<TextShown>,
    choices: Vec<Choice>,
    /// The addresses of the pages before and after.
    previous: Option<String>,
    next: Option<String>,
    /// The address of the page with the last texts, if this is another one.
    latest: Option<String>,
    /// The positions between which the page can look back, and the one that it shows.
    first: i64,
    last: i64,
    shown_position: i64,
    /// Whether new messages appear on the page.
    pub is_live: bool,
    /// The badges of members that are agents, by id; none on a page of the past.
    badges: HashMap<String, &'static str>,
    citation: String,
    /// The address of the feed, without its ending.
    feed: String,
    /// What a reader who is signed in can do; `None` on the public page.
    pub part: Option<Fragment>,
}

/// The template escapes every value.
impl HtmlSafe for TrackShown {}

/// Which messages of a track a page shows, and when.
pub struct TrackQuery {
    /// The path of the page.
    pub path: String,
    /// Only messages of this kind.
    pub kind: Option<MessageKind>,
    /// The position of the log as of which the track is shown.
    pub position: Option<i64>,
    /// Which messages are shown.
    pub span: Span,
}

/// A workspace: its page for people, its JSON for programs.
#[get("/build/{id}", wrap = "from_fn(guard)")]
pub(crate) async fn show_track(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let mut parameters = Parameters::of(&request, &PARAMETERS);
    let point = Point::read(&mut parameters, "asOf");
    if !pages::is_asked(&request) {
        // Of the parameters of the page, only this one counts.
        parameters.finish()?;
        return Ok(etag::as_data(answer_as_of(&request, workspace_id, point).await?));
    }
    if let Some(unchanged) = pages::unchanged(&request).await? {
        return Ok(unchanged);
    }
    let app = app_of(&request);
    let kind = MessageKind::read(&mut parameters, "kind");
    let span = Span::from_first(&mut parameters);
    parameters.finish()?;
    let position = as_of(&app.store, point).await?;
    let path = format!("/build/{workspace_id}");
    let query = TrackQuery { path: path.clone(), kind, position, span };
    let shown = TrackShown::read(&app, workspace_id, &query).await?;
    let description = pages::beginning(&shown.track.description);
    let frame = Frame::new(&request, &shown.track.name, description)
        .within("build", "")
        .with_feed(&path)
        .with_card(&request, &format!("/cards{path}.png"))
        .by(&shown.track.owner_id)
        .after(shown.previous.as_deref())
        .before(shown.next.as_deref());
    pages::answer(&request, &TrackPage { frame, shown })
}

/// A message: its place on the track's page for people, its JSON for programs.
#[get("/build/{id}/messages/{messageId}", wrap = "from_fn(guard)")]
pub(crate) async fn show_message(request: HttpRequest, ids: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    let view = view(&request, &ids).await?;
    if pages::is_asked(&request) {
        return Ok(pages::see(&permalink(&view)));
    }
    Ok(etag::as_data(answer(&request, view)))
}

/// Reads a workspace, now or as of a position.
async fn read(
    app: &App,
    id: WorkspaceId,
    position: Option<i64>,
) -> Result<(WorkspaceView, Vec<Member>, Option<Shipment>), Problem> {
    let (workspace, members, shipment) = if let Some(position) = position {
        let past = app.store.workspaces().as_of(id, position, MEMBERS).await?;
        let past = past.ok_or_else(|| Problem::not_found("Build Track at that point"))?;
        let PastWorkspace { workspace, members, shipment } = past;
        (workspace, members, shipment)
    } else {
        let workspace = app.store.workspaces().workspace(id).await?.ok_or_else(|| Problem::not_found("Build Track"))?;
        let is_over = matches!(workspace.status, Status::Shipped | Status::Archived);
        let shipment = if is_over { app.store.workspaces().shipment(id).await? } else { None };
        (workspace, app.store.workspaces().members(id, 0, MEMBERS).await?, shipment)
    };
    Ok((workspace, members.into_iter().map(Member::from).collect(), shipment.map(Shipment::from)))
}

impl TrackShown {
    /// Reads a track with the messages of a page.
    pub async fn read(app: &App, workspace_id: WorkspaceId, query: &TrackQuery) -> Result<Self, Problem> {
        let (view, members, shipment) = read(app, workspace_id, query.position).await?;
        let messages = query.messages(app, workspace_id).await?;
        let solution = match view.solution_id.as_deref().and_then(|id| id.parse::<MessageId>().ok()) {
            Some(message_id) if query.span.is_whole() => {
                app.store.workspaces().message(workspace_id, message_id).await?
            }
            _ => None,
        };
        let track = Workspace { shipment, ..Workspace::new(view.clone(), &app.public_url) };
        let badges = match query.position {
            Some(_) => HashMap::new(),
            None => badges(app, workspace_id, None, &members).await?,
        };
        let texts = solution.iter().chain(&messages.items).map(|message| &*message.content);
        let texts = [Some(&*view.description), view.goal.as_deref()].into_iter().flatten().chain(texts);
        let renderer = Renderer::of_page(app, texts).await?;
        let mut shown = Self::new(&view, (track, &app.public_url), members, (solution, messages), (query, renderer));
        shown.badges = badges;
        Ok(shown)
    }

    fn new(
        view: &WorkspaceView,
        (track, site): (Workspace, &str),
        members: Vec<Member>,
        (solution, messages): (Option<MessageView>, Texts<MessageView>),
        (query, mut renderer): (&TrackQuery, Renderer),
    ) -> Self {
        let description = renderer.render(&view.description).0;
        let goal = view.goal.as_deref().map(|goal| renderer.render(goal).0);
        let solution_id = view.solution_id.as_deref();
        let (first, last) = (view.position, view.active_position.max(view.position));
        let mut show = |message: &MessageView| text(message, solution_id, (&mut renderer, site));
        let solution = solution.as_ref().map(&mut show);
        let texts: Vec<_> = messages.items.iter().map(&mut show).collect();
        let address = |span| query.address(query.kind, Some(span));
        let latest = messages.later.map(|_| address(query.span.latest()));
        let (previous, next) = (messages.earlier.map(address), messages.later.map(address));
        let public = format!("/build/{}", view.id);
        Self {
            citation: pages::citation(&view.owner_name, Some(view.owner_type.as_str()), &format!("{site}{public}")),
            feed: format!("/feeds{public}"),
            badges: HashMap::new(),
            description,
            goal,
            members,
            solution,
            messages: threaded(texts),
            choices: query.kinds(),
            previous,
            is_live: query.position.is_none() && next.is_none(),
            next,
            latest,
            first,
            last,
            shown_position: query.position.unwrap_or(last).clamp(first, last),
            track: if let Some(position) = query.position { track.at(position) } else { track },
            part: None,
        }
    }
}

impl TrackQuery {
    /// The messages of the page, in the order of the log.
    async fn messages(&self, app: &App, workspace_id: WorkspaceId) -> Result<Texts<MessageView>, Problem> {
        let kind = self.kind;
        let find = async |Bounds { after, before, descending, limit }: Bounds| {
            let filter = MessageFilter { workspace_id, kind, author: None, after, before, descending, limit };
            let found = match self.position {
                Some(position) => app.store.workspaces().messages_as_of(&filter, position).await?,
                None => app.store.workspaces().messages(&filter).await?,
            };
            Ok::<_, Problem>(found)
        };
        self.span.read(MESSAGES, |message: &MessageView| message.position, find).await
    }

    fn address(&self, kind: Option<MessageKind>, span: Option<Span>) -> String {
        let parts = [
            kind.map(|kind| format!("kind={}", kind.as_str())),
            self.position.map(|position| format!("asOf={position}")),
            span.and_then(Span::query),
        ];
        pages::address(&self.path, parts)
    }

    /// The kinds of messages, as links.
    fn kinds(&self) -> Vec<Choice> {
        let choice = |kind: Option<MessageKind>| Choice {
            name: kind.map_or("all", MessageKind::as_str).to_owned(),
            address: self.address(kind, None),
            is_current: self.kind == kind,
        };
        std::iter::once(None).chain(MessageKind::ALL.into_iter().map(Some)).map(choice).collect()
    }
}

/// Where a message is shown, on this server.
pub(super) fn permalink(message: &MessageView) -> String {
    let before = Cursor(message.position - 1).encode();
    format!("/build/{}?cursor={before}#{}", message.workspace_id, message.id)
}

fn text(message: &MessageView, solution_id: Option<&str>, (renderer, site): (&mut Renderer, &str)) -> TextShown {
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
        acts: vec![],
        url: format!("{site}/build/{}/messages/{id}", message.workspace_id),
        id,
    }
}
