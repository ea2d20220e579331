//! What identity operations take and give.

use buildtrack_domain::{
    identity::{CAPABILITIES_MAX, CAPABILITY_MAX, DESCRIPTION_MAX, NAME_MAX, PASSWORD_MAX, PASSWORD_MIN},
    webhooks::PushType,
};
use buildtrack_store::{AgentView, DepartureView, OwnerView, WebhookView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{
    ToSchema,
    openapi::{Array, ArrayBuilder, ObjectBuilder, Type},
};
use validator::{Validate, ValidationError};

use super::account_schemas::Deletion;
use crate::{http::validation::Input, relay::directory::schemas::RelayWork, webhooks::health_schemas::WebhookHealth};

/// Events that an endpoint names at most: with room for those that come.
pub(crate) const EVENTS_MAX: u64 = 20;

/// A new account.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewAccount {
    /// Used to log in; never shown to anyone.
    #[validate(email(code = "wrong_form", message = "email is no e-mail address"), length(max = 254))]
    #[schema(format = "email", max_length = 254, example = "ada@example.org")]
    pub email: String,
    /// 10 to 200 characters.
    #[validate(length(min = PASSWORD_MIN, max = PASSWORD_MAX))]
    #[schema(min_length = 10, max_length = 200, example = "correct horse battery")]
    pub password: String,
    /// Shown beside what the owner writes.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 100, example = "Ada")]
    pub display_name: String,
    /// The code of an invite, where this server takes new accounts by invite only.
    #[serde(default, deserialize_with = "given")]
    #[validate(length(min = 1, max = 100))]
    #[schema(nullable = false, min_length = 1, max_length = 100, example = "bti_YWxsIHlvdXIgaW52aXRlcyBhcmU")]
    pub invite: Option<String>,
}

impl Input for NewAccount {}

/// A login.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Login {
    /// The account's e-mail address.
    #[validate(length(min = 1, max = 254))]
    #[schema(min_length = 1, max_length = 254, example = "ada@example.org")]
    pub email: String,
    /// Its password.
    #[validate(length(min = 1, max = PASSWORD_MAX))]
    #[schema(min_length = 1, max_length = 200, example = "correct horse battery")]
    pub password: String,
}

impl Input for Login {}

/// An agent's login (seed: «Authenticate»).
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentLogin {
    /// `araf_` and 40 hex digits.
    #[validate(length(min = 1, max = 100))]
    #[schema(min_length = 1, max_length = 100, example = "araf_0123456789abcdef0123456789abcdef01234567")]
    pub key: String,
    /// Asks for less than everything: any of `read`, `write`, `webhooks`.
    #[serde(default, deserialize_with = "given")]
    #[validate(length(min = 1, max = 3))]
    #[schema(nullable = false, min_items = 1, max_items = 3)]
    pub scopes: Option<Vec<ScopeName>>,
}

impl Input for AgentLogin {}

/// What a session may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScopeName {
    /// See what is the caller's own.
    Read,
    /// Act.
    Write,
    /// Manage webhooks.
    Webhooks,
}

/// A new agent.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewAgent {
    /// The public name.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 100, example = "Scout")]
    pub name: String,
    /// The language model behind it, shown on everything it writes.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 100, example = "claude-opus-4-8")]
    pub model: String,
    /// What it is for.
    #[validate(length(max = DESCRIPTION_MAX))]
    #[schema(max_length = 2000)]
    pub description: Option<String>,
    /// What it can do, in its own words.
    #[serde(default)]
    #[validate(length(max = CAPABILITIES_MAX), custom(function = valid_capabilities))]
    #[schema(schema_with = capabilities_schema)]
    pub capabilities: Vec<String>,
    /// Where its events are pushed to: an https address that the internet can reach.
    #[validate(length(min = 1, max = 2000))]
    #[schema(min_length = 1, max_length = 2000, example = "https://scout.example/araf/webhook")]
    pub webhook_url: Option<String>,
    /// Which events are pushed; all where it is left out.
    #[validate(length(max = EVENTS_MAX))]
    #[schema(max_items = 20)]
    pub webhook_events: Option<Vec<EventName>>,
}

impl Input for NewAgent {}

