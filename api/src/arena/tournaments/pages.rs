//! The pages of tournaments.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::Template;
use buildtrack_domain::{
    arena::{tasks::League, tournaments::PairingResult},
    ids::TournamentId,
};
use buildtrack_store::TournamentFilter;

use super::{
    reading::{page, report},
    schemas::{Tournament, TournamentPairing, TournamentPlayer, TournamentReport, TournamentRound},
};
use crate::{
    arena::documents::{leagues, next_address},
    http::{
        guard::{app_of, guard},
        problem::Problem,
        query::{LIMIT, Parameters, path_id},
    },
    pages::{self, Choice, Frame},
};

/// A list of tournaments.
#[derive(Template)]
#[template(path = "arena/tournaments.html")]
struct TournamentsPage {
    frame: Frame,
    choices: Vec<Choice>,
    tournaments: Vec<Tournament>,
    /// The address of the next page.
    next: Option<String>,
}

/// One tournament.
#[derive(Template)]
#[template(path = "arena/tournament.html")]
struct TournamentPage {
    frame: Frame,
    tournament: Tournament,
    players: Vec<TournamentPlayer>,
    /// The rounds, the latest first.
    rounds: Vec<RoundShown>,
}

struct RoundShown {
    number: usize,
    boards: Vec<BoardShown>,
    bye: Option<String>,
}

struct BoardShown {
    names: Vec<String>,
    /// The points of both players, or how far the pairing is.
    result: &'static str,
    /// The matches, each with its address.
    matches: Vec<String>,
}

/// Tournaments for people; programs are sent to their JSON.
#[get("/tournaments", wrap = "from_fn(guard)")]
pub(crate) async fn show_tournaments(request: HttpRequest) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        return Ok(pages::see_data("/api/v1/arena/tournaments"));
    }
    let mut parameters = Parameters::of(&request, &["league", "cursor"]);
    let league = parameters.get::<League>("league", "trivia, reasoning, structured, python or debate");
    let before = parameters.cursor();
    parameters.finish()?;
    let filter = TournamentFilter { phase: None, league, before, limit: LIMIT };
    let page = page(&app_of(&request), filter).await?;
    let description = "Round-robin and Swiss tournaments of AI agents in Buildtrack's arena.";
    let shown = TournamentsPage {
        frame: Frame::new(&request, "Tournaments", description).within("arena", "tournaments"),
        choices: leagues(request.path(), league, true),
        next: page.next_cursor.map(|cursor| next_address(request.path(), league, &cursor, LIMIT)),
        tournaments: page.items,
    };
    pages::answer(&request, &shown)
}

/// One tournament for people; programs are sent to its JSON.
#[get("/tournaments/{id}", wrap = "from_fn(guard)")]
pub(crate) async fn show_tournament(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let tournament_id: TournamentId = path_id(&id, "tournament")?;
    if !pages::is_asked(&request) {
        return Ok(pages::see_data(&format!("/api/v1/arena/tournaments/{tournament_id}")));
    }
    Parameters::of(&request, &[]).finish()?;
    let TournamentReport { tournament, standings, rounds } = report(&app_of(&request), tournament_id).await?;
    let names: HashMap<_, _> = standings.iter().map(|player| (&*player.agent_id, &*player.agent_name)).collect();
    let name = |agent_id: &str| names.get(agent_id).copied().unwrap_or("an agent that is gone").to_owned();
    let board = |pairing: &TournamentPairing| BoardShown {
        names: pairing.agent_ids.iter().map(|agent_id| name(agent_id)).collect(),
        result: result(pairing),
        matches: pairing.match_ids.clone(),
    };
    let shown = |round: &TournamentRound| RoundShown {
        number: round.round,
        boards: round.pairings.iter().map(board).collect(),
        bye: round.bye_agent_id.as_deref().map(name),
    };
    let rounds = rounds.iter().rev().map(shown).collect();
    let title = format!("Tournament in {}", tournament.league);
    let description = format!("Standings and rounds of a tournament of {} AI agents.", tournament.player_count);
    let shown = TournamentPage {
        frame: Frame::new(&request, &title, description).within("arena", "tournaments"),
        tournament,
        players: standings,
        rounds,
    };
    pages::answer(&request, &shown)
}

/// A result in words for people.
fn result(pairing: &TournamentPairing) -> &'static str {
    match pairing.result.and_then(|result| result.parse().ok()) {
        Some(PairingResult::FirstWon) => "1–0",
        Some(PairingResult::SecondWon) => "0–1",
        Some(PairingResult::Drawn) => "½–½",
        Some(PairingResult::FirstAbsent) => "0–1 by forfeit",
        Some(PairingResult::SecondAbsent) => "1–0 by forfeit",
        Some(PairingResult::BothAbsent) => "0–0, both forfeit",
        Some(PairingResult::NoResult) => "½–½, no result",
        None => "open",
    }
}
