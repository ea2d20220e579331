//! The state of the arena: budgets, leagues and queue.

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_domain::{actors::ActorId, arena::tasks::League};
use buildtrack_http::{
    auth::{Caller, Read},
    etag,
    guard::app_of,
    problem::Problem,
    query::Parameters,
    validators::Basis,
};
use buildtrack_pages::{self as pages, Frame, filters};
use buildtrack_settings::CostGuardMode;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{socket::until_midnight, tokens::reader};

/// Why a league is not open.
const NO_WORKER: &str = "The worker, which judges answers, does not run.";
const NO_JUDGES: &str = "Fewer than three judges of different owners can be reached.";
const NO_SANDBOX: &str = "This server has no sandbox for answers in Python.";

/// The state of the arena.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArenaStatus {
    /// `ok`, or `paused` while the cost guard is active.
    #[schema(example = "ok")]
    pub status: &'static str,
    /// The time at the server.
    pub server_time: DateTime<Utc>,
    /// The protocols of the arena.
    #[schema(example = json!(["evalduel-agent-v0", "aap-1.0"]))]
    pub protocols: [&'static str; 2],
    /// The budget of the day.
    pub cost_guard: CostGuard,
    /// The matches that may still begin today (UTC).
    #[schema(example = 4988)]
    pub match_budget_remaining: i64,
    /// The matches that one agent may still play: the caller's, if it is an agent; otherwise those of an agent that has not played.
    #[schema(example = 200)]
    pub agent_match_budget_remaining: i64,
    /// The agents with an open socket.
    pub connected_agents: i64,
    /// The agents that wait for a match.
    pub queued_agents: i64,
    /// The leagues.
    pub leagues: Vec<LeagueStatus>,
}

/// The budget of the day.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CostGuard {
    /// `enforce`, or `observe`: matches go on when the budget is used up.
    #[schema(example = "enforce")]
    pub mode: &'static str,
    /// Whether no further match begins today.
    pub active: bool,
    /// The matches of a day.
    #[schema(example = 5000)]
    pub match_budget: i64,
    /// The seconds until the budget is renewed.
    #[schema(example = 3600)]
    pub retry_after_seconds: u64,
}

/// A league.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LeagueStatus {
    /// Its name.
    #[schema(example = "trivia")]
    pub league: String,
    /// Whether matches are made in it.
    pub open: bool,
    /// The number of its tasks.
    #[schema(example = 24)]
    pub tasks: usize,
    /// Why it is not open.
    pub reason: Option<&'static str>,
}

/// The state of the arena: budgets, leagues and queue
///
/// The answer says whether ranked matches are made now, and how many agents wait. Browsers get a page.
#[utoipa::path(
    operation_id = "showArenaStatus",
    tag = "Arena",
    responses((status = 200, description = "The state", content((ArenaStatus = "application/json"), (String = "text/html")), headers(("ETag" = String)))),
)]
#[get("/status.json")]
pub(crate) async fn show_arena_status(
    request: HttpRequest,
    caller: Option<Caller<Read>>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    Parameters::of(&request, &[]).finish()?;
    let (store, limits, now) = (&app.store, app.settings.arena_limits, app.store.log().clock().now());
    let remaining = (i64::from(limits.matches) - store.arena().matches_today().await?).max(0);
    let of_agent = i64::from(limits.agent_matches);
    let agent_id = match caller.map(|caller| caller.id()) {
        Some(ActorId::Agent(agent_id)) => Some(agent_id),
        _ => reader(&app, &request).await?,
    };
    let played = match agent_id {
        Some(agent_id) => store.arena().matches_since(agent_id, now - TimeDelta::hours(24), of_agent).await?,
        None => 0,
    };
    let active = remaining == 0 && app.settings.cost_guard_mode == CostGuardMode::Enforce;
    let (connected_agents, queued_agents) = store.arena().sockets_open().await?;
    let open = store.arena().open_leagues().await?;
    let league = |league: League| LeagueStatus {
        league: league.to_string(),
        open: open.contains(&league),
        tasks: store.arena().bank().in_league(league).count(),
        reason: closed_because(league, &open),
    };
    let body = ArenaStatus {
        status: if active { "paused" } else { "ok" },
        server_time: now,
        protocols: ["evalduel-agent-v0", "aap-1.0"],
        cost_guard: CostGuard {
            mode: app.settings.cost_guard_mode.as_str(),
            active,
            match_budget: limits.matches.into(),
            retry_after_seconds: if active { until_midnight(now).as_secs().max(1) } else { 0 },
        },
        match_budget_remaining: remaining,
        agent_match_budget_remaining: (of_agent - played).max(0),
        connected_agents,
        queued_agents,
        leagues: League::ALL.map(league).into(),
    };
    if pages::is_asked(&request) {
        let shown = ArenaStatus { server_time: now.trunc_subsecs(0), ..body };
        let state = serde_json::to_string(&shown).unwrap_or_default();
        if let Some(unchanged) = pages::unchanged_as_of(&request, Basis::State(&state)).await? {
            return Ok(unchanged);
        }
        let language = pages::language(&request);
        let frame = Frame::new(&request, &language.say("arena-status"), language.say("arena-status-description"));
        return pages::answer(&request, &StatusPage { frame: frame.within("arena", "status"), status: shown });
    }
    Ok(etag::answer_data(&request, &body))
}

/// The state of the arena.
#[derive(Template)]
#[template(path = "arena/status.html")]
struct StatusPage {
    frame: Frame,
    status: ArenaStatus,
}

/// Why no matches are made in a league.
fn closed_because(league: League, open: &[League]) -> Option<&'static str> {
    match open {
        [] => Some(NO_WORKER),
        open if open.contains(&league) => None,
        _ if league == League::Debate => Some(NO_JUDGES),
        _ => Some(NO_SANDBOX),
    }
}

/// The key of the message that says why a league is not open.
pub(crate) fn reason_key(reason: &str) -> &'static str {
    match reason {
        NO_WORKER => "arena-status-no-worker",
        NO_JUDGES => "arena-status-no-judges",
        _ => "arena-status-no-sandbox",
    }
}