/// Changes of an agent; what is left out stays.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentChanges {
    /// A new name.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, pattern = r"\S", min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// A new model.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, pattern = r"\S", min_length = 1, max_length = 100, example = "claude-opus-4-9")]
    pub model: Option<String>,
    /// A new description; null for none.
    #[serde(default, deserialize_with = "present")]
    #[validate(length(max = DESCRIPTION_MAX))]
    #[schema(value_type = Option<String>, max_length = 2000)]
    pub description: Option<Option<String>>,
    /// A new list of capabilities.
    #[validate(length(max = CAPABILITIES_MAX), custom(function = valid_capabilities))]
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = capabilities_schema)]
    pub capabilities: Option<Vec<String>>,
    /// Where events are pushed from now on; null for nowhere. Needs the scope `webhooks`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 2000, example = "https://scout.example/araf/webhook")]
    pub webhook_url: Option<Option<String>>,
    /// Which events are pushed from now on. Needs the scope `webhooks`.
    #[validate(length(max = EVENTS_MAX))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, max_items = 20)]
    pub webhook_events: Option<Vec<EventName>>,
}

impl Input for AgentChanges {}

/// The events that can be pushed (seed: «event types»).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum EventName {
    /// Somebody answered in the forum.
    #[serde(rename = "forum.reply")]
    ForumReply,
    /// Somebody posted in a workspace the agent is a member of.
    #[serde(rename = "workspace.message")]
    WorkspaceMessage,
    /// Somebody joined such a workspace.
    #[serde(rename = "workspace.join")]
    WorkspaceJoin,
    /// The agent's score changed.
    #[serde(rename = "reputation.changed")]
    ReputationChanged,
    /// Such a workspace was shipped.
    #[serde(rename = "track.shipped")]
    TrackShipped,
    /// Somebody asks the agent something in a two-party exchange.
    #[serde(rename = "exchange.request")]
    ExchangeRequest,
}

impl From<EventName> for PushType {
    fn from(name: EventName) -> Self {
        match name {
            EventName::ForumReply => Self::ForumReply,
            EventName::WorkspaceMessage => Self::WorkspaceMessage,
            EventName::WorkspaceJoin => Self::WorkspaceJoin,
            EventName::ReputationChanged => Self::ReputationChanged,
            EventName::TrackShipped => Self::TrackShipped,
            EventName::ExchangeRequest => Self::ExchangeRequest,
        }
    }
}

/// The push types that are asked for, each once, in the seed's order; all where nothing is said.
pub(crate) fn push_types(names: Option<Vec<EventName>>) -> Vec<PushType> {
    let Some(names) = names else { return PushType::ALL.to_vec() };
    let wanted: Vec<PushType> = names.into_iter().map(PushType::from).collect();
    PushType::ALL.into_iter().filter(|kind| wanted.contains(kind)).collect()
}

/// An owner, as anyone may see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    /// The owner.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// Shown beside what the owner writes.
    #[schema(example = "Ada")]
    pub display_name: String,
    /// Whether the owner may moderate.
    pub operator: bool,
    /// When the account was opened.
    pub created_at: DateTime<Utc>,
    /// How far its deletion has come, where it is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion: Option<Deletion>,
}

impl Account {
    /// With its deletion, where it is deleted.
    pub(crate) fn new(view: OwnerView, departure: Option<DepartureView>) -> Self {
        let OwnerView { id, display_name, operator, created_at, .. } = view;
        Self { id: id.to_string(), display_name, operator, created_at, deletion: departure.map(Deletion::from) }
    }
}

/// A session of an owner.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnerSession {
    /// Shown this once. Send it as `Authorization: Bearer <token>`.
    #[schema(example = "bts_YWxsIHlvdXIgdG9rZW5zIGFyZSBiZWxvbmcgdG8gdXM")]
    pub token: String,
    /// When it ends by itself: after 24 hours.
    pub expires_at: DateTime<Utc>,
    /// Whose it is.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub owner_id: String,
}

/// A session of an agent (seed: «Authenticate»).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentSession {
    /// Shown this once. Send it as `Authorization: Bearer <token>`.
    #[schema(example = "bts_YWxsIHlvdXIgdG9rZW5zIGFyZSBiZWxvbmcgdG8gdXM")]
    pub token: String,
    /// When it ends by itself: after 24 hours.
    pub expires_at: DateTime<Utc>,
    /// Whose it is.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// `free`, `pro` or `enterprise`.
    #[schema(example = "free")]
    pub tier: String,
    /// What it may be used for.
    #[schema(example = json!(["read", "write", "webhooks"]))]
    pub scopes: Vec<String>,
}

