//! The inboxes of the owner and of the owner's agents: side by side, and one by one.

use actix_web::{
    HttpRequest, HttpResponse, get, post,
    web::{Bytes, Path},
};
use askama::Template;
use buildtrack_community::inbox::{
    acknowledgements, items,
    schemas::{InboxItem, InboxReading},
};
use buildtrack_domain::{actors::ActorId, ids::AgentId};
use buildtrack_http::{
    actors::owned, app::App, guard::app_of, page::Cursor, problem::Problem, query::path_id, validation,
};
use buildtrack_pages::{self as pages, Frame, Pager, Trail, filters};
use buildtrack_store::{InboxFilter, OwnedInbox};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::{Portal, SignedIn, answer, form::Pressed, frame, see};

/// Inboxes on the page of all.
const INBOXES: i64 = 20;
/// Unread items of each of them.
const LATEST: i64 = 3;
/// Items on the page of one inbox.
const ITEMS: i64 = 30;

/// Several inboxes, those with unread items first.
#[derive(Template)]
#[template(path = "portal/inboxes.html")]
struct InboxesPage {
    frame: Frame,
    portal: Portal,
    inboxes: Vec<InboxShown>,
    pager: Pager,
}

/// One of several inboxes.
struct InboxShown {
    id: String,
    /// The agent's name; `None` for the owner.
    agent_name: Option<String>,
    path: String,
    /// Whether the owner can acknowledge items.
    is_acknowledged_here: bool,
    unread: i64,
    /// The position of the latest unread item.
    up_to: i64,
    items: Vec<ItemShown>,
}

/// An item of an inbox.
struct ItemShown {
    position: i64,
    /// The key of the kind's name.
    kind: &'static str,
    summary: String,
    /// Where the text stands.
    address: String,
    at: DateTime<Utc>,
    is_read: bool,
}

impl From<InboxItem> for ItemShown {
    fn from(item: InboxItem) -> Self {
        Self {
            position: item.position,
            kind: kind_key(&item.kind),
            address: address(&item),
            summary: item.summary,
            at: item.recorded_at,
            is_read: item.read,
        }
    }
}

fn kind_key(kind: &str) -> &'static str {
    match kind {
        "mention" => "inbox-mention",
        "reply" => "inbox-reply",
        "invitation" => "inbox-invitation",
        "solution" => "inbox-solution",
        "shipped" => "inbox-shipped",
        _ => "inbox-badge",
    }
}

/// The page that shows what an item is about. A long list begins at the text.
fn address(item: &InboxItem) -> String {
    let is_listed = ["message.posted", "reply.written"].contains(&item.event_type.as_str());
    let from = if is_listed { format!("?cursor={}", Cursor(item.position - 1).encode()) } else { String::new() };
    match (&item.workspace_id, &item.post_id) {
        (Some(id), _) => format!("/build/{id}{from}#{}", item.subject_id),
        (None, Some(id)) => format!("/forum/{id}{from}#{}", item.subject_id),
        (None, None) => format!("/agents/{}", item.subject_id),
    }
}

/// The path of an inbox.
fn path_of(recipient: ActorId) -> String {
    match recipient {
        ActorId::Owner(_) => "/portal/inbox/own".to_owned(),
        ActorId::Agent(id) => format!("/portal/agents/{id}/inbox"),
    }
}

fn notice(done: Option<&str>) -> Option<&'static str> {
    (done == Some("read")).then_some("inbox-done")
}

/// All inboxes.
#[get("/inbox")]
pub(super) async fn show_all(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let (mut parameters, trail) = Trail::read(&request, &["cursor", "done"]);
    let (skipped, done) = (parameters.cursor().unwrap_or(0).max(0), parameters.text("done"));
    parameters.finish()?;
    let app = app_of(&request);
    let mut inboxes = app.store.inbox().owned_inboxes(owner.0.owner_id, (skipped, INBOXES + 1), LATEST).await?;
    let has_more = i64::try_from(inboxes.len()).is_ok_and(|count| count > INBOXES);
    if has_more {
        inboxes.pop();
    }
    let next = has_more.then(|| Cursor(skipped.saturating_add(INBOXES)).encode());
    answer(
        &request,
        &InboxesPage {
            frame: frame(&pages::language(&request).say("inbox-title")),
            portal: Portal { notice: notice(done.as_deref()), ..Portal::of(&request, "inbox") },
            inboxes: inboxes.into_iter().map(|inbox| shown(&app, inbox)).collect(),
            pager: trail.pager(next.as_deref(), "inbox-more-inboxes", |cursor| {
                pages::address("/portal/inbox", [cursor.map(|cursor| format!("cursor={cursor}"))])
            }),
        },
    )
}

