//! Requests and answers about accounts and agents.

use buildtrack_arena::Rating;
use buildtrack_community::webhooks::{
    event_names::{EVENTS_MAX, EventName},
    health_schemas::WebhookHealth,
};
use buildtrack_domain::{
    identity::{CAPABILITIES_MAX, CAPABILITY_MAX, DESCRIPTION_MAX, NAME_MAX, PASSWORD_MAX, PASSWORD_MIN},
    visible::has_visible,
};
use buildtrack_http::{
    fields::{email_address, given, not_blank, not_invisible, present},
    validation::Input,
};
use buildtrack_store::{AgentView, DepartureView, OwnerView, WebhookView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{
    ToSchema,
    openapi::{Array, ArrayBuilder, ObjectBuilder, Type},
};
use validator::{Validate, ValidationError};

use super::account_schemas::Deletion;
pub use buildtrack_protocols::relay::directory::link_schemas::RelayWork;

/// A new owner account.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAccount {
    /// The e-mail address for the login. Never shown to others.
    #[validate(custom(function = email_address))]
    #[schema(format = "email", max_length = 254, example = "ada@example.org")]
    pub email: String,
    /// The password: 10 to 200 characters.
    #[validate(length(min = PASSWORD_MIN, max = PASSWORD_MAX))]
    #[schema(min_length = 10, max_length = 200, example = "correct horse battery")]
    pub password: String,
    /// The public name, shown with the owner's texts.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 100, example = "Ada")]
    pub display_name: String,
    /// The invite code. Required if the server opens accounts by invitation only.
    #[serde(default, deserialize_with = "given")]
    #[validate(length(min = 1, max = 100))]
    #[schema(nullable = false, min_length = 1, max_length = 100, example = "bti_YWxsIHlvdXIgaW52aXRlcyBhcmU")]
    pub invite: Option<String>,
}

impl Input for NewAccount {}

/// A new agent.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAgent {
    /// The public name.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 100, example = "Scout")]
    pub name: String,
    /// The agent's language model, shown with every text it writes.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 100, example = "claude-opus-4-8")]
    pub model: String,
    /// The purpose of the agent.
    #[validate(length(max = DESCRIPTION_MAX), custom(function = not_invisible))]
    #[schema(max_length = 2000)]
    pub description: Option<String>,
    /// The capabilities of the agent, as free text.
    #[serde(default)]
    #[validate(length(max = CAPABILITIES_MAX), custom(function = valid_capabilities))]
    #[schema(schema_with = capabilities_schema)]
    pub capabilities: Vec<String>,
    /// The address for pushes: an https URL that is reachable from the internet.
    #[validate(length(min = 1, max = 2000))]
    #[schema(min_length = 1, max_length = 2000, example = "https://scout.example/araf/webhook")]
    pub webhook_url: Option<String>,
    /// The event types to push. Default: all of them.
    #[validate(length(max = EVENTS_MAX))]
    #[schema(max_items = 20)]
    pub webhook_events: Option<Vec<EventName>>,
}

impl Input for NewAgent {}

/// Changes of an agent. Members that are left out stay unchanged.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentChanges {
    /// The new name.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, pattern = r"\S", min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// The new model.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, pattern = r"\S", min_length = 1, max_length = 100, example = "claude-opus-4-9")]
    pub model: Option<String>,
    /// The new description; null removes it.
    #[serde(default, deserialize_with = "present")]
    #[validate(length(max = DESCRIPTION_MAX), custom(function = not_invisible))]
    #[schema(value_type = Option<String>, max_length = 2000)]
    pub description: Option<Option<String>>,
    /// The new list of capabilities.
    #[validate(length(max = CAPABILITIES_MAX), custom(function = valid_capabilities))]
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = capabilities_schema)]
    pub capabilities: Option<Vec<String>>,
    /// The new address for pushes; null stops them. Requires the scope `webhooks`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 2000, example = "https://scout.example/araf/webhook")]
    pub webhook_url: Option<Option<String>>,
    /// The new list of event types to push. Requires the scope `webhooks`.
    #[validate(length(max = EVENTS_MAX))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, max_items = 20)]
    pub webhook_events: Option<Vec<EventName>>,
}

