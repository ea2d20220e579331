//! Matches: challenges, lists, and one match with its events.

use buildtrack_http::{
    answers::created,
    app::App,
    auth::{Caller, Write},
    body::Submission,
    etag,
    guard::app_of,
    page::{Cursor, Page},
    path_parameters,
    problem::{FieldError, Problem},
    problems::arena::{
        agent_busy, agent_waits, challenge_declined, league_closed, no_judges, not_in_league, sparring_off,
    },
    query::{Limit, Paging, Query, path_id},
    query_words,
    validators::{self, Basis},
};
use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Path};
use buildtrack_domain::{
    arena::{
        matches::{Channel, Mode, Seat},
        sparring::{SPARRING_AGENT, sparring_seat},
        tasks::League,
    },
    ids::{AgentId, MatchId, OwnerId},
    words,
};
use buildtrack_settings::CostGuardMode;
use buildtrack_store::{
    EndpointReadiness, MatchBudget, MatchFilter, MatchPart, MatchRefusal, NewMatch, PartBounds, PlannedMatch,
    SocketState,
};
use chrono::{DateTime, TimeDelta, Utc};

use super::{
    match_schemas::{ArenaMatch, MatchReplay, MatchRequest, ReplayEvent},
    socket::until_midnight,
};

path_parameters! {
    /// A match.
    MatchParameter = "id", &[MatchId::FORM], "match_01h2e8kqvbfwea724h75qc655w", "The match's id";
}

/// How long after a challenge no other owner challenges an agent that waits for a ranked match: twice as long as most matches last.
const CHALLENGE_PAUSE: TimeDelta = TimeDelta::minutes(10);
/// The maximum number of bytes of the events of a part. No event has as many.
const PART_BYTES: i64 = 500 * 1024;
/// The maximum number of events of a part whose request names none.
const PART_EVENTS: i64 = 2048;

words! {
    /// The status of a match that lists filter by.
    enum MatchStatus {
        /// It is played.
        Playing = "playing",
        /// It was played to its end.
        Finished = "finished",
        /// It ended without a result.
        Void = "void",
    }
}

query_words!(MatchStatus);

/// Start an unrated match
///
/// The match begins at once. Agents of other owners must accept challenges, and each agent must be reachable: by an open socket,
/// or by an endpoint that is well. `sparring` in place of an id stands for the server's sparring bot, which plays one agent at once.
#[utoipa::path(
    operation_id = "startMatch",
    tag = "Arena",
    request_body = MatchRequest,
    responses(
        (status = 201, description = "The match", body = ArenaMatch, headers(("Location" = String))),
        (status = 409, description = "`challenge_declined`, `not_in_league`, `agent_busy`, `agent_unreachable`, `league_closed`, `no_judges`, `sparring_off`, `conflict`"),
        (status = 429, description = "`cost_guard_active`, `quota_exceeded`, `rate_limited`: wait for `Retry-After` seconds"),
    ),
    security(("token" = [])),
)]
#[post("/arena/matches")]
pub(crate) async fn start_match(
    request: HttpRequest,
    caller: Caller<Write>,
    submission: Submission<MatchRequest>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let league = body.league();
    if !app.store.arena().open_leagues().await?.contains(&league) {
        return Err(league_closed());
    }
    let owner_id = caller.session().owner_id;
    let mut seats = Vec::with_capacity(body.agent_ids.len());
    for (number, agent_id) in body.agents().enumerate() {
        seats.push(seat(&app, owner_id, (number, agent_id), league).await?);
    }
    let has_bot = seats.iter().any(|seat| seat.channel == Channel::System);
    let mode = if has_bot { Mode::Sparring } else { Mode::Challenge };
    let planned = NewMatch { league, mode, challenger_id: Some(owner_id), seats }.plan(app.store.arena())?;
    let owners: Vec<_> = planned.created.seats.iter().map(|seat| seat.owner_id).collect();
    if league == League::Debate && !app.store.arena().can_judge(&owners).await? {
        return Err(no_judges());
    }
    let done = caller
        .transact(&app, async |unit, _| {
            let now = app.store.log().clock().now();
            check_waiting(&app, owner_id, &planned, now).await?;
            planned.check(unit, budget(&app), now).await?.map_err(|refusal| refused(&app, refusal))?;
            planned.write(unit);
            let (planned, path) = (planned.clone(), format!("/api/v1/arena/matches/{}", planned.created.match_id));
            unit.answer(key.ticket(), move |recorded| created(path.clone(), &ArenaMatch::planned(&planned, recorded)));
            Ok(())
        })
        .await?;
    key.answered(done)
}

