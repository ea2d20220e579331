//! Playing by calls, for agents that hold no socket: an agent is present, waits in the queue, reads its turns and answers them.

use std::{cell::OnceCell, time::Duration};

use actix_web::{HttpRequest, HttpResponse, put, web::Path};
use buildtrack_domain::{
    arena::matches::{Match, SEATS_MAX},
    ids::{AgentId, MatchId},
};
use buildtrack_http::{
    app::App,
    auth::AgentCaller,
    body::Json,
    guard::{app_of, state_of},
    path_parameters,
    problem::Problem,
    query::path_id,
    rights::Right,
    streaming::Holder,
    waiting::{poll_until, waiting_permit},
};
use buildtrack_store::ArenaChange;

use super::{
    Sockets,
    looking::{ResultCache, Seen, look},
    matches::MatchParameter,
    playing_schemas::{ArenaAttendance, ArenaPresence, TurnAnswer},
    socket::{decide_answer, hold, join_queue},
};

path_parameters! {
    /// A turn of a match.
    TurnParameter = "turn", &["turn_[1-9][0-9]?"], "turn_1", "The turn's id";
}

/// Take part in the arena without a socket
///
/// The agent counts as connected until 60 seconds after the call. The call waits until a turn opens or the match ends. An agent
/// with an open socket keeps that.
#[utoipa::path(
    operation_id = "attendArena",
    tag = "Arena",
    request_body = ArenaAttendance,
    responses(
        (status = 200, description = "What the agent has to do", body = ArenaPresence),
        (status = 403, description = "`agent_required`, `agent_not_active`, `missing_scope`, `suspended`"),
        (status = 429, description = "`cost_guard_active`, `quota_exceeded`, `rate_limited`, `too_many_streams_held`, `too_many_waiting_held`: wait for `Retry-After` seconds"),
        (status = 503, description = "`too_many_streams`, `too_many_waiting`, `unavailable`, `storage_low`, `shutting_down`: retry after `Retry-After` seconds"),
    ),
    security(("token" = [])),
)]
#[put("/arena/presence")]
pub(crate) async fn attend(
    request: HttpRequest,
    caller: AgentCaller,
    body: Json<ArenaAttendance>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Json(ArenaAttendance { queue, wait }) = body;
    let wait = Duration::from_secs(wait.unwrap_or(0));
    let (agent_id, owner_id) = (caller.agent_id, caller.owner_id);
    let permit = waiting_permit(&app, &request, wait)?;
    let (sockets, holder) = (state_of::<Sockets>(&request), Holder::of(&app, &request));
    let right = Right::of(&app, &request);
    let connection_id = hold(&app, &sockets, (agent_id, owner_id), (&holder, wait, &right)).await?;
    match queue {
        Some(true) => join_queue(&app, (agent_id, owner_id), connection_id).await?,
        Some(false) => app.store.log().write_side([ArenaChange::Unqueued { agent_id }]).await?,
        None => {}
    }
    let presence = await_news((&app, &right), agent_id, wait).await?;
    drop(permit);
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(presence))
}

/// Answer a turn of a match
///
/// Only the first answer counts. The call then waits for the next turn, or the match's end.
#[utoipa::path(
    operation_id = "answerTurn",
    tag = "Arena",
    params(MatchParameter, TurnParameter),
    request_body = TurnAnswer,
    responses(
        (status = 200, description = "What the agent has to do next", body = ArenaPresence),
        (status = 403, description = "`agent_required`, `not_your_match`, `missing_scope`, `suspended`"),
        (status = 409, description = "`wrong_turn`, `already_answered`, `late_answer`, `match_over`, `conflict`"),
        (status = 429, description = "`rate_limited`, `too_many_waiting_held`: wait for `Retry-After` seconds"),
        (status = 503, description = "`too_many_waiting`, `unavailable`, `storage_low`, `shutting_down`: retry after `Retry-After` seconds"),
    ),
    security(("token" = [])),
)]
#[put("/arena/matches/{id}/turns/{turn}/answer")]
pub(crate) async fn answer_turn(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: AgentCaller,
    body: Json<TurnAnswer>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let match_id: MatchId = path_id(&ids.0, "match")?;
    let number = ids.1.strip_prefix("turn_").ok_or_else(|| Problem::not_found("turn"))?;
    let turn: u16 = path_id(number, "turn")?;
    let Json(body) = body;
    let wait = Duration::from_secs(body.wait.unwrap_or(0));
    let (agent_id, owner_id) = (caller.agent_id, caller.owner_id);
    // Before the answer is recorded: a refusal has no effect.
    let permit = waiting_permit(&app, &request, wait)?;
    let sealed = body.sealed()?;
    caller
        .caller
        .transact(&app, async |unit, _| {
            // The other seats may answer at the same moment.
            unit.retry_up_to(SEATS_MAX);
            let state = unit.load::<Match>(match_id).await?;
            let now = app.store.log().clock().now();
            let (answer, events) = decide_answer(&state.state, agent_id, (turn, &sealed), now)?;
            unit.append(match_id, &state, events);
            unit.write_side(ArenaChange::Sealed { match_id, turn, agent_id, answer });
            Ok(())
        })
        .await?;
    let (sockets, holder) = (state_of::<Sockets>(&request), Holder::of(&app, &request));
    let right = Right::of(&app, &request);
    if let Err(problem) = hold(&app, &sockets, (agent_id, owner_id), (&holder, wait, &right)).await {
        // The answer counts all the same.
        tracing::debug!(code = %problem.code, "no connection is held for an agent that has answered");
    }
    let presence = await_news((&app, &right), agent_id, wait).await?;
    drop(permit);
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(presence))
}

/// What the agent has to do, as soon as this changes or the time is up.
async fn await_news((app, right): (&App, &Right), agent_id: AgentId, wait: Duration) -> Result<ArenaPresence, Problem> {
    let (first, cache) = (OnceCell::new(), ResultCache::default());
    let nothing = |seen: &Seen| {
        let began = *first.get_or_init(|| seen.presence.status);
        let is_news = seen.presence.request.is_some() || seen.has_just_ended || seen.presence.status != began;
        (!is_news).then_some(seen.head)
    };
    let seen = poll_until((app, right), wait, nothing, async |_| look(app, agent_id, &cache).await).await?;
    Ok(seen.placed(&app.store, agent_id).await?)
}
