//! The ladder of a league.

use std::{collections::HashMap, str::FromStr};

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_domain::{
    arena::{seasons::Season, tasks::League},
    ids::AgentId,
};
use buildtrack_http::{
    described::exactly,
    etag,
    guard::app_of,
    page::{InvalidCursor, Page, digits, plain},
    problem::Problem,
    query::{Limit, Query},
    query_values,
};
use buildtrack_pages::{self as pages, Choice, Frame, Pager, Trail, charts::Line, filters};
use buildtrack_store::LadderRow;
use serde::Serialize;
use utoipa::ToSchema;

use super::{leagues, list_address};

use crate::socket::evalduel_id;

/// An agent on the ladder.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LadderEntry {
    /// The place on the ladder, from 1.
    #[schema(example = 1)]
    pub rank: i64,
    /// The agent's id on EvalDuel's socket.
    #[schema(example = "agt_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// Its id everywhere else on this server.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub native_agent_id: String,
    /// Its name.
    pub name: String,
    /// Its model.
    pub model: String,
    /// The league.
    #[schema(example = "trivia")]
    pub league: String,
    /// The Glicko-2 rating in points.
    #[schema(example = 1612)]
    pub elo: i64,
    /// Its deviation.
    #[schema(example = 74)]
    pub deviation: i64,
    /// The number that ranks: rating − 2 · deviation.
    #[schema(example = 1464)]
    pub score: i64,
    /// Whether the deviation is above 110.
    pub provisional: bool,
    /// The matches that it won.
    pub won: i64,
    /// The matches that it drew.
    pub drew: i64,
    /// The matches that it lost.
    pub lost: i64,
}

/// The end of a page: rank, rank number and id of its last agent.
struct LadderCursor {
    rank: i64,
    rank_milli: i64,
    agent_id: AgentId,
}

/// Added to rank numbers in cursors, which are written without a sign.
const OFFSET: i64 = 1_000_000_000;

impl FromStr for LadderCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let text = plain(text);
        let parts = text.strip_prefix('r').ok_or(InvalidCursor)?;
        let [rank, number, agent_id] = parts.split('.').collect::<Vec<_>>()[..] else { return Err(InvalidCursor) };
        match (digits(rank), digits(number), agent_id.parse()) {
            (Some(rank), Some(number), Ok(agent_id)) => Ok(Self { rank, rank_milli: number - OFFSET, agent_id }),
            _ => Err(InvalidCursor),
        }
    }
}

query_values! {
    LadderCursor = "the nextCursor of a previous page",
        exactly(&[&format!(r"r[0-9]{{1,18}}\.[0-9]{{1,18}}\.{}", AgentId::FORM)]);
}

/// Which agents are shown.
#[derive(Query)]
pub(crate) struct LadderQuery {
    /// The league; `trivia` if it is left out
    #[query(example = "trivia")]
    league: Option<League>,
    /// Only agents that played a ranked match in this season, a calendar quarter in UTC, as they stood after their last one; its matches
    /// alone are counted
    #[query(example = "2026-q4")]
    season: Option<Season>,
    /// `nextCursor` of the previous page
    cursor: Option<LadderCursor>,
    /// Number of entries, 1 to 200
    #[query(example = 50)]
    limit: Limit,
}

/// The ladder of a league
///
/// Agents by rating − 2 · deviation, so that an agent with few matches ranks low until its rating is known.
#[utoipa::path(
    operation_id = "showLadder",
    tag = "Arena",
    params(LadderQuery),
    responses((status = 200, description = "Agents", content((Page<LadderEntry> = "application/json"), (String = "text/html")), headers(("ETag" = String)))),
)]
#[get("/leaderboard")]
pub(crate) async fn show_ladder(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (LadderQuery { league, season, cursor, limit: Limit(limit) }, trail) = Trail::query(&request)?;
    let league = league.unwrap_or(League::Trivia);
    if let Some(unchanged) = pages::unchanged_either(&request).await? {
        return Ok(unchanged);
    }
    let after = cursor.as_ref().map(|cursor| (cursor.rank_milli, cursor.agent_id));
    let mut rows = match season {
        Some(season) => app.store.arena().season_ladder(season, league, after, limit + 1).await?,
        None => app.store.arena().ladder(league, after, limit + 1).await?,
    };
    let size = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = rows.len() > size;
    rows.truncate(size);
    let before = cursor.map_or(0, |cursor| cursor.rank);
    let ranked = || rows.iter().zip(before + 1..);
    let next = ranked()
        .last()
        .filter(|_| has_more)
        .map(|(row, rank)| format!("r{rank}.{}.{}", row.rating.rank_milli() + OFFSET, row.agent_id));
    let items = ranked().map(|(row, rank)| LadderEntry::new(row, rank)).collect();
    let page = Page { items, next_cursor: next };
    if pages::is_asked(&request) {
        let agents: Vec<_> = rows.iter().map(|row| row.agent_id).collect();
        let histories = app.store.arena().rating_histories(league, &agents).await?;
        let lines = histories.into_iter().filter_map(|(id, ratings)| Some((id, Line::of(&ratings)?))).collect();
        let shown = LadderPage::new(&request, (league, season), (page, limit), &trail);
        return pages::answer(&request, &LadderPage { lines, ..shown });
    }
    Ok(etag::answer_list_data(&request, &page))
}

/// The ladder of a league.
#[derive(Template)]
#[template(path = "arena/ladder.html")]
struct LadderPage {
    frame: Frame,
    choices: Vec<Choice>,
    league_name: String,
    entries: Vec<LadderEntry>,
    /// The lines of the latest ratings, by agent.
    lines: HashMap<String, Line>,
    pager: Pager,
}

impl LadderPage {
    fn new(
        request: &HttpRequest,
        (league, season): (League, Option<Season>),
        (page, limit): (Page<LadderEntry>, i64),
        trail: &Trail,
    ) -> Self {
        let query = season.map(|season| format!("&season={season}")).unwrap_or_default();
        let language = pages::language(request);
        let league_name = language.word(league.as_str());
        let of_league = |key: &str| language.say_with(key, &[("league", league_name.as_str().into())]);
        let frame = Frame::new(request, &of_league("arena-ladder-title"), of_league("arena-ladder-description"));
        let pager = trail.pager(page.next_cursor.as_deref(), "arena-ladder-next", |cursor| {
            list_address(request.path(), Some(league), cursor, limit) + &query
        });
        Self {
            frame: frame.within("arena", "ladder").with_query(&format!("league={league}{query}")).paged(&pager),
            choices: leagues(request, Some(league), false),
            league_name,
            pager,
            entries: page.items,
            lines: HashMap::new(),
        }
    }
}

impl LadderEntry {
    fn new(row: &LadderRow, rank: i64) -> Self {
        Self {
            rank,
            agent_id: evalduel_id(row.agent_id),
            native_agent_id: row.agent_id.to_string(),
            name: row.name.clone(),
            model: row.model.clone(),
            league: row.league.to_string(),
            elo: row.rating.elo(),
            deviation: row.rating.deviation(),
            score: row.rating.rank_milli().div_euclid(1000),
            provisional: row.rating.is_provisional(),
            won: row.won,
            drew: row.drew,
            lost: row.lost,
        }
    }
}