/// The budgets of the day: of the server, and of the owner that starts the match. Each agent counts for the owner, so that one owner
/// cannot use up the matches of all.
fn budget(app: &App) -> Option<MatchBudget> {
    let limits = app.settings.arena_limits;
    let budget = MatchBudget {
        matches: limits.matches.into(),
        owner_matches: limits.owner_matches.into(),
        agent_matches: limits.agent_matches.into(),
    };
    (app.settings.cost_guard_mode == CostGuardMode::Enforce).then_some(budget)
}

/// Refuses to challenge an agent of another owner again while it waits for a ranked match: it keeps its place in the queue while it plays,
/// but is not paired.
async fn check_waiting(app: &App, caller: OwnerId, planned: &PlannedMatch, now: DateTime<Utc>) -> Result<(), Problem> {
    for seat in planned.created.seats.iter().filter(|seat| seat.owner_id != caller && seat.channel == Channel::Socket) {
        if app.store.arena().is_queued_and_challenged(seat.agent_id, now - CHALLENGE_PAUSE).await? {
            return Err(agent_waits(seat.agent_id));
        }
    }
    Ok(())
}

fn refused(app: &App, refusal: MatchRefusal) -> Problem {
    let limits = app.settings.arena_limits;
    let quota = |detail| {
        let hint = "Wait until earlier matches are 24 hours old.";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "quota_exceeded", detail, hint);
        problem.retryable(Some(Duration::from_hours(1)))
    };
    match refusal {
        MatchRefusal::Busy(agent_id) => agent_busy(agent_id),
        MatchRefusal::OfOwner(_) => quota(format!(
            "The agents of this owner may take {} seats in matches in 24 hours, and too few are left.",
            limits.owner_matches
        )),
        MatchRefusal::OfAgent(agent_id) => {
            quota(format!("{agent_id} has played {} ranked matches in 24 hours.", limits.agent_matches))
        }
        MatchRefusal::OfDay => {
            let detail = format!("The arena's budget of a day is used up; its limit is {}.", limits.matches);
            let hint = "Wait for Retry-After seconds: the budget is renewed at midnight (UTC).";
            let wait = until_midnight(app.store.log().clock().now());
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "cost_guard_active", detail, hint).retryable(Some(wait))
        }
    }
}

/// An agent's seat, if it may and can play.
async fn seat(
    app: &App,
    caller: OwnerId,
    (number, agent_id): (usize, AgentId),
    league: League,
) -> Result<Seat, Problem> {
    if agent_id == SPARRING_AGENT {
        return app.settings.arena_limits.sparring().map(|_| sparring_seat()).ok_or_else(sparring_off);
    }
    let Some(contestant) = app.store.arena().contestant(agent_id).await? else {
        let (detail, hint) =
            ("There is no active agent with this id.", "Use the \"id\" of an agent: GET /api/v1/agents.");
        return Err(Problem::invalid(vec![FieldError::field(
            format!("/agentIds/{number}"),
            "not_found",
            detail,
            hint,
        )]));
    };
    if !contestant.leagues.contains(&league) {
        return Err(not_in_league(agent_id, league));
    }
    if contestant.owner_id != caller && !contestant.accepts_challenges {
        return Err(challenge_declined(agent_id));
    }
    if app.store.arena().socket_state(agent_id).await? == SocketState::Open {
        return Ok(contestant.seat(Channel::Socket));
    }
    if contestant.endpoint == EndpointReadiness::Ready {
        return Ok(contestant.seat(Channel::Push));
    }
    let detail =
        format!("{agent_id} has neither an open socket nor an endpoint that is well and has room for another match.");
    let hint = "Connect the agent to /agent/connect, or see the health of its endpoint.";
    Err(Problem::new(StatusCode::CONFLICT, "agent_unreachable", detail, hint))
}

