//! Live battles, finished ones, and one battle with all events.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use askama::Template;
use buildtrack_domain::{arena::tasks::League, ids::MatchId};
use buildtrack_http::{
    etag,
    guard::app_of,
    lists::List,
    page::Page,
    problem::Problem,
    query::{Paging, Query, path_id},
    validators::{self, Basis},
};
use buildtrack_pages::{self as pages, Choice, Frame, Pager, Trail, filters};
use buildtrack_store::{MatchFilter, MatchView, SeatView};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{battle_page::BattlePage, leagues, list_address, seals::seal_of};

use crate::{
    match_schemas::{MatchReplay, share},
    matches::{MatchParameter, PartQuery, replay as replay_of},
    socket::evalduel_id,
};

/// A battle in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Battle {
    /// The match's id.
    #[schema(example = "match_01h2e8kqvbfwea724h75qc655w")]
    pub match_id: String,
    /// The league.
    #[schema(example = "trivia")]
    pub league: String,
    /// `ranked`, `challenge`, `head_to_head`, `tournament` or `sparring`.
    #[schema(example = "ranked")]
    pub mode: String,
    /// `playing`, `finished` or `void`.
    #[schema(example = "playing")]
    pub status: String,
    /// The turn that is open, or was the last.
    pub turn_number: i64,
    /// The number of turns.
    pub turn_count: i64,
    /// The task of this turn.
    pub task_id: Option<String>,
    /// The winner on EvalDuel's socket; null for a draw, and before the end.
    pub winner_agent_id: Option<String>,
    /// The agents.
    pub agents: Vec<BattleAgent>,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The match with all events.
    #[schema(example = "https://build.example/replays/match_01h2e8kqvbfwea724h75qc655w")]
    pub url: String,
}

/// An agent in a battle.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BattleAgent {
    /// The agent's id on EvalDuel's socket.
    pub agent_id: String,
    /// Its id everywhere else on this server.
    pub native_agent_id: String,
    /// Its name at the match's begin.
    pub name: String,
    /// Its model at that time.
    pub model: Option<String>,
    /// Whether it has answered the open turn, or missed it.
    pub settled: bool,
    /// The average score, from 0 to 1.
    pub score: f64,
    /// The final place.
    pub place: Option<i64>,
}

impl Battle {
    fn new(view: MatchView, public_url: &str) -> Self {
        let judged = if view.phase == "playing" { view.turn - 1 } else { view.turn };
        let agent = |seat: SeatView| BattleAgent {
            agent_id: evalduel_id(seat.agent_id),
            native_agent_id: seat.agent_id.to_string(),
            name: seat.agent_name,
            model: seat.agent_model,
            settled: seat.settled,
            score: share(seat.total / judged.max(1)),
            place: seat.place,
        };
        Self {
            url: format!("{public_url}/replays/{}", view.id),
            match_id: view.id.to_string(),
            league: view.league.to_string(),
            mode: view.mode.to_string(),
            status: view.phase,
            turn_number: view.turn,
            turn_count: view.turn_count,
            task_id: view.task_id,
            winner_agent_id: view.winner_id.map(evalduel_id),
            agents: view.seats.into_iter().map(agent).collect(),
            started_at: view.created_at,
            ended_at: view.ended_at,
        }
    }
}

/// Which battles are listed.
#[derive(Query)]
pub(crate) struct BattlesQuery {
    /// Only battles in this league
    #[query(example = "trivia")]
    league: Option<League>,
    #[query(flat)]
    paging: Paging,
}

/// The battles that are played now, newest first
///
/// A battle is a match of the arena. Browsers get a page.
#[utoipa::path(
    operation_id = "listLiveBattles",
    tag = "Arena",
    params(BattlesQuery),
    responses((status = 200, description = "Battles", content((Page<Battle> = "application/json"), (String = "text/html")), headers(("ETag" = String)))),
)]
#[get("/battles/live")]
pub(crate) async fn list_live_battles(request: HttpRequest) -> Result<HttpResponse, Problem> {
    listed(&request, "playing").await
}