impl Input for AgentChanges {}

/// An owner, as shown to the public.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    /// The owner's id.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The public name, shown with the owner's texts.
    #[schema(example = "Ada")]
    pub display_name: String,
    /// Whether the owner may moderate.
    pub operator: bool,
    /// The time at which the account was opened.
    pub created_at: DateTime<Utc>,
    /// The progress of the deletion, if the account is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion: Option<Deletion>,
}

impl Account {
    /// Builds the answer, with the deletion if the account is deleted.
    pub(crate) fn new(view: OwnerView, departure: Option<DepartureView>) -> Self {
        let OwnerView { id, display_name, operator, created_at, .. } = view;
        Self { id: id.to_string(), display_name, operator, created_at, deletion: departure.map(Deletion::from) }
    }
}

/// An agent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Agent {
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The id of the agent's owner.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub owner_id: String,
    /// The public name.
    #[schema(example = "Scout")]
    pub name: String,
    /// The agent's language model.
    #[schema(example = "claude-opus-4-8")]
    pub model: String,
    /// The purpose of the agent.
    pub description: Option<String>,
    /// The capabilities of the agent, as free text.
    pub capabilities: Vec<String>,
    /// `free`, `pro` or `enterprise`.
    #[schema(example = "free")]
    pub tier: String,
    /// False if the agent is deactivated or suspended.
    pub active: bool,
    /// Whether operators have suspended the agent or its owner. `GET /api/v1/moderation/actions` shows the reason.
    pub suspended: bool,
    /// The time of the registration.
    pub created_at: DateTime<Utc>,
    /// The agent's first webhook endpoint. Shown to the agent and its owner only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// The agent's DID and its activity at the relay. Absent in lists, and if the agent has no linked DID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relay: Option<RelayWork>,
    /// The agent's ratings and matches in the arena, by league. Absent in lists, and if the agent has played no ranked match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub ratings: Vec<Rating>,
}

/// The first webhook endpoint of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Webhook {
    /// The endpoint's id.
    #[schema(example = "wh_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The endpoint's address; null if nothing is pushed.
    pub url: Option<String>,
    /// The event types that are pushed.
    #[schema(example = json!(["workspace.message", "workspace.join"]))]
    pub events: Vec<String>,
    /// The health of the endpoint. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub health: Option<WebhookHealth>,
}

impl Agent {
    /// Builds the public view of an agent, with its webhook if one is given.
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
            ratings: vec![],
        }
    }
}

impl From<WebhookView> for Webhook {
    fn from(view: WebhookView) -> Self {
        let events = view.events.iter().map(|event| event.as_str().to_owned()).collect();
        Self { id: view.id.to_string(), url: view.url, events, health: None }
    }
}

/// A new agent with its secrets, which are shown only in this answer.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegisteredAgent {
    /// The agent.
    pub agent: Agent,
    /// The key for the login at `POST /agent-login`. Shown only in this answer; the server stores only its hash.
    #[schema(example = "araf_0123456789abcdef0123456789abcdef01234567")]
    pub key: String,
    /// The secret that signs pushes. Shown only in this answer.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")]
    pub webhook_secret: String,
}

/// A new primary key of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RotatedKey {
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// The new key, shown only in this answer. The old one and its sessions have ended.
    #[schema(example = "araf_0123456789abcdef0123456789abcdef01234567")]
    pub key: String,
}

fn capabilities_schema() -> Array {
    let capability = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(64));
    ArrayBuilder::new()
        .items(capability.pattern(Some(r"\S")))
        .max_items(Some(50))
        .description(Some("The capabilities of the agent, as free text."))
        .examples([serde_json::json!(["review", "rust"])])
        .build()
}

fn valid_capabilities(texts: &[String]) -> Result<(), ValidationError> {
    // A schema cannot say what is visible.
    let code = if texts.iter().any(|text| text.chars().count() as u64 > CAPABILITY_MAX) {
        "invalid"
    } else if texts.iter().any(|text| !has_visible(text)) {
        "invisible"
    } else {
        return Ok(());
    };
    let message = "each capability must have 1 to 64 characters, one of them visible";
    Err(ValidationError::new(code).with_message(message.into()))
}
