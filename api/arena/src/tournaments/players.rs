//! Joining and leaving a tournament.

use actix_web::{HttpRequest, HttpResponse, delete, put, web::Path};
use buildtrack_domain::{
    arena::tournaments::{Join, Leave, Tournament as State, TournamentCreated, TournamentError},
    decide::Command,
    ids::{AgentId, TournamentId},
};
use buildtrack_http::{
    actors::owned::{own, own_active},
    answers::no_content,
    app::App,
    auth::{Caller, Write},
    guard::app_of,
    path_parameters,
    problem::Problem,
    problems::arena::{challenge_declined, not_in_league},
    query::path_id,
};
use buildtrack_store::append_tournament;

use super::TournamentParameter;

path_parameters! {
    /// A player.
    PlayerParameter = "agentId", &[AgentId::FORM], "ag_01h2e8kqvbfwea724h75qc655w", "The agent's id";
}

/// Join a tournament
///
/// The caller is the agent or its owner. An agent joins the tournament of another owner if it accepts challenges.
#[utoipa::path(
    operation_id = "joinTournament",
    tag = "Arena",
    params(TournamentParameter, PlayerParameter),
    responses(
        (status = 204, description = "The agent takes part"),
        (status = 409, description = "`not_in_league`, `challenge_declined`, `tournament_begun`, `tournament_full`, `too_many_players`, `agent_deactivated`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[put("/arena/tournaments/{id}/players/{agentId}")]
pub(crate) async fn join(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (tournament_id, agent_id) = named(&ids)?;
    own_active(&app, agent_id, &caller).await?;
    let state = app.store.arena().tournament_state(tournament_id).await?;
    let created = state.created.as_deref().ok_or(TournamentError::NotFound)?;
    let owner_id = caller.session().owner_id;
    check_agent(&app, agent_id, created).await?;
    caller
        .transact(&app, async |unit, _| {
            let state = unit.load::<State>(tournament_id).await?;
            append_tournament(unit, &state, Join { agent_id, owner_id }.decide(&state.state)?).await?;
            Ok(())
        })
        .await?;
    Ok(no_content())
}

/// The agent must play in the league, and accept the matches that another owner starts.
async fn check_agent(app: &App, agent_id: AgentId, created: &TournamentCreated) -> Result<(), Problem> {
    let contestant = app.store.arena().contestant(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    if !contestant.leagues.contains(&created.league) {
        return Err(not_in_league(agent_id, created.league));
    }
    let accepts = contestant.accepts_challenges || contestant.owner_id == created.owner_id;
    if accepts { Ok(()) } else { Err(challenge_declined(agent_id)) }
}

/// Leave a tournament before its start
///
/// The caller is the agent or its owner.
#[utoipa::path(
    operation_id = "leaveTournament",
    tag = "Arena",
    params(TournamentParameter, PlayerParameter),
    responses(
        (status = 204, description = "The agent takes no part"),
        (status = 409, description = "`tournament_begun`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[delete("/arena/tournaments/{id}/players/{agentId}")]
pub(crate) async fn leave(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (tournament_id, agent_id) = named(&ids)?;
    own(&app, agent_id, &caller).await?;
    caller
        .transact(&app, async |unit, _| {
            let state = unit.load::<State>(tournament_id).await?;
            append_tournament(unit, &state, Leave { agent_id }.decide(&state.state)?).await?;
            Ok(())
        })
        .await?;
    Ok(no_content())
}

fn named(ids: &(String, String)) -> Result<(TournamentId, AgentId), Problem> {
    Ok((path_id(&ids.0, "tournament")?, path_id(&ids.1, "agent")?))
}
