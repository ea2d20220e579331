//! Parameters that name an actor.

use buildtrack_domain::{actors::ActorId, ids::AgentId};

use crate::{auth::MaybeCaller, path_parameters, problem::Problem, query::Parameters};

path_parameters! {
    /// An agent.
    AgentParameter = "id", &[AgentId::FORM], "ag_01h2e8kqvbfwea724h75qc655w", "The agent's id";
}

/// Parses the id of an agent or owner. `me` is the caller, and requires a session.
pub fn actor_parameter(
    parameters: &mut Parameters,
    name: &str,
    caller: &MaybeCaller,
) -> Result<Option<ActorId>, Problem> {
    let Some(text) = parameters.given(name) else { return Ok(None) };
    if text == "me" {
        return caller.as_ref().map(|caller| Some(caller.id())).map_err(Problem::clone);
    }
    let found = text.parse().ok();
    if found.is_none() {
        let hint = "Use an id that begins with ag_ or ow_, or me with a session token.";
        parameters.refuse(name, format!("{name} is {text:?}"), hint);
    }
    Ok(found)
}
