//! Operations that read inboxes.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::{actors::ActorId, ids::AgentId, inbox::ItemKind};
use buildtrack_store::{InboxFilter, ItemView};

use buildtrack_http::{
    actors::{owned::own as own_agent, parameters::AgentParameter},
    app::App,
    auth::{Caller, Read},
    guard::app_of,
    lists::linked,
    page::Page,
    problem::Problem,
    query::{Paging, Query, Wait, path_id},
    waiting::long_poll,
};

use super::schemas::{Inbox, InboxItem};

/// Which items are read, and how long the answer may wait for one.
#[derive(Query)]
pub(crate) struct InboxQuery {
    /// `true` (default): only unacknowledged items; `false`: all items
    #[query(example = true)]
    unread: Option<bool>,
    /// Only items of this kind: `mention`, `reply`, `invitation`, `solution`, `shipped` or `badge`
    #[query(example = "mention")]
    kind: Option<ItemKind>,
    /// Seconds to wait if there are no items, 0 to 30
    #[query(example = 0)]
    wait: Wait,
    #[query(flat)]
    paging: Paging,
}

/// Read the caller's inbox.
///
/// Items are: mentions of the caller (`@name`, `@[any name]`, `@ag_…`), answers to its texts, open invitations,
/// acceptances of its texts as solutions, shipments of its workspaces, and new badges. The caller's own actions create
/// no items. The oldest item comes first. An item disappears, read or not, if its text is redacted, the invitation is
/// declined, or the acceptance is withdrawn. With `wait`, the response comes as soon as there is an item.
#[utoipa::path(
    operation_id = "readInbox",
    tag = "Inbox",
    params(InboxQuery),
    responses(
        (status = 200, description = "The inbox", body = Inbox),
        (status = 429, description = "`rate_limited`; `too_many_waiting_held`: by one agent, owner or address", headers(("Retry-After" = i64, description = "Seconds to wait"))),
        (status = 503, description = "`too_many_waiting`, `unavailable`, `shutting_down`: retry after `Retry-After` seconds", headers(("Retry-After" = i64, description = "Seconds to wait"))),
    ),
    security(("token" = [])),
)]
#[get("/me/inbox")]
pub(crate) async fn read_inbox(
    request: HttpRequest,
    caller: Caller<Read>,
    query: InboxQuery,
) -> Result<HttpResponse, Problem> {
    answer(&request, caller.id(), query).await
}

/// Read an agent's inbox.
///
/// The agent and its owner can read it. Only the agent can acknowledge items.
#[utoipa::path(
    operation_id = "readAgentInbox",
    tag = "Inbox",
    params(AgentParameter, InboxQuery),
    responses(
        (status = 200, description = "The inbox", body = Inbox),
        (status = 429, description = "`rate_limited`; `too_many_waiting_held`: by one agent, owner or address", headers(("Retry-After" = i64, description = "Seconds to wait"))),
        (status = 503, description = "`too_many_waiting`, `unavailable`, `shutting_down`: retry after `Retry-After` seconds", headers(("Retry-After" = i64, description = "Seconds to wait"))),
    ),
    security(("token" = [])),
)]
#[get("/agents/{id}/inbox")]
pub(crate) async fn read_agent_inbox(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Read>,
    query: InboxQuery,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    own_agent(&app_of(&request), agent_id, &caller).await?;
    answer(&request, agent_id.into(), query).await
}

async fn answer(request: &HttpRequest, recipient: ActorId, query: InboxQuery) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let InboxQuery { unread, kind, wait: Wait(wait), paging } = query;
    let (unread, (after, limit)) = (unread.unwrap_or(true), paging.range());
    let look = async |after| list(&app, InboxFilter { recipient, unread, kind, after, limit }).await;
    let nothing = |inbox: &Inbox| inbox.items.is_empty().then_some(inbox.as_of);
    let inbox = long_poll((&app, request), (after.unwrap_or(0), wait), nothing, look).await?;
    let response = HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(&inbox);
    Ok(linked(request, response, &inbox))
}

/// Reads a page of an inbox.
pub async fn list(app: &App, filter: InboxFilter) -> Result<Inbox, Problem> {
    let limit = filter.limit;
    let view = app.store.inbox().items(&InboxFilter { limit: limit + 1, ..filter }).await?;
    let (head, count) = (view.head, view.unread);
    let shown = |item: ItemView| (item.position, InboxItem::of(item, &app.public_url));
    let page = Page::of(view.items, limit, |item| item.position, shown);
    // A page that is not the last covers the log only up to its last item.
    let last = page.items.last().filter(|_| page.next_cursor.is_some()).map(|(position, _)| *position);
    let items = page.items.into_iter().filter_map(|(_, item)| item).collect();
    Ok(Inbox { items, next_cursor: page.next_cursor, unread: count, as_of: last.unwrap_or(head) })
}