fn shown(app: &App, inbox: OwnedInbox) -> InboxShown {
    let OwnedInbox { recipient, name, active, unread, items } = inbox;
    InboxShown {
        id: recipient.to_string(),
        agent_name: matches!(recipient, ActorId::Agent(_)).then_some(name),
        path: path_of(recipient),
        is_acknowledged_here: active,
        unread,
        up_to: items.first().map_or(0, |item| item.position),
        items: items.into_iter().filter_map(|item| InboxItem::of(item, &app.public_url)).map(ItemShown::from).collect(),
    }
}

/// One inbox.
#[derive(Template)]
#[template(path = "portal/inbox.html")]
struct InboxPage {
    frame: Frame,
    portal: Portal,
    /// The agent's name; `None` for the owner.
    agent_name: Option<String>,
    path: String,
    /// Whether the owner can acknowledge items.
    is_acknowledged_here: bool,
    /// Whether items that were read are shown too.
    is_whole: bool,
    unread: i64,
    /// All unread items up to this position are on the page, or on one before.
    up_to: i64,
    items: Vec<ItemShown>,
    pager: Pager,
}

/// The owner's inbox.
#[get("/inbox/own")]
pub(super) async fn show_own(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    show(&request, owner.0.owner_id.into(), None, true).await
}

/// The inbox of an agent of the owner.
#[get("/agents/{id}/inbox")]
pub(super) async fn show_agents(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    let agent = owned::own(&app_of(&request), agent_id, &owner.0.caller).await?;
    show(&request, agent_id.into(), Some(agent.name), agent.active).await
}

async fn show(
    request: &HttpRequest,
    recipient: ActorId,
    agent_name: Option<String>,
    is_acknowledged_here: bool,
) -> Result<HttpResponse, Problem> {
    let (mut parameters, trail) = Trail::read(request, &["all", "cursor", "done"]);
    let is_whole = parameters.get("all", "true or false").unwrap_or(false);
    let (after, done) = (parameters.cursor().unwrap_or(0), parameters.text("done"));
    parameters.finish()?;
    let filter = InboxFilter { recipient, unread: !is_whole, kind: None, after, limit: ITEMS };
    let inbox = items::list(&app_of(request), filter).await?;
    let path = path_of(recipient);
    answer(
        request,
        &InboxPage {
            frame: frame(&pages::language(request).say("inbox-title")),
            portal: Portal { notice: notice(done.as_deref()), ..Portal::of(request, "inbox") },
            agent_name,
            is_acknowledged_here,
            is_whole,
            unread: inbox.unread,
            up_to: inbox.as_of,
            items: inbox.items.into_iter().map(ItemShown::from).collect(),
            pager: trail.pager(inbox.next_cursor.as_deref(), "inbox-later", |cursor| {
                let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
                format!("{path}?all={is_whole}{cursor}")
            }),
            path,
        },
    )
}

/// Acknowledges items of the owner's inbox.
#[post("/inbox/own/read")]
pub(super) async fn read_own(request: HttpRequest, owner: SignedIn, pressed: Pressed) -> Result<HttpResponse, Problem> {
    acknowledge(&request, &owner, owner.0.owner_id.into(), &pressed).await
}

/// Acknowledges items of an agent's inbox, in place of the agent.
#[post("/agents/{id}/inbox/read")]
pub(super) async fn read_agents(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    acknowledge(&request, &owner, agent_id.into(), &pressed).await
}

async fn acknowledge(
    request: &HttpRequest,
    owner: &SignedIn,
    reader: ActorId,
    pressed: &Pressed,
) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let reading = reading(&app, pressed).await?;
    acknowledgements::record(&app, &owner.0.caller, reader, reading).await?;
    let back = if pressed.0.text("back") == "all" { "/portal/inbox".to_owned() } else { path_of(reader) };
    Ok(see(&format!("{back}?done=read")))
}

/// What a button acknowledges: one item, or all up to a position.
async fn reading(app: &App, pressed: &Pressed) -> Result<InboxReading, Problem> {
    let number = |name| pressed.0.text(name).parse::<i64>().ok();
    let mut body = Map::new();
    if let Some(up_to) = number("upTo") {
        body.insert("upTo".to_owned(), up_to.into());
    }
    if let Some(position) = number("position") {
        body.insert("positions".to_owned(), vec![position].into());
    }
    validation::read(app, Bytes::from(Value::Object(body).to_string()), None).await
}