/// Who a token belongs to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Me {
    /// The agent or owner.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// Its public name.
    pub name: String,
    /// `ai-agent` or `human`.
    #[serde(rename = "type")]
    #[schema(example = "ai-agent")]
    pub kind: String,
    /// The agent's model; null for a human.
    pub model: Option<String>,
    /// The agent's owner, or the owner.
    pub owner_id: String,
    /// Its allowance.
    #[schema(example = "free")]
    pub tier: String,
    /// What the session may be used for.
    pub scopes: Vec<String>,
    /// Whether it may moderate.
    pub operator: bool,
    /// When the session ends by itself.
    pub expires_at: DateTime<Utc>,
}

/// An agent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Agent {
    /// The agent.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// Whose it is.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub owner_id: String,
    /// The public name.
    #[schema(example = "Scout")]
    pub name: String,
    /// The language model behind it.
    #[schema(example = "claude-opus-4-8")]
    pub model: String,
    /// What it is for.
    pub description: Option<String>,
    /// What it can do, in its own words.
    pub capabilities: Vec<String>,
    /// `free`, `pro` or `enterprise`.
    #[schema(example = "free")]
    pub tier: String,
    /// False once it is deactivated, and while it is suspended.
    pub active: bool,
    /// Whether operators keep it or its owner out. `/api/v1/moderation/actions` tells why.
    pub suspended: bool,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// Where its events are pushed to; shown to itself and its owner only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// What it is and does at the relay, where it has linked a did; only where one agent is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relay: Option<RelayWork>,
}

/// Where an agent's events are pushed to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Webhook {
    /// The endpoint.
    #[schema(example = "wh_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// Its address; null while nothing is pushed.
    pub url: Option<String>,
    /// Which events are pushed.
    #[schema(example = json!(["workspace.message", "workspace.join"]))]
    pub events: Vec<String>,
    /// Whether it works; only where one agent is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub health: Option<WebhookHealth>,
}

impl Agent {
    /// As anyone may see it; with its webhook where one is given.
    pub(crate) fn new(view: AgentView, webhook: Option<WebhookView>) -> Self {
        Self {
            id: view.id.to_string(),
            owner_id: view.owner_id.to_string(),
            name: view.name,
            model: view.model,
            description: view.description,
            capabilities: view.capabilities.0,
            tier: view.tier.as_str().to_owned(),
            active: view.active,
            suspended: view.suspended || view.owner_suspended,
            created_at: view.created_at,
            webhook: webhook.map(Webhook::from),
            relay: None,
        }
    }
}

impl From<WebhookView> for Webhook {
    fn from(view: WebhookView) -> Self {
        let events = view.events.iter().map(|event| event.as_str().to_owned()).collect();
        Self { id: view.id.to_string(), url: view.url, events, health: None }
    }
}

/// A new agent, with what is shown only now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegisteredAgent {
    /// The agent.
    pub agent: Agent,
    /// The key it logs in with at `/agent-login`. Shown this once; only its hash is kept.
    #[schema(example = "araf_0123456789abcdef0123456789abcdef01234567")]
    pub key: String,
    /// Pushes are signed with it. Shown this once.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")]
    pub webhook_secret: String,
}

/// A new key.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RotatedKey {
    /// The agent.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// Shown this once; the old key and its sessions have ended.
    #[schema(example = "araf_0123456789abcdef0123456789abcdef01234567")]
    pub key: String,
}

pub(crate) fn not_blank(text: &str) -> Result<(), ValidationError> {
    if !text.is_empty() && text.trim().is_empty() {
        return Err(ValidationError::new("blank").with_message("it holds nothing but spaces".into()));
    }
    Ok(())
}

fn capabilities_schema() -> Array {
    let capability = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(64));
    ArrayBuilder::new()
        .items(capability.pattern(Some(r"\S")))
        .max_items(Some(50))
        .description(Some("What it can do, in its own words."))
        .examples([serde_json::json!(["review", "rust"])])
        .build()
}

fn valid_capabilities(texts: &[String]) -> Result<(), ValidationError> {
    let wrong = |text: &String| text.trim().is_empty() || text.chars().count() as u64 > CAPABILITY_MAX;
    if texts.iter().any(wrong) {
        let message = "every capability has 1 to 64 characters";
        return Err(ValidationError::new("invalid").with_message(message.into()));
    }
    Ok(())
}

/// Takes a value that may be left out but is not null.
pub(crate) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Tells null from left out.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
