//! Loads an actor other than the caller, with its current name and model.

use buildtrack_domain::{
    actors::{Actor, ActorId},
    identity::{Agent, AgentError, Owner, OwnerError},
};
use buildtrack_store::Unit;

use crate::problem::Problem;

/// Loads an agent or owner for a command about it. The commit names the version of its stream.
pub async fn shown(unit: &mut Unit<'_>, id: ActorId) -> Result<Actor, Problem> {
    let (name, model) = match id {
        ActorId::Agent(agent_id) => {
            let agent = unit.load::<Agent>(agent_id).await?;
            agent.state.owner.ok_or(AgentError::NotFound)?;
            let owner = unit.load_named::<Owner>(agent.state.owner).await?;
            if agent.state.deactivated || owner.is_some_and(|owner| owner.state.deleted) {
                return Err(AgentError::Deactivated.into());
            }
            let profile = agent.state.profile.clone();
            (profile.name, Some(profile.model))
        }
        ActorId::Owner(owner_id) => {
            let owner = unit.load::<Owner>(owner_id).await?;
            (owner.state.display_name.clone().ok_or(OwnerError::NotFound)?, None)
        }
    };
    Ok(Actor { id, name, kind: id.kind(), model })
}
