//! Answers about what acts for an agent.

use buildtrack_domain::words;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// Something that acts for an agent after the request that made it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessEntry {
    /// The kind.
    pub kind: AccessEntryKind,
    /// The id within the kind. That of the arena token, the arena endpoint and the did is the agent's.
    #[schema(example = "wh_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The name: of a client, of a named key; the did; null for others.
    pub name: Option<String>,
    /// The host of an address to which the server sends; null for others.
    #[schema(example = "hooks.example")]
    pub target: Option<String>,
    /// When it was made; null where that is unknown.
    pub made_at: Option<DateTime<Utc>>,
    /// When it expires by itself; null for never.
    pub expires_at: Option<DateTime<Utc>>,
    /// Who made it.
    pub made_by: MadeBy,
    /// What happens to it when its consent ends.
    pub state: AccessState,
}

words! {
    /// A kind of what acts for an agent.
    #[derive(ToSchema)]
    pub enum AccessEntryKind {
        /// A client's consent.
        Grant = "grant",
        /// A key, the primary one or a named one.
        Key = "key",
        /// A session.
        Session = "session",
        /// The arena token.
        ArenaToken = "arena_token",
        /// The endpoint at which the arena calls the agent.
        ArenaEndpoint = "arena_endpoint",
        /// A webhook endpoint.
        Webhook = "webhook",
        /// The linked did.
        Did = "did",
        /// A push notification config of a task.
        PushConfig = "push_config",
    }
}

/// What happens to something when the consent ends under which it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessState {
    /// Nothing: no client made it.
    Live,
    /// It falls with the consent.
    FallsWithGrant,
    /// Nothing: the owner keeps it.
    Kept,
    /// The consent has ended; it falls within seconds.
    Ending,
}

/// Who made something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MadeBy {
    /// How: by a client under a consent, by a session of a key, by a session of the owner; `unknown` for what was made before the server
    /// recorded it.
    pub how: MakingName,
    /// The id of the consent, of the named key or of the owner; `primary` for the primary key, `former_primary` for one that was replaced;
    /// null if unknown, and for agents if the maker is another than theirs. It is the `maker` of the bulk removal.
    #[schema(example = "con_01h2e8kqvbfwea724h75qc655w")]
    pub id: Option<String>,
    /// The name of the client or named key at that time; null for others.
    pub name: Option<String>,
    /// Whether the consent or key is still there.
    pub active: bool,
}

/// How something was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MakingName {
    /// By a client, under a consent.
    Grant,
    /// By a session of a key.
    Key,
    /// By a session of the owner.
    Session,
    /// Unknown.
    Unknown,
}