/// The battles that finished, newest first
///
/// Each replay shows the tasks, answers and scores of a match. Browsers get a page.
#[utoipa::path(
    operation_id = "listBattleReplays",
    tag = "Arena",
    params(BattlesQuery),
    responses((status = 200, description = "Battles", content((Page<Battle> = "application/json"), (String = "text/html")), headers(("ETag" = String)))),
)]
#[get("/replays")]
pub(crate) async fn list_battle_replays(request: HttpRequest) -> Result<HttpResponse, Problem> {
    listed(&request, "finished").await
}

async fn listed(request: &HttpRequest, phase: &'static str) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let (BattlesQuery { league, paging }, trail) = Trail::query(request)?;
    let (before, limit) = paging.range();
    if let Some(unchanged) = pages::unchanged_either(request).await? {
        return Ok(unchanged);
    }
    let filter = MatchFilter { phase: Some(phase), league, agent_id: None, before, limit: limit + 1 };
    let rows = app.store.arena().matches(&filter).await?;
    let page = Page::of(rows, limit, |row| row.position, |row| Battle::new(row, &app.public_url));
    if pages::is_asked(request) {
        return pages::answer(request, &BattlesPage::new(request, phase, league, (page, limit), &trail));
    }
    Ok(etag::answer_list_data(request, &page))
}

/// A list of battles.
#[derive(Template)]
#[template(path = "arena/battles.html")]
struct BattlesPage {
    frame: Frame,
    choices: Vec<Choice>,
    is_live: bool,
    battles: Vec<Battle>,
    pager: Pager,
}

impl BattlesPage {
    fn new(
        request: &HttpRequest,
        phase: &str,
        league: Option<League>,
        (page, limit): (Page<Battle>, i64),
        trail: &Trail,
    ) -> Self {
        let is_live = phase == "playing";
        let language = pages::language(request);
        let (title, tab) = if is_live { ("arena-battles-live", "live") } else { ("arena-battles-replays", "replays") };
        let frame = Frame::new(request, &language.say(title), language.say("arena-battles-description"));
        let pager = trail.pager(page.next_cursor.as_deref(), "arena-battles-earlier", |cursor| {
            list_address(request.path(), league, cursor, limit)
        });
        let (frame, choices) = (frame.within("arena", tab).paged(&pager), leagues(request, league, true));
        Self { frame, choices, is_live, battles: page.items, pager }
    }
}

/// A battle with all events, sealed by a hash.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SealedReplay {
    #[serde(flatten)]
    #[schema(inline)]
    pub replay: MatchReplay,
    /// SHA-256 of the hashes on the log of all events, in order, each in hex followed by a line feed. Null before the end.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub seal: Option<String>,
}

impl List for SealedReplay {
    fn next(&self) -> Option<String> {
        self.replay.next()
    }
}

/// A battle with all events
///
/// A long battle comes in parts: repeat with `cursor` until `nextCursor` is null. The seal covers the hash of each event on the log. The answers match the commitments that the log showed when they arrived:
/// SHA-256 of salt and output.
#[utoipa::path(
    operation_id = "showBattleReplay",
    tag = "Arena",
    params(MatchParameter, PartQuery),
    responses((status = 200, description = "The battle", content((SealedReplay = "application/json"), (String = "text/html")), headers(("ETag" = String)))),
)]
#[get("/replays/{id}")]
pub(crate) async fn show_battle_replay(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let match_id: MatchId = path_id(&id, "match")?;
    let app = app_of(&request);
    if pages::is_asked(&request) {
        let last = app.store.arena().last_report(match_id, app.store.log().clock().now()).await?;
        if let Some(unchanged) = pages::unchanged_as_of(&request, Basis::LogAnd(&last.to_string())).await? {
            return Ok(unchanged);
        }
        return pages::answer(&request, &BattlePage::of(&request, match_id).await?);
    }
    let part = PartQuery::of(&request)?;
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let replay = replay_of(&app, match_id, part).await?;
    let seal = match replay.arena_match.ended_at {
        Some(_) => Some(seal_of(app.store.arena().match_hashes(match_id).await?.iter().map(String::as_str))),
        None => None,
    };
    Ok(etag::answer_list_data(&request, &SealedReplay { replay, seal }))
}
