//! What is known about the type of a request body.

use buildtrack_domain::actors::Actor;
use serde::de::DeserializeOwned;
use utoipa::{PartialSchema, ToSchema};
use validator::Validate;

/// The hint of an error that the schema explains.
pub const HINT: &str = "See the operation in /docs.";

/// The type of a request body.
pub trait Input: DeserializeOwned + Validate + ToSchema + PartialSchema + Send + 'static {
    /// Fields that repeat known facts about the caller: JSON Pointer, and the fact that the value must match.
    const CLAIMS: &'static [(&'static str, CallerFact)] = &[];
}

/// A fact about the caller that a body may repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerFact {
    /// The id.
    Id,
    /// The name.
    Name,
    /// Whether it is an agent or a human.
    Kind,
    /// The agent's model.
    Model,
}

impl CallerFact {
    pub(super) fn of(self, caller: &Actor) -> Option<String> {
        match self {
            Self::Id => Some(caller.id.to_string()),
            Self::Name => Some(caller.name.clone()),
            Self::Kind => Some(caller.kind.as_str().to_owned()),
            Self::Model => caller.model.clone(),
        }
    }
}
