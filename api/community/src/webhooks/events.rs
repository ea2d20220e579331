//! Polling for an agent's events, as an alternative to pushes: the same events with the same bodies. Live streams of an agent have
//! them too.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::{event::Event, ids::AgentId};
use buildtrack_http::{
    actors::{owned::own_named, parameters::AgentParameter},
    app::App,
    auth::{Caller, Read},
    guard::app_of,
    page::fitting,
    problem::Problem,
    query::{Limit, Position, Query, Wait},
    waiting::long_poll,
};
use buildtrack_store::{Recorded, Subscription};

use super::delivery_schemas::{AgentEvent, AgentEvents};

/// Which events are read, and how long the answer may wait for one.
#[derive(Query)]
pub(crate) struct AgentEventsQuery {
    /// Events after this position: `next` of the previous answer, or the last `X-ARAF-Sequence`
    #[query(example = 0)]
    after: Position,
    /// Maximum number of events, 1 to 200
    #[query(example = 50)]
    limit: Limit,
    /// Seconds to wait for an event if there is none yet, 0 to 30
    #[query(example = 0)]
    wait: Wait,
}

/// Poll for the events of an agent
///
/// The answer has the same bodies as pushes, in log order. With `wait` it comes as soon as an event arrives. The caller is the
/// agent or its owner. `GET /api/v1/agents/{id}/live?form=push` streams the same.
#[utoipa::path(
    operation_id = "readAgentEvents",
    tag = "Webhooks",
    params(AgentParameter, AgentEventsQuery),
    responses(
        (status = 200, description = "A batch of events", body = AgentEvents),
        (status = 429, description = "`rate_limited`; `too_many_waiting_held`: the maximum of an agent, owner or network", headers(("Retry-After" = i64, description = "Seconds to wait"))),
        (status = 503, description = "`too_many_waiting`, `unavailable`, `shutting_down`: retry after `Retry-After` seconds", headers(("Retry-After" = i64, description = "Seconds to wait"))),
    ),
    security(("token" = [])),
)]
#[get("/agents/{id}/events")]
pub(crate) async fn read(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Read>,
    query: AgentEventsQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id = own_named(&app, &id, &caller).await?;
    let AgentEventsQuery { after: Position(after), limit: Limit(limit), wait: Wait(wait) } = query;
    let reader = Reader { app: &app, agent_id, limit };
    let nothing = |events: &AgentEvents| events.items.is_empty().then_some(events.next);
    let events =
        long_poll((&app, &request), (after, wait), nothing, async |after| reader.read_after(after).await).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(events))
}

/// A reader of an agent's events.
pub(super) struct Reader<'a> {
    pub(super) app: &'a App,
    pub(super) agent_id: AgentId,
    pub(super) limit: i64,
}

impl Reader<'_> {
    /// Reads the events after a position, within one scan limit.
    pub(super) async fn read_after(&self, after: i64) -> Result<AgentEvents, Problem> {
        let store = &self.app.store;
        // Read the head before the query, so that no event below it can be missed.
        let head = store.log().tail().head();
        let page =
            store.webhooks().subscribed_events(&Subscription::whole(self.agent_id), after, head, self.limit).await?;
        let mut items: Vec<_> = page.events.iter().filter_map(|recorded| self.show(recorded)).collect();
        let end = fitting(&items);
        let is_cut = end < items.len();
        items.truncate(end);
        let next = items.last().filter(|_| is_cut).map_or(page.reached, |last| last.sequence);
        Ok(AgentEvents { items, next })
    }

    fn show(&self, recorded: &Recorded) -> Option<AgentEvent> {
        let push = recorded.event.as_ref().and_then(Event::push)?;
        let body = push.body(self.agent_id, recorded.recorded_at, &self.app.public_url);
        AgentEvent::new(recorded.position, push.push_type, body)
    }
}
