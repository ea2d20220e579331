//! What the directory gives, in the names of the protocol's public SDK.

use buildtrack_domain::relay::directory::{Offering, PartyRecord, Ranked};
use buildtrack_store::PartyView;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use validator::Validate;

use crate::http::validation::Input;

/// Agents that are listed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Directory {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The agents.
    pub agents: Vec<Party>,
    /// Whether there are more.
    #[schema(example = false)]
    pub has_more: bool,
    /// Goes on from here: `cursor` of the next page; null at the end.
    pub cursor: Option<String>,
}

/// An agent that is listed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PartyAnswer {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The agent.
    pub agent: Party,
    /// `true` where the same registration had been taken before; else absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub duplicate: bool,
}

/// An agent of the relay.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Party {
    /// Its did:key.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub id: String,
    /// What it says of itself, as it was registered.
    #[schema(value_type = Object)]
    pub agent: Value,
    /// What it calls itself.
    #[schema(example = "PolyglotBot")]
    pub name: Option<String>,
    /// Its page.
    pub url: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Where its work can be seen.
    pub portfolio_url: Option<String>,
    /// What else it says.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
    /// Its manifests, as they were registered.
    #[schema(value_type = Vec<Object>)]
    pub capabilities: Vec<Value>,
    /// All services that it offers, each once.
    #[schema(example = json!(["translation.en_zh"]))]
    pub intents: Vec<String>,
    /// What it asks, capability by capability.
    pub pricing: Vec<PricingRow>,
    /// `online`, `busy` or `offline`; offline where it has said nothing for five minutes.
    #[schema(example = "online")]
    pub status: String,
    /// When it last said that it is there.
    pub last_seen: Option<DateTime<Utc>>,
    /// What it has delivered.
    pub record: PartyRecordView,
    /// Which agent of this server it is, where that was signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked_agent: Option<LinkedAgentView>,
    /// When it was registered first.
    pub registered_at: DateTime<Utc>,
    /// When it was registered last.
    pub updated_at: DateTime<Utc>,
    /// Why it fits; only where it was looked for.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// The registration as it was signed, so that it can be verified; only where one agent is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub registration: Option<Value>,
}

/// What an agent asks for a capability.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PricingRow {
    /// The manifest's id.
    #[schema(example = "cap_translation_service")]
    pub capability_id: String,
    /// The manifest's name.
    #[schema(example = "Translation Service")]
    pub capability_name: String,
    /// `free`, `fixed`, `metered` or `subscription`.
    #[schema(example = "metered")]
    pub model: Option<String>,
    /// Of the price.
    #[schema(example = "USD")]
    pub currency: Option<String>,
    /// What one request costs.
    pub fixed_price: Option<f64>,
    /// What is counted.
    #[schema(example = "character")]
    pub metered_unit: Option<String>,
    /// What one of them costs.
    #[schema(example = 0.00001)]
    pub metered_rate: Option<f64>,
}

/// What became of the threads that an agent was chosen for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PartyRecordView {
    /// Delivered.
    #[schema(example = 12)]
    pub completed: i64,
    /// Given up by the agent, or not delivered in time.
    #[schema(example = 1)]
    pub failed: i64,
    /// Delivered ones for which its OFFER promised a time (`eta_seconds`).
    #[schema(example = 10)]
    pub promised: i64,
    /// Those of them that came within it.
    #[schema(example = 9)]
    pub on_time: i64,
    /// From ACCEPT to RESULT, on average; null where nothing was delivered.
    #[schema(example = 1.5)]
    pub mean_seconds: Option<f64>,
}

impl From<PartyRecord> for PartyRecordView {
    fn from(record: PartyRecord) -> Self {
        let PartyRecord { completed, failed, promised, kept, .. } = record;
        Self { completed, failed, promised, on_time: kept, mean_seconds: record.mean_seconds() }
    }
}

/// An agent of this server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LinkedAgentView {
    /// Its id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// Its name.
    #[schema(example = "Scout")]
    pub name: String,
    /// Where it is shown.
    pub url: String,
}

/// Why an agent fits what is looked for, and stands where it does.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Fit {
    /// From 0 to 1000: 40 % completion, 25 % price, 20 % speed, 15 % presence.
    #[schema(example = 772)]
    pub score: i64,
    /// What it is made of.
    pub parts: FitParts,
    /// The capability that fits: of several the cheapest.
    #[schema(example = "cap_translation_service")]
    pub capability_id: String,
    /// Those of its services that were asked for.
    #[schema(example = json!(["translation.en_zh"]))]
    pub intents: Vec<String>,
    /// What a request costs, or a thousand characters, tokens, words or bytes; null where that cannot be compared.
    #[schema(example = 0.01)]
    pub price: Option<f64>,
    /// Of the price.
    #[schema(example = "USD")]
    pub currency: String,
}

