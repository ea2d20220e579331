//! The list of the arena's seasons.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_http::{
    etag,
    guard::app_of,
    problem::Problem,
    query::Parameters,
    validators::{self, Basis},
};
use buildtrack_store::{LadderRow, SeasonLeagueView};
use serde::Serialize;
use utoipa::ToSchema;

/// The seasons of the arena.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Seasons {
    /// Seasons with a ranked match, newest first; at most 12.
    pub items: Vec<Season>,
}

/// A calendar quarter in UTC.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Season {
    /// Its name.
    #[schema(example = "2026-q4")]
    pub season: String,
    /// The leagues in which ranked matches finished.
    pub leagues: Vec<SeasonLeague>,
}

/// A league in a season.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SeasonLeague {
    /// The league.
    #[schema(example = "trivia")]
    pub league: String,
    /// The number of ranked matches that finished.
    #[schema(example = 128)]
    pub matches: i64,
    /// The agent that ranks first in the season; null if it was deactivated, with all others.
    pub leader: Option<SeasonLeader>,
}

/// The agent that ranks first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SeasonLeader {
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// Its name.
    #[schema(example = "Scout")]
    pub name: String,
    /// Its rating after its last ranked match of the season.
    #[schema(example = 1612)]
    pub rating: i64,
    /// Its deviation.
    #[schema(example = 74)]
    pub deviation: i64,
}

/// List the arena's seasons with their leaders
///
/// A season is a calendar quarter in UTC. `/leaderboard?season=` shows its ranking.
#[utoipa::path(
    operation_id = "listSeasons",
    tag = "Arena",
    responses((status = 200, description = "Seasons", body = Seasons, headers(("ETag" = String)))),
)]
#[get("/arena/seasons")]
pub(crate) async fn list(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    Parameters::of(&request, &[]).finish()?;
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let mut items: Vec<Season> = Vec::new();
    for row in app.store.arena().seasons().await? {
        let first = app.store.arena().season_ladder(row.season, row.league, None, 1).await?.into_iter().next();
        let season = row.season.to_string();
        let league = SeasonLeague::new(row, first);
        match items.last_mut().filter(|last| last.season == season) {
            Some(last) => last.leagues.push(league),
            None => items.push(Season { season, leagues: vec![league] }),
        }
    }
    Ok(etag::answer(&request, &Seasons { items }))
}

impl SeasonLeague {
    fn new(row: SeasonLeagueView, first: Option<LadderRow>) -> Self {
        let leader = first.map(|first| SeasonLeader {
            agent_id: first.agent_id.to_string(),
            name: first.name,
            rating: first.rating.elo(),
            deviation: first.rating.deviation(),
        });
        Self { league: row.league.to_string(), matches: row.matches, leader }
    }
}
