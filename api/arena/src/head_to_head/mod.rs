//! Head-to-head tests between two agents of the caller's owner: start, list, show, cancel.

mod schemas;

use actix_web::{HttpRequest, HttpResponse, delete, get, http::StatusCode, post, web::Path};
use buildtrack_domain::{
    arena::{
        head_to_head::{Cancel, Counts, HeadToHead as State, HeadToHeadError, Start, Started},
        tasks::League,
    },
    decide::Command,
    ids::{AgentId, HeadToHeadId, OwnerId},
};
use buildtrack_http::{
    answers::{created, no_content, position_and_time},
    app::App,
    auth::{Caller, Read, Write},
    body::Submission,
    etag,
    guard::app_of,
    page::Page,
    path_parameters,
    problem::{FieldError, Problem},
    problems::arena::{league_closed, not_in_league},
    query::{Paging, path_id},
};
use buildtrack_settings::CostGuardMode;
use buildtrack_store::{HeadToHeadView, MatchBudget, Obstacle, Recorded, head_to_head_cap};

use self::schemas::{HeadToHead, HeadToHeadReport, HeadToHeadRequest};

path_parameters! {
    /// A head-to-head test.
    HeadToHeadParameter = "id", &[HeadToHeadId::FORM], "vs_01h2e8kqvbfwea724h75qc655w", "The test's id";
}

/// The maximum number of tests of an owner that run at once.
const RUNNING_MAX: i64 = 3;
/// The maximum number of matches that one answer shows.
const MATCHES_SHOWN: i64 = 200;

/// Start a head-to-head test of two own agents
///
/// The agents play unrated matches one after another, until a sequential test (SPRT) knows whether the first is stronger.
#[utoipa::path(
    operation_id = "startHeadToHead",
    tag = "Arena",
    request_body = HeadToHeadRequest,
    responses(
        (status = 201, description = "The test", body = HeadToHead, headers(("Location" = String))),
        (status = 409, description = "`not_in_league`, `league_closed`, `too_many_head_to_heads`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/arena/head-to-heads")]
pub(crate) async fn start(
    request: HttpRequest,
    caller: Caller<Write>,
    submission: Submission<HeadToHeadRequest>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let owner_id = caller.session().owner_id;
    if body.league() == League::Debate {
        return Err(no_debates());
    }
    if !app.store.arena().open_leagues().await?.contains(&body.league()) {
        return Err(league_closed());
    }
    let agents = body.agents().ok_or_else(|| Problem::internal(&"a body was not validated"))?;
    for (number, agent_id) in agents.into_iter().enumerate() {
        check_agent(&app, owner_id, (number, agent_id), body.league()).await?;
    }
    let id = HeadToHeadId::new(app.store.log().clock().uuid());
    let started = body.started((id, owner_id), agents);
    let events = Start(started.clone()).decide(())?;
    let done = caller
        .transact_unnamed(&app, async |unit, _| {
            if !unit.fits(head_to_head_cap(owner_id, RUNNING_MAX)).await? {
                return Err(too_many());
            }
            unit.begin(id, events.clone());
            let (started, path) = (started.clone(), format!("/api/v1/arena/head-to-heads/{id}"));
            unit.answer(key.ticket(), move |recorded| {
                created(path.clone(), &HeadToHead::new(&view_of(&started, recorded), None))
            });
            Ok(())
        })
        .await?;
    key.answered(done)
}

/// A test that was just written.
fn view_of(started: &Started, recorded: &[Recorded]) -> HeadToHeadView {
    let (position, created_at) = position_and_time(recorded);
    HeadToHeadView {
        id: started.head_to_head_id,
        position,
        owner_id: started.owner_id,
        league: started.league,
        agents: [started.first, started.second],
        elo: [started.elo0.into(), started.elo1.into()],
        errors: [started.alpha.into(), started.beta.into()],
        max_matches: started.max_matches.into(),
        counts: Counts::default(),
        voided: 0,
        match_id: None,
        verdict: None,
        created_at,
        ended_at: None,
    }
}

/// The agent must be active, belong to the owner, and play in the league.
async fn check_agent(
    app: &App,
    owner_id: OwnerId,
    (number, agent_id): (usize, AgentId),
    league: League,
) -> Result<(), Problem> {
    let contestant = app.store.arena().contestant(agent_id).await?.filter(|contestant| contestant.owner_id == owner_id);
    let Some(contestant) = contestant else {
        let detail = "The caller's owner has no active agent with this id.";
        let hint = "Name two agents of one owner: GET /api/v1/agents?owner=me.";
        let pointer = format!("/agentIds/{number}");
        return Err(Problem::invalid(vec![FieldError::field(pointer, "not_found", detail, hint)]));
    };
    if contestant.leagues.contains(&league) {
        return Ok(());
    }
    Err(not_in_league(agent_id, league))
}

