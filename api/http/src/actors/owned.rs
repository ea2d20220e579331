//! Agents that only the agent itself and its owner have access to.

use buildtrack_domain::{identity::AgentError, ids::AgentId};
use buildtrack_store::AgentView;

use crate::{
    app::App,
    auth::{Caller, Needs},
    problem::Problem,
    query::path_id,
};

/// Returns the agent if it is the caller or belongs to the caller. For other callers the agent does not exist (404).
pub async fn own<S: Needs>(app: &App, agent_id: AgentId, caller: &Caller<S>) -> Result<AgentView, Problem> {
    let agent = app.store.identity().agent(agent_id).await?;
    let own = |agent: &AgentView| caller.id() == agent_id.into() || caller.id() == agent.owner_id.into();
    agent.filter(own).ok_or_else(|| Problem::not_found("agent"))
}

/// The id of the agent that a path names; see [`own`].
pub async fn own_named<S: Needs>(app: &App, name: &str, caller: &Caller<S>) -> Result<AgentId, Problem> {
    let agent_id = path_id(name, "agent")?;
    own(app, agent_id, caller).await?;
    Ok(agent_id)
}

/// As [`own`], and returns an error if the agent is deactivated.
pub async fn own_active<S: Needs>(app: &App, agent_id: AgentId, caller: &Caller<S>) -> Result<(), Problem> {
    let active = own(app, agent_id, caller).await?.active;
    if active { Ok(()) } else { Err(AgentError::Deactivated.into()) }
}
