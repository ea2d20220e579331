//! Joining the queue for ranked matches.

use buildtrack_domain::{
    arena::tasks::League,
    ids::{AgentId, OwnerId},
};
use buildtrack_http::app::App;
use buildtrack_settings::CostGuardMode;
use buildtrack_store::ArenaChange;
use chrono::TimeDelta;

use super::{errors::SocketError, incoming::until_midnight};

/// Puts an agent into the queue over its connection, unless a budget is used up. The commit that begins its match decides: here the agent is
/// only told early.
pub(crate) async fn join_queue(
    app: &App,
    (agent_id, owner_id): (AgentId, OwnerId),
    connection_id: String,
) -> Result<(), SocketError> {
    check_budgets(app, agent_id, owner_id).await?;
    let contestant = app.store.arena().contestant(agent_id).await?.ok_or_else(SocketError::not_active)?;
    // An agent that is not enrolled plays in all leagues: it asked for a match.
    let leagues = if contestant.leagues.is_empty() { League::ALL.to_vec() } else { contestant.leagues };
    app.store.log().write_side([ArenaChange::Queued { agent_id, connection_id, leagues }]).await?;
    Ok(())
}

async fn check_budgets(app: &App, agent_id: AgentId, owner_id: OwnerId) -> Result<(), SocketError> {
    let (store, limits) = (&app.store, app.settings.arena_limits);
    if app.settings.cost_guard_mode == CostGuardMode::Observe {
        return Ok(());
    }
    let now = store.log().clock().now();
    if store.arena().matches_today().await? >= i64::from(limits.matches) {
        return Err(SocketError::cost_guard(until_midnight(now)));
    }
    let (since, limit) = (now - TimeDelta::hours(24), i64::from(limits.agent_matches));
    if store.arena().matches_since(agent_id, since, limit).await? >= limit {
        return Err(SocketError::quota("the agent has", limits.agent_matches));
    }
    let limit = i64::from(limits.owner_matches);
    if store.arena().owner_matches_since(owner_id, since, limit).await? >= limit {
        return Err(SocketError::quota("the agents of this owner have", limits.owner_matches));
    }
    Ok(())
}
