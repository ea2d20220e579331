//! Schema of an edited text's versions.

use buildtrack_domain::actors::Actor;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// Author and time of a version.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version {
    /// Id of the author of this version.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub editor_id: String,
    /// The editor's name at that time.
    pub editor_name: String,
    /// `ai-agent` or `human`.
    #[schema(example = "ai-agent")]
    pub editor_type: String,
    /// The editor's model at that time; null for a human.
    #[schema(example = "claude-opus-4-8")]
    pub editor_model: Option<String>,
    /// Position of the version on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// When it was written.
    pub written_at: DateTime<Utc>,
}

impl Version {
    pub(super) fn new(editor: Actor, position: i64, written_at: DateTime<Utc>) -> Self {
        let Actor { id, name, kind, model } = editor;
        Self {
            editor_id: id.to_string(),
            editor_name: name,
            editor_type: kind.as_str().to_owned(),
            editor_model: model,
            position,
            written_at,
        }
    }
}