/// The parts of a score, each from 0 to 1000.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FitParts {
    /// The share of its threads that it has delivered, with one success and one failure more than there were.
    #[schema(example = 866)]
    pub completion: i64,
    /// How many of those who fit ask as much or more.
    #[schema(example = 500)]
    pub price: i64,
    /// The share of its promises of time that it has kept, with one of each more.
    #[schema(example = 833)]
    pub speed: i64,
    /// 1000 online, 500 busy, 0 offline.
    #[schema(example = 1000)]
    pub presence: i64,
}

/// Whether an agent is there.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PresenceAnswer {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The agent.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub id: String,
    /// `online`, `busy` or `offline`.
    #[schema(example = "online")]
    pub status: String,
    /// When it last said that it is there.
    pub last_seen: Option<DateTime<Utc>>,
}

/// Something was done.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Withdrawn {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The agent that is listed no more.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub id: String,
}

impl Party {
    /// `public_url` is this server's.
    pub(super) fn new(view: &PartyView, record: PartyRecord, public_url: &str) -> Self {
        let mut registration: Value = serde_json::from_str(view.registration.as_str()).unwrap_or_default();
        let mut take = |name: &str| registration.get_mut(name).map(Value::take).unwrap_or_default();
        let (agent, capabilities) = (take("agent"), take("capabilities"));
        let text = |names: &[&str]| names.iter().find_map(|name| agent[*name].as_str()).map(str::to_owned);
        Self {
            id: view.did.to_string(),
            name: view.listing.name.clone(),
            url: text(&["url"]),
            description: text(&["description"]),
            portfolio_url: text(&["portfolio_url", "portfolioUrl"]),
            metadata: agent.get("metadata").filter(|metadata| metadata.is_object()).cloned(),
            agent,
            capabilities: if let Value::Array(capabilities) = capabilities { capabilities } else { vec![] },
            intents: view.listing.intents().into_iter().map(str::to_owned).collect(),
            pricing: view.listing.offerings.iter().map(PricingRow::from).collect(),
            status: view.availability.as_str().to_owned(),
            last_seen: view.seen_at,
            record: record.into(),
            linked_agent: view.linked.as_ref().map(|linked| LinkedAgentView {
                id: linked.id.to_string(),
                name: linked.name.clone(),
                url: format!("{public_url}/api/v1/agents/{}", linked.id),
            }),
            registered_at: view.registered_at,
            updated_at: view.changed_at,
            fit: None,
            registration: None,
        }
    }

    /// With what was signed.
    pub(super) fn signed(self, view: &PartyView) -> Self {
        Self { registration: serde_json::from_str(view.registration.as_str()).ok(), ..self }
    }
}

impl From<&Offering> for PricingRow {
    fn from(offering: &Offering) -> Self {
        let pricing = offering.pricing.clone().unwrap_or_default();
        Self {
            capability_id: offering.id.clone(),
            capability_name: offering.name.clone(),
            model: Some(pricing.model).filter(|model| !model.is_empty()),
            currency: pricing.currency,
            fixed_price: pricing.fixed_price,
            metered_unit: pricing.metered_unit,
            metered_rate: pricing.metered_rate,
        }
    }
}

impl Fit {
    /// `intents` are those of the capability that were asked for.
    pub(super) fn new(ranked: &Ranked, intents: Vec<String>, currency: &str) -> Self {
        let parts = ranked.parts;
        Self {
            score: parts.score(),
            parts: FitParts {
                completion: parts.completion,
                price: parts.price,
                speed: parts.speed,
                presence: parts.presence,
            },
            capability_id: ranked.candidate.listing.offerings[ranked.offering].id.clone(),
            intents,
            price: ranked.price,
            currency: currency.to_owned(),
        }
    }
}

/// A did that an agent of this server says is its own.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewChallenge {
    /// The did:key, with an Ed25519 key.
    #[validate(length(min = 1, max = 128))]
    #[schema(min_length = 1, max_length = 128, example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub did: String,
}

impl Input for NewChallenge {}

/// What has to be signed with the did's key.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Challenge {
    /// Goes into what is signed.
    pub challenge: String,
    /// Until when it can be answered.
    pub expires_at: DateTime<Utc>,
    /// What to sign as envelopes are signed: `sig` is Ed25519 over its RFC 8785 form. The result is the body of
    /// `PUT /api/v1/agents/{id}/did`.
    #[schema(value_type = Object)]
    pub sign: Value,
}

/// What an agent is and does at the relay.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RelayWork {
    /// Its did:key there, which has signed that it is this agent.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub did: String,
    /// When it was linked.
    pub linked_at: DateTime<Utc>,
    /// Threads that it was chosen for and has delivered.
    #[schema(example = 12)]
    pub completed: i64,
    /// Threads that it was chosen for and has given up, or not delivered in time.
    #[schema(example = 1)]
    pub failed: i64,
    /// Delivered ones that came within the time that its OFFER had promised.
    #[schema(example = 9)]
    pub on_time: i64,
    /// From ACCEPT to RESULT, on average; null where nothing was delivered.
    #[schema(example = 1.5)]
    pub mean_seconds: Option<f64>,
}
