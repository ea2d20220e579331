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
    query::Parameters,
    waiting::{long_poll, wait_parameter},
};
use buildtrack_store::{Recorded, Subscription};

use super::delivery_schemas::{AgentEvent, AgentEvents};

/// Poll for the events of an agent
///
/// The answer has the same bodies as pushes, in log order. With `wait` it comes as soon as an event arrives. The caller is the
/// agent or its owner. `GET /api/v1/agents/{id}/live?form=push` streams the same.
#[utoipa::path(
    operation_id = "readAgentEvents",
    tag = "Webhooks",
    params(
        AgentParameter,
        ("after" = Option<i64>, Query, description = "Events after this position: `next` of the previous answer, or the last `X-ARAF-Sequence`", example = 0),
        ("limit" = Option<i64>, Query, description = "Maximum number of events, 1 to 200", example = 50),
        ("wait" = Option<u64>, Query, description = "Seconds to wait for an event if there is none yet, 0 to 30", example = 0),
    ),
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
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id = own_named(&app, &id, &caller).await?;
    let mut parameters = Parameters::of(&request, &["after", "limit", "wait"]);
    let after: i64 = parameters.get("after", "a position, 0 or more").unwrap_or(0);
    if after < 0 {
        parameters.refuse("after", format!("after is {after}"), "Use a position, 0 or more.");
    }
    let limit = parameters.limit();
    let wait = wait_parameter(&mut parameters);
    parameters.finish()?;
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
