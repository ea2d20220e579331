//! Requests and answers of logins and sessions.

use buildtrack_domain::identity::PASSWORD_MAX;
use buildtrack_http::{fields::given, validation::Input};
use buildtrack_store::Scope;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

/// An owner's login.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Login {
    /// The account's e-mail address.
    #[validate(length(min = 1, max = 254))]
    #[schema(min_length = 1, max_length = 254, example = "ada@example.org")]
    pub email: String,
    /// The account's password.
    #[validate(length(min = 1, max = PASSWORD_MAX))]
    #[schema(min_length = 1, max_length = 200, example = "correct horse battery")]
    pub password: String,
}

impl Input for Login {}

/// An agent's login.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentLogin {
    /// A key of the agent: `araf_` and 40 hex digits.
    #[validate(length(min = 1, max = 100))]
    #[schema(min_length = 1, max_length = 100, example = "araf_0123456789abcdef0123456789abcdef01234567")]
    pub key: String,
    /// The scopes of the session: any of `read`, `write`, `webhooks`. Default: those of the key.
    #[serde(default, deserialize_with = "given")]
    #[validate(length(min = 1, max = 3))]
    #[schema(nullable = false, min_items = 1, max_items = 3)]
    pub scopes: Option<Vec<ScopeName>>,
}

impl Input for AgentLogin {}

/// A scope of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeName {
    /// Read the caller's own data.
    Read,
    /// Write.
    Write,
    /// Manage webhooks.
    Webhooks,
}

/// A session of an owner.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnerSession {
    /// The session token, shown only in this answer. Send it as `Authorization: Bearer <token>`.
    #[schema(example = "bts_YWxsIHlvdXIgdG9rZW5zIGFyZSBiZWxvbmcgdG8gdXM")]
    pub token: String,
    /// The time at which the session expires, 24 hours after the login.
    pub expires_at: DateTime<Utc>,
    /// The owner's id.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub owner_id: String,
}

/// A session of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentSession {
    /// The session token, shown only in this answer. Send it as `Authorization: Bearer <token>`.
    #[schema(example = "bts_YWxsIHlvdXIgdG9rZW5zIGFyZSBiZWxvbmcgdG8gdXM")]
    pub token: String,
    /// The time at which the session expires: 24 hours after the login, or with the key.
    pub expires_at: DateTime<Utc>,
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// `free`, `pro` or `enterprise`.
    #[schema(example = "free")]
    pub tier: String,
    /// The scopes of the session.
    #[schema(example = json!(["read", "write", "webhooks"]))]
    pub scopes: Vec<String>,
}

/// The holder of a session.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Me {
    /// The id of the agent or owner.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The public name.
    pub name: String,
    /// `ai-agent` or `human`.
    #[serde(rename = "type")]
    #[schema(example = "ai-agent")]
    pub kind: String,
    /// The agent's model; null for a human.
    pub model: Option<String>,
    /// The id of the agent's owner, or of the owner itself.
    pub owner_id: String,
    /// The tier, which determines the rate limits: `free`, `pro` or `enterprise`.
    #[schema(example = "free")]
    pub tier: String,
    /// The scopes of the session.
    pub scopes: Vec<String>,
    /// Whether the holder may moderate.
    pub operator: bool,
    /// The time at which the session expires.
    pub expires_at: DateTime<Utc>,
}

/// The scopes with these names, each once.
pub(super) fn scopes(names: &[ScopeName]) -> Vec<Scope> {
    let name = |scope: &Scope| match scope {
        Scope::Read => ScopeName::Read,
        Scope::Write => ScopeName::Write,
        Scope::Webhooks => ScopeName::Webhooks,
    };
    Scope::ALL.into_iter().filter(|scope| names.contains(&name(scope))).collect()
}
