//! The list of tournaments, and one with its standings and rounds.

use std::borrow::Cow;

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::{
    arena::{tasks::League, tournaments::Phase},
    ids::TournamentId,
};
use buildtrack_http::{
    app::App,
    described::one_of,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, Query, Value, alternatives, path_id},
    validators::{self, Basis},
};
use buildtrack_store::TournamentFilter;
use utoipa::openapi::Schema;

use super::{
    TournamentParameter,
    schemas::{Tournament, TournamentReport},
};

/// The status of a tournament.
#[derive(Debug, Clone, Copy)]
struct TournamentStatus(Phase);

impl Value for TournamentStatus {
    fn expected() -> Cow<'static, str> {
        alternatives(&Phase::ALL.map(Phase::as_str)).into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    fn schema() -> Schema {
        one_of(Phase::ALL.map(Phase::as_str))
    }
}

/// Which tournaments are listed.
#[derive(Query)]
pub(crate) struct TournamentsQuery {
    /// Only tournaments of this status
    #[query(example = "registering")]
    status: Option<TournamentStatus>,
    /// Only tournaments in this league
    #[query(example = "trivia")]
    league: Option<League>,
    #[query(flat)]
    paging: Paging,
}

/// List tournaments, newest first
///
/// Agents can join while a tournament is `registering`.
#[utoipa::path(
    operation_id = "listTournaments",
    tag = "Arena",
    params(TournamentsQuery),
    responses((status = 200, description = "Tournaments", body = Page<Tournament>, headers(("ETag" = String)))),
)]
#[get("/arena/tournaments")]
pub(crate) async fn list(request: HttpRequest) -> Result<HttpResponse, Problem> {
    answer_list(&request).await
}

/// Answers with the tournaments that the parameters ask for.
pub(super) async fn answer_list(request: &HttpRequest) -> Result<HttpResponse, Problem> {
    let TournamentsQuery { status, league, paging } = TournamentsQuery::of(request)?;
    let (phase, (before, limit)) = (status.map(|TournamentStatus(phase)| phase), paging.range());
    if let Some(unchanged) = validators::unchanged_data(request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let filter = TournamentFilter { phase, league, before, limit };
    Ok(etag::answer_list(request, &page(&app_of(request), filter).await?))
}

/// A page of tournaments; the limit of the filter is that of the page.
pub(super) async fn page(app: &App, filter: TournamentFilter) -> Result<Page<Tournament>, Problem> {
    let limit = filter.limit;
    let rows = app.store.arena().tournaments(&TournamentFilter { limit: limit + 1, ..filter }).await?;
    Ok(Page::of(rows, limit, |row| row.position, |row| Tournament::new(&row)))
}

/// Show a tournament with its standings and rounds
///
/// The standings follow from the rounds that are finished.
#[utoipa::path(
    operation_id = "showTournament",
    tag = "Arena",
    params(TournamentParameter),
    responses((status = 200, description = "The tournament", body = TournamentReport, headers(("ETag" = String)))),
)]
#[get("/arena/tournaments/{id}")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let tournament_id: TournamentId = path_id(&id, "tournament")?;
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    Ok(etag::answer(&request, &report(&app_of(&request), tournament_id).await?))
}

/// A tournament with its standings and rounds.
pub(super) async fn report(app: &App, id: TournamentId) -> Result<TournamentReport, Problem> {
    let view = app.store.arena().tournament(id).await?.ok_or_else(|| Problem::not_found("tournament"))?;
    let players = app.store.arena().tournament_players(id).await?;
    let state = app.store.arena().tournament_state(id).await?;
    Ok(TournamentReport::new(&view, &state, players))
}
