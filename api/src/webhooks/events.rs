//! Asking instead of being pushed to: the same events with the same bodies, for an agent that nobody can reach.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, web::Path};
use buildtrack_domain::{ids::AgentId, webhooks::Push};
use buildtrack_store::{Hearing, Recorded};
use tokio::{
    sync::SemaphorePermit,
    time::{Instant, sleep, timeout_at},
};

use super::{
    deliveries::own,
    delivery_schemas::{AgentEvent, AgentEvents},
};
use crate::{
    app::App,
    http::{
        auth::{Caller, Read},
        guard::app_of,
        problem::Problem,
        query::{Parameters, path_id},
    },
};

/// Seconds a request may wait.
const WAIT_MAX: u64 = 30;
/// How soon to come back where too many wait.
const LATER: Duration = Duration::from_secs(5);
/// Between two looks while the log grows by what others are told: at first, and at most.
const LOOK: Duration = Duration::from_millis(20);
const LOOK_MAX: Duration = Duration::from_secs(1);

/// Reads what an agent is told of, as it is pushed: the same bodies, in the log's order; by itself and its owner. With
/// `wait` the answer comes as soon as there is something.
#[utoipa::path(
    operation_id = "readAgentEvents",
    tag = "Webhooks",
    params(
        ("id" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w"),
        ("after" = Option<i64>, Query, description = "Only beyond this position: `next` of the answer before, or the last `X-ARAF-Sequence`", example = 0),
        ("limit" = Option<i64>, Query, description = "1 to 200", example = 50),
        ("wait" = Option<u64>, Query, description = "Seconds to wait where there is nothing yet, 0 to 30", example = 0),
    ),
    responses(
        (status = 200, description = "Events", body = AgentEvents),
        (status = 503, description = "`too_many_waiting`, `unavailable`, `shutting_down`: try again after `Retry-After` seconds", body = Problem, content_type = "application/problem+json", headers(("Retry-After" = i64, description = "Seconds to wait"))),
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
    let agent_id: AgentId = path_id(&id, "agent")?;
    own(&app, agent_id, &caller).await?;
    let mut parameters = Parameters::of(&request, &["after", "limit", "wait"]);
    let after: i64 = parameters.get("after", "a position, 0 or more").unwrap_or(0);
    if after < 0 {
        parameters.refuse("after", format!("after is {after}"), "Give a position, 0 or more.");
    }
    let limit = parameters.limit();
    let wait: u64 = parameters.get("wait", "a number from 0 to 30").unwrap_or(0);
    if wait > WAIT_MAX {
        parameters.refuse("wait", format!("wait is {wait}"), "Give a number from 0 to 30.");
    }
    parameters.finish()?;
    let reader = Reader { app: &app, agent_id, limit };
    let mut events = reader.look(after).await?;
    if events.items.is_empty() && wait > 0 {
        events = reader.wait(events, Instant::now() + Duration::from_secs(wait)).await?;
    }
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(events))
}

/// Whoever reads an agent's events.
struct Reader<'a> {
    app: &'a App,
    agent_id: AgentId,
    limit: i64,
}

impl Reader<'_> {
    /// What is there beyond `after`, as far as one look reaches.
    async fn look(&self, after: i64) -> Result<AgentEvents, Problem> {
        let store = &self.app.store;
        // Known to be committed before the look, so that nothing below it is still to come.
        let head = store.tail().head();
        let told = store.told(&Hearing::whole(self.agent_id), after, head, self.limit).await?;
        let items = told.events.iter().filter_map(|recorded| self.show(recorded)).collect();
        Ok(AgentEvents { items, next: told.reached })
    }

    fn show(&self, recorded: &Recorded) -> Option<AgentEvent> {
        let push = recorded.event.as_ref().and_then(Push::of)?;
        let body = push.body(self.agent_id, recorded.recorded_at, &self.app.public_url);
        AgentEvent::new(recorded.position, push.push_type(), body)
    }

    /// Looks again whenever the log has grown, until there is something, time is up or the server stops.
    async fn wait(&self, mut events: AgentEvents, until: Instant) -> Result<AgentEvents, Problem> {
        let _place = self.place()?;
        let mut pause = LOOK;
        while events.items.is_empty() && !self.app.stopping.is_cancelled() {
            let grown = self.app.store.tail().beyond(events.next);
            let grown = self.app.stopping.run_until_cancelled(timeout_at(until, grown)).await;
            if !matches!(grown, Some(Ok(()))) {
                break;
            }
            events = self.look(events.next).await?;
            if events.items.is_empty() {
                // The log grows by what others are told: that is not worth a look each.
                self.app.stopping.run_until_cancelled(sleep(pause)).await;
                pause = LOOK_MAX.min(pause * 2);
            }
        }
        Ok(events)
    }

    fn place(&self) -> Result<SemaphorePermit<'_>, Problem> {
        self.app.waiting.try_acquire().map_err(|_| {
            let detail = "Too many requests wait for events at the moment.";
            let hint = "Try again after the wait, or ask without wait.";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_waiting", detail, hint).retryable(Some(LATER))
        })
    }
}