/// Which matches are listed.
#[derive(Query)]
pub(crate) struct MatchesQuery {
    /// Only matches with this status: `playing`, `finished` or `void`
    #[query(example = "playing")]
    status: Option<MatchStatus>,
    /// Only matches in this league
    #[query(example = "trivia")]
    league: Option<League>,
    /// Only matches of this agent
    agent: Option<AgentId>,
    #[query(flat)]
    paging: Paging,
}

/// List matches, newest first
///
/// Ranked matches, challenges, and matches of tests and tournaments.
#[utoipa::path(
    operation_id = "listMatches",
    tag = "Arena",
    params(MatchesQuery),
    responses((status = 200, description = "Matches", body = Page<ArenaMatch>, headers(("ETag" = String)))),
)]
#[get("/arena/matches")]
pub(crate) async fn list(request: HttpRequest, query: MatchesQuery) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let MatchesQuery { status, league, agent: agent_id, paging } = query;
    let (phase, (before, limit)) = (status.map(MatchStatus::as_str), paging.range());
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let filter = MatchFilter { phase, league, agent_id, before, limit: limit + 1 };
    let rows = app.store.arena().matches(&filter).await?;
    Ok(etag::answer_list(&request, &Page::of(rows, limit, |row| row.position, ArenaMatch::new)))
}

/// Which part of a match is asked for.
#[derive(Debug, Clone, Copy, Query)]
pub(super) struct PartQuery {
    /// `nextCursor` of the previous part
    cursor: Option<Cursor>,
    /// Number of events, 1 to 200; by default as many as fit into 500 KiB
    #[query(example = 200)]
    limit: Option<Limit>,
}

/// Show a match with its events
///
/// A long match comes in parts: repeat with `cursor` until `nextCursor` is null. Answers and votes of a turn are shown when the turn
/// has closed; in a debate, when the votes on the motion have closed.
#[utoipa::path(
    operation_id = "showMatch",
    tag = "Arena",
    params(MatchParameter, PartQuery),
    responses((status = 200, description = "The match", body = MatchReplay, headers(("ETag" = String)))),
)]
#[get("/arena/matches/{id}")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>, part: PartQuery) -> Result<HttpResponse, Problem> {
    let match_id: MatchId = path_id(&id, "match")?;
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let replay = replay(&app_of(&request), match_id, part).await?;
    Ok(etag::answer_list(&request, &replay))
}

/// A part of a match with its events.
pub(super) async fn replay(app: &App, match_id: MatchId, part: PartQuery) -> Result<MatchReplay, Problem> {
    let view = app.store.arena().match_view(match_id).await?.ok_or_else(|| Problem::not_found("match"))?;
    let after = part.cursor.map_or(0, |Cursor(position)| position);
    let bounds = PartBounds { events: part.limit.map_or(PART_EVENTS, |Limit(limit)| limit), bytes: PART_BYTES };
    let MatchPart { events, reached, has_more } = app.store.arena().match_part(&view, after, bounds).await?;
    let next_cursor = has_more.then(|| Cursor(reached).encode());
    let events = events.into_iter().filter_map(ReplayEvent::of).collect();
    Ok(MatchReplay { arena_match: ArenaMatch::new(view), events, next_cursor })
}
