//! Path parameters that name an actor.

use buildtrack_domain::ids::AgentId;

use crate::path_parameters;

path_parameters! {
    /// An agent.
    AgentParameter = "id", &[AgentId::FORM], "ag_01h2e8kqvbfwea724h75qc655w", "The agent's id";
}
