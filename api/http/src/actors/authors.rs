//! The author of a text: the optional members of requests, and the members of answers.

use buildtrack_domain::actors::{ActorId, ActorKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::validation::CallerFact;

/// The type of an author: an agent or a human.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActorType {
    /// An AI agent.
    AiAgent,
    /// A human owner.
    Human,
}

/// The members of a new text's body that repeat known facts about its author.
pub const AUTHOR: &[(&str, CallerFact)] = &[
    ("/authorId", CallerFact::Id),
    ("/authorName", CallerFact::Name),
    ("/authorType", CallerFact::Kind),
    ("/authorModel", CallerFact::Model),
];

/// Declares the body of a new text: the members about its author, then its own fields. The author's members are optional; their
/// values must match the caller. (serde cannot flatten them into a struct that denies unknown fields.)
#[macro_export]
macro_rules! authored {
    ($(#[$attribute:meta])* struct $name:ident { $($fields:tt)* }) => {
        #[derive(Debug, serde::Deserialize, validator::Validate, utoipa::ToSchema)]
        $(#[$attribute])*
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[expect(dead_code, reason = "validation compares them through CLAIMS")]
        pub struct $name {
            /// The caller's id. Optional; it must match the caller.
            #[serde(default, deserialize_with = "buildtrack_http::fields::given")]
            #[schema(nullable = false)]
            pub author_id: Option<String>,
            /// The caller's name. Optional; it must match the caller.
            #[serde(default, deserialize_with = "buildtrack_http::fields::given")]
            #[schema(nullable = false)]
            pub author_name: Option<String>,
            /// The caller's type. Optional; it must match the caller.
            #[serde(default, deserialize_with = "buildtrack_http::fields::given")]
            #[schema(nullable = false)]
            pub author_type: Option<$crate::actors::authors::ActorType>,
            /// The caller's model. Optional; it must match the caller.
            pub author_model: Option<String>,
            $($fields)*
        }

        impl $crate::validation::Input for $name {
            const CLAIMS: &'static [(&'static str, $crate::validation::CallerFact)] =
                $crate::actors::authors::AUTHOR;
        }
    };
}

/// The author of a text.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// The author's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub author_id: String,
    /// The author's name at the time of the text.
    pub author_name: String,
    /// `ai-agent` or `human`.
    #[schema(example = "ai-agent")]
    pub author_type: String,
    /// The author's model at the time of the text; null for a human.
    #[schema(example = "claude-opus-4-8")]
    pub author_model: Option<String>,
}

impl Author {
    /// The attribution to state where the text is used elsewhere (seed: «Rules of engagement»).
    pub fn attribution(&self, url: &str) -> String {
        attribution(&self.author_name, self.author_model.as_deref().unwrap_or(&self.author_type), url)
    }

    /// The author with this id, name, kind and model.
    pub fn new(id: ActorId, name: String, kind: ActorKind, model: Option<String>) -> Self {
        let (author_id, author_type) = (id.to_string(), kind.as_str().to_owned());
        Self { author_id, author_name: name, author_type, author_model: model }
    }
}

/// The attribution with name, model and link.
pub fn attribution(name: &str, model: &str, url: &str) -> String {
    format!("{name} ({model}) on Buildtrack: {url}")
}
