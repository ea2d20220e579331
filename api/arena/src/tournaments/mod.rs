//! Tournaments: create, join, leave, start, cancel, list, show; and their pages.

pub(crate) mod pages;
pub(crate) mod players;
pub(crate) mod reading;
mod schemas;

use actix_web::{HttpRequest, HttpResponse, post, web::Path};
use buildtrack_domain::{
    arena::tournaments::{
        Cancel, Create, Start, TakeSlot, Tournament as State, TournamentCreated, TournamentEvent, TournamentSlots,
    },
    decide::Command,
    ids::TournamentId,
};
use buildtrack_http::{
    answers::{created, nothing, position_and_time},
    app::App,
    auth::{Caller, Write},
    body::{Act, Submission},
    guard::app_of,
    path_parameters,
    problem::Problem,
    problems::arena::league_closed,
    query::path_id,
};
use buildtrack_store::{Recorded, TournamentView, append_tournament};

use self::schemas::{Tournament, TournamentRequest};

path_parameters! {
    /// A tournament.
    TournamentParameter = "id", &[TournamentId::FORM], "tn_01h2e8kqvbfwea724h75qc655w", "The tournament's id";
}

/// Create a tournament that agents may join
///
/// Its unrated matches count among the seats of the caller's owner.
#[utoipa::path(
    operation_id = "createTournament",
    tag = "Arena",
    request_body = TournamentRequest,
    responses(
        (status = 201, description = "The tournament", body = Tournament, headers(("Location" = String))),
        (status = 409, description = "`league_closed`, `too_many_tournaments`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/arena/tournaments")]
pub(crate) async fn create(
    request: HttpRequest,
    caller: Caller<Write>,
    submission: Submission<TournamentRequest>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let owner_id = caller.session().owner_id;
    if !app.store.arena().open_leagues().await?.contains(&body.league()) {
        return Err(league_closed());
    }
    let tournament_id = TournamentId::new(app.store.log().clock().uuid());
    let new = body.created((tournament_id, owner_id));
    let events = Create(new.clone()).decide(())?;
    let done = caller
        .transact(&app, async |unit, _| {
            let stream = TournamentSlots::stream(owner_id);
            let slots = unit.load::<TournamentSlots>(&stream).await?;
            let taken = TakeSlot { tournament_id, owner_id }.decide(&slots.state)?;
            unit.begin(tournament_id, events.clone());
            unit.append(&stream, &slots, taken);
            let (new, path) = (new.clone(), format!("/api/v1/arena/tournaments/{tournament_id}"));
            unit.answer(key.ticket(), move |recorded| {
                created(path.clone(), &Tournament::new(&view_of(&new, recorded)))
            });
            Ok(())
        })
        .await?;
    key.answered(done)
}

/// A tournament that was just written.
fn view_of(new: &TournamentCreated, recorded: &[Recorded]) -> TournamentView {
    let (position, created_at) = position_and_time(recorded);
    TournamentView {
        id: new.tournament_id,
        position,
        owner_id: new.owner_id,
        league: new.league,
        system: new.system,
        phase: State::default().phase(),
        players: 0,
        players_max: new.players_max.into(),
        round: 0,
        rounds: new.rounds.map(Into::into),
        winner_id: None,
        reason: None,
        created_at,
        started_at: None,
        ended_at: None,
    }
}

/// Start a tournament
///
/// Its owner alone may start it. The first round begins with the players of that moment.
#[utoipa::path(
    operation_id = "startTournament",
    tag = "Arena",
    params(TournamentParameter),
    responses(
        (status = 204, description = "The tournament is running"),
        (status = 403, description = "`not_tournament_owner`"),
        (status = 409, description = "`tournament_begun`, `too_few_players`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/arena/tournaments/{id}/start")]
pub(crate) async fn start(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    act: Act,
) -> Result<HttpResponse, Problem> {
    let owner_id = caller.session().owner_id;
    change(&request, &id, (&caller, act), async |app, tournament| {
        let created = tournament.created.as_ref().ok_or_else(|| Problem::not_found("tournament"))?;
        let ratings = app.store.arena().tournament_ratings(created.tournament_id, created.league).await?;
        Ok(Start { owner_id, ratings }.decide(tournament)?)
    })
    .await
}

/// Cancel a tournament
///
/// Its owner alone may cancel it. Matches under way are played to their end.
#[utoipa::path(
    operation_id = "cancelTournament",
    tag = "Arena",
    params(TournamentParameter),
    responses(
        (status = 204, description = "The tournament is cancelled"),
        (status = 403, description = "`not_tournament_owner`"),
        (status = 409, description = "`tournament_over`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/arena/tournaments/{id}/cancel")]
pub(crate) async fn cancel(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    act: Act,
) -> Result<HttpResponse, Problem> {
    let owner_id = caller.session().owner_id;
    change(&request, &id, (&caller, act), async |_, tournament| Ok(Cancel { owner_id }.decide(tournament)?)).await
}

/// Appends what is decided on the tournament that a path names, and answers without a body.
async fn change(
    request: &HttpRequest,
    name: &str,
    (caller, Act(key)): (&Caller<Write>, Act),
    decide: impl AsyncFn(&App, &State) -> Result<Vec<TournamentEvent>, Problem>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let tournament_id: TournamentId = path_id(name, "tournament")?;
    let done = caller
        .transact(&app, async |unit, _| {
            let tournament = unit.load::<State>(tournament_id).await?;
            let events = decide(&app, &tournament.state).await?;
            append_tournament(unit, &tournament, events).await?;
            unit.answer(key.ticket(), move |_| nothing());
            Ok(())
        })
        .await?;
    key.answered(done)
}
