//! The pages of tournaments.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::Template;
use buildtrack_domain::{
    arena::{tasks::League, tournaments::PairingResult},
    ids::TournamentId,
};
use buildtrack_http::{
    etag,
    guard::{app_of, guard},
    page::Cursor,
    problem::Problem,
    query::{LIMIT, Parameters, Value, path_id},
};
use buildtrack_pages::{self as pages, Choice, Frame, Language, Pager, Trail, filters};
use buildtrack_store::TournamentFilter;

use super::{
    reading::{answer_list, page, report},
    schemas::{Tournament, TournamentPairing, TournamentPlayer, TournamentReport, TournamentRound},
};

use crate::documents::{leagues, list_address};

/// A list of tournaments.
#[derive(Template)]
#[template(path = "arena/tournaments.html")]
struct TournamentsPage {
    frame: Frame,
    choices: Vec<Choice>,
    tournaments: Vec<Tournament>,
    pager: Pager,
}

/// One tournament.
#[derive(Template)]
#[template(path = "arena/tournament.html")]
struct TournamentPage {
    frame: Frame,
    tournament: Tournament,
    /// How many players it has, and its round.
    players_text: String,
    /// Why it was cancelled.
    cancelled_by: Option<String>,
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
    result: String,
    /// The matches, each with its address.
    matches: Vec<String>,
}

/// Tournaments: their page for people, the list as JSON for programs.
#[get("/tournaments", wrap = "from_fn(guard)")]
pub(crate) async fn show_tournaments(request: HttpRequest) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        return Ok(etag::as_data(answer_list(&request).await?));
    }
    if let Some(unchanged) = pages::unchanged(&request).await? {
        return Ok(unchanged);
    }
    let (mut parameters, trail) = Trail::read(&request, &["league", "cursor"]);
    let league = League::read(&mut parameters, "league");
    let before = Cursor::read(&mut parameters, "cursor").map(|cursor| cursor.0);
    parameters.finish()?;
    let filter = TournamentFilter { phase: None, league, before, limit: LIMIT };
    let page = page(&app_of(&request), filter).await?;
    let language = pages::language(&request);
    let (title, description) = (language.say("arena-tournaments"), language.say("arena-tournaments-description"));
    let pager = trail.pager(page.next_cursor.as_deref(), "arena-tournaments-earlier", |cursor| {
        list_address(request.path(), league, cursor, LIMIT)
    });
    let shown = TournamentsPage {
        frame: Frame::new(&request, &title, description).within("arena", "tournaments").paged(&pager),
        choices: leagues(&request, league, true),
        pager,
        tournaments: page.items,
    };
    pages::answer(&request, &shown)
}

/// One tournament: its page for people, its JSON for programs.
#[get("/tournaments/{id}", wrap = "from_fn(guard)")]
pub(crate) async fn show_tournament(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let tournament_id: TournamentId = path_id(&id, "tournament")?;
    if let Some(unchanged) = pages::unchanged_either(&request).await? {
        return Ok(unchanged);
    }
    let report = report(&app_of(&request), tournament_id).await?;
    if !pages::is_asked(&request) {
        return Ok(etag::answer_data(&request, &report));
    }
    Parameters::of(&request, &[]).finish()?;
    let TournamentReport { tournament, standings, rounds } = report;
    let names: HashMap<_, _> = standings.iter().map(|player| (&*player.agent_id, &*player.agent_name)).collect();
    let language = pages::language(&request);
    let gone = || language.say("arena-tournament-gone");
    let name = |agent_id: &str| names.get(agent_id).map_or_else(gone, |name| (*name).to_owned());
    let board = |pairing: &TournamentPairing| BoardShown {
        names: pairing.agent_ids.iter().map(|agent_id| name(agent_id)).collect(),
        result: result(language, pairing),
        matches: pairing.match_ids.clone(),
    };
    let shown = |round: &TournamentRound| RoundShown {
        number: round.round,
        boards: round.pairings.iter().map(board).collect(),
        bye: round.bye_agent_id.as_deref().map(name),
    };
    let rounds = rounds.iter().rev().map(shown).collect();
    let title = language.say_with("arena-tournament-title", &[("league", language.word(&tournament.league).into())]);
    let count = [("count", tournament.player_count.into())];
    let description = language.say_with("arena-tournament-description", &count);
    let shown = TournamentPage {
        frame: Frame::new(&request, &title, description).within("arena", "tournaments"),
        players_text: players_text(language, &tournament),
        cancelled_by: tournament.cancelled_by.map(|reason| language.word(reason)),
        tournament,
        players: standings,
        rounds,
    };
    pages::answer(&request, &shown)
}

/// How many players a tournament has, and its round.
fn players_text(language: Language, tournament: &Tournament) -> String {
    let (count, most) = (tournament.player_count.into(), tournament.players_max.into());
    let Some(rounds) = tournament.round_count else {
        return language.say_with("arena-tournament-players", &[("count", count), ("most", most)]);
    };
    let round = [("round", tournament.round.into()), ("count", rounds.into())];
    let round = language.say_with("arena-tournament-round-of", &round).into();
    language.say_with("arena-tournament-players-round", &[("count", count), ("most", most), ("round", round)])
}

/// A result in words for people.
fn result(language: Language, pairing: &TournamentPairing) -> String {
    let forfeit = |points: &str| language.say_with("arena-result-forfeit", &[("points", points.into())]);
    match pairing.result.and_then(|result| result.parse().ok()) {
        Some(PairingResult::FirstWon) => "1–0".to_owned(),
        Some(PairingResult::SecondWon) => "0–1".to_owned(),
        Some(PairingResult::Drawn) => "½–½".to_owned(),
        Some(PairingResult::FirstAbsent) => forfeit("0–1"),
        Some(PairingResult::SecondAbsent) => forfeit("1–0"),
        Some(PairingResult::BothAbsent) => language.say("arena-result-both-forfeit"),
        Some(PairingResult::NoResult) => language.say("arena-result-none"),
        None => language.say("arena-result-open"),
    }
}
