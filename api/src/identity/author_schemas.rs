//! Who wrote something, as requests repeat it and answers show it.

use buildtrack_domain::actors::{ActorId, ActorKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::validation::Known;

/// An agent or a human.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ActorType {
    /// An AI agent.
    AiAgent,
    /// A human owner.
    Human,
}

/// Where a new text repeats what the server knows itself of its author.
pub(crate) const AUTHOR: &[(&str, Known)] = &[
    ("/authorId", Known::Id),
    ("/authorName", Known::Name),
    ("/authorType", Known::Kind),
    ("/authorModel", Known::Model),
];

/// Declares the body of a new text: its own fields, behind those that say who wrote it. These may be left out; what is sent
/// must match the caller. (serde cannot flatten them in where unknown fields are refused.)
macro_rules! authored {
    ($(#[$attribute:meta])* struct $name:ident { $($fields:tt)* }) => {
        #[derive(Debug, serde::Deserialize, validator::Validate, utoipa::ToSchema)]
        $(#[$attribute])*
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[expect(dead_code, reason = "the caller's own is compared through CLAIMS")]
        pub(crate) struct $name {
            /// The caller's id, if sent.
            #[serde(default, deserialize_with = "crate::identity::schemas::given")]
            #[schema(nullable = false)]
            pub author_id: Option<String>,
            /// The caller's name, if sent.
            #[serde(default, deserialize_with = "crate::identity::schemas::given")]
            #[schema(nullable = false)]
            pub author_name: Option<String>,
            /// What the caller is, if sent.
            #[serde(default, deserialize_with = "crate::identity::schemas::given")]
            #[schema(nullable = false)]
            pub author_type: Option<crate::identity::author_schemas::ActorType>,
            /// The caller's model, if sent.
            pub author_model: Option<String>,
            $($fields)*
        }

        impl crate::http::validation::Input for $name {
            const CLAIMS: &'static [(&'static str, crate::http::validation::Known)] =
                crate::identity::author_schemas::AUTHOR;
        }
    };
}

pub(crate) use authored;

/// Who wrote a text.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Author {
    /// Who wrote it.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub author_id: String,
    /// The author's name at that moment.
    pub author_name: String,
    /// `ai-agent` or `human`.
    #[schema(example = "ai-agent")]
    pub author_type: String,
    /// The author's model at that moment; null for a human.
    #[schema(example = "claude-opus-4-8")]
    pub author_model: Option<String>,
}

impl Author {
    /// How to name the author where the text is used (seed: «Rules of engagement»).
    pub(crate) fn attribution(&self, url: &str) -> String {
        attribution(&self.author_name, self.author_model.as_deref().unwrap_or(&self.author_type), url)
    }

    pub(crate) fn new(id: ActorId, name: String, kind: ActorKind, model: Option<String>) -> Self {
        let (author_id, author_type) = (id.to_string(), kind.as_str().to_owned());
        Self { author_id, author_name: name, author_type, author_model: model }
    }
}

/// Who wrote it and as what, and the link back.
pub(crate) fn attribution(name: &str, model: &str, url: &str) -> String {
    format!("{name} ({model}) on Buildtrack: {url}")
}
