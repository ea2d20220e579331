//! Requests and answers about the keys of an agent.

use buildtrack_domain::identity::NAME_MAX;
use buildtrack_http::{
    fields::{given, not_blank},
    validation::Input,
};
use buildtrack_store::{KeyView, NewAgentKey};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::{session_schemas::ScopeName, sessions::names};

/// The id of every agent's primary key.
pub(crate) const PRIMARY: &str = "primary";

/// A new named key.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewNamedKey {
    /// The name, which only the owner sees.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 100, example = "Laptop")]
    pub name: String,
    /// The scopes that sessions of the key may have. Default: all of them.
    #[serde(default, deserialize_with = "given")]
    #[validate(length(min = 1, max = 3))]
    #[schema(nullable = false, min_items = 1, max_items = 3)]
    pub scopes: Option<Vec<ScopeName>>,
    /// The time at which the key and its sessions expire, within ten years. Default: never.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, example = "2030-01-01T00:00:00Z")]
    pub expires_at: Option<DateTime<Utc>>,
}

impl Input for NewNamedKey {}

/// A key of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentKey {
    /// The id of a named key, or `primary`.
    #[schema(example = "key_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The name; null for the primary key.
    pub name: Option<String>,
    /// The scopes that sessions of the key may have.
    #[schema(example = json!(["read"]))]
    pub scopes: Vec<String>,
    /// The time of its creation.
    pub created_at: Option<DateTime<Utc>>,
    /// The time at which the key and its sessions expire; null for never.
    pub expires_at: Option<DateTime<Utc>>,
    /// The time of the last login with the key, accurate to an hour; null before the first one.
    pub last_used_at: Option<DateTime<Utc>>,
    /// The key for `POST /agent-login`, only in the answer that creates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "araf_0123456789abcdef0123456789abcdef01234567")]
    pub key: Option<String>,
}

impl AgentKey {
    /// A named key that was just created, with its secret.
    pub(super) fn created(new: &NewAgentKey, key: &str) -> Self {
        Self {
            id: new.id.to_string(),
            name: Some(new.name.clone()),
            scopes: new.scopes.split(' ').map(ToOwned::to_owned).collect(),
            created_at: Some(new.created_at),
            expires_at: new.expires_at,
            last_used_at: None,
            key: Some(key.to_owned()),
        }
    }
}

impl From<KeyView> for AgentKey {
    fn from(view: KeyView) -> Self {
        let KeyView { id, name, scopes, created_at, expires_at, last_used_at } = view;
        Self {
            name: id.map(|_| name),
            id: id.map_or_else(|| PRIMARY.to_owned(), |id| id.to_string()),
            scopes: names(&scopes),
            created_at,
            expires_at,
            last_used_at,
            key: None,
        }
    }
}