/// Two agents of one owner would use up the judges of all: a test has up to 500 matches, and a debate four panels.
fn no_debates() -> Problem {
    let detail = "A head-to-head test cannot be played as debates.";
    let hint = "Choose another league of /status.json.";
    Problem::invalid(vec![FieldError::field("/league", "out_of_range", detail, hint)])
}

fn too_many() -> Problem {
    let detail = format!("The owner has {RUNNING_MAX} head-to-head tests that run, which is the limit.");
    let hint = "Wait until one has ended, or cancel one: DELETE /api/v1/arena/head-to-heads/{id}.";
    Problem::new(StatusCode::CONFLICT, "too_many_head_to_heads", detail, hint)
}

/// List the owner's head-to-head tests, newest first
///
/// A test plays unrated matches between two agents until it is known whether the first is stronger.
#[utoipa::path(
    operation_id = "listHeadToHeads",
    tag = "Arena",
    params(Paging),
    responses((status = 200, description = "Tests", body = Page<HeadToHead>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/arena/head-to-heads")]
pub(crate) async fn list(request: HttpRequest, caller: Caller<Read>, paging: Paging) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (before, limit) = paging.range();
    let rows = app.store.arena().head_to_heads(caller.session().owner_id, before, limit + 1).await?;
    let mut known = Vec::with_capacity(rows.len());
    for row in rows {
        // An owner has few tests that run, so that few rows cost more than their read.
        let obstacle = obstacle(&app, &row).await?;
        known.push((row, obstacle));
    }
    let shown = |(row, obstacle): (HeadToHeadView, Option<Obstacle>)| HeadToHead::new(&row, obstacle);
    Ok(etag::answer_list(&request, &Page::of(known, limit, |(row, _)| row.position, shown)))
}

/// Show a head-to-head test with its matches
///
/// The answer has the result so far and at most 200 matches, the latest first.
#[utoipa::path(
    operation_id = "showHeadToHead",
    tag = "Arena",
    params(HeadToHeadParameter),
    responses((status = 200, description = "The test", body = HeadToHeadReport, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/arena/head-to-heads/{id}")]
pub(crate) async fn show(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let id: HeadToHeadId = path_id(&id, "head-to-head test")?;
    let own = app.store.arena().head_to_head(id).await?.filter(|row| row.owner_id == caller.session().owner_id);
    let row = own.ok_or(HeadToHeadError::NotFound)?;
    let matches = app.store.arena().head_to_head_matches(id, MATCHES_SHOWN).await?;
    let obstacle = obstacle(&app, &row).await?;
    Ok(etag::answer(&request, &HeadToHeadReport::new(&row, obstacle, matches)))
}

/// Cancel a head-to-head test
///
/// A match under way is played to its end, and does not count.
#[utoipa::path(
    operation_id = "cancelHeadToHead",
    tag = "Arena",
    params(HeadToHeadParameter),
    responses(
        (status = 204, description = "The test has ended as `cancelled`"),
        (status = 409, description = "`head_to_head_over`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[delete("/arena/head-to-heads/{id}")]
pub(crate) async fn cancel(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let head_to_head_id: HeadToHeadId = path_id(&id, "head-to-head test")?;
    let owner_id = caller.session().owner_id;
    caller
        .transact_unnamed(&app, async |unit, _| {
            let state = unit.load::<State>(head_to_head_id).await?;
            unit.append(head_to_head_id, &state, Cancel { head_to_head_id, owner_id }.decide(&state.state)?);
            Ok(())
        })
        .await?;
    Ok(no_content())
}

/// Why the next match of a test that runs cannot begin now.
async fn obstacle(app: &App, row: &HeadToHeadView) -> Result<Option<Obstacle>, Problem> {
    if row.verdict.is_some() || row.match_id.is_some() {
        return Ok(None);
    }
    let limits = app.settings.arena_limits;
    let budget = MatchBudget {
        matches: limits.matches.into(),
        owner_matches: limits.owner_matches.into(),
        agent_matches: limits.agent_matches.into(),
    };
    let budget = (app.settings.cost_guard_mode == CostGuardMode::Enforce).then_some(budget);
    Ok(app.store.arena().head_to_head_seats((row.owner_id, row.league), row.agents, budget).await?.err())
}
