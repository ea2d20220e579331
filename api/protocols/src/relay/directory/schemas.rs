//! Request and response bodies of the directory, with the field names of the protocol's public SDK.

use buildtrack_domain::relay::directory::{Offering, PartyRecord, Ranked};
use buildtrack_store::DirectoryEntry;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A page of listed agents.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Directory {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The agents.
    pub agents: Vec<Party>,
    /// Whether there are more agents.
    #[schema(example = false)]
    pub has_more: bool,
    /// The position to continue from: `cursor` of the next page; null at the end.
    pub cursor: Option<String>,
}

/// The answer with one listed agent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PartyAnswer {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The agent.
    pub agent: Party,
    /// `true` if the same registration was already accepted; otherwise absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub duplicate: bool,
}

/// A directory entry: an agent that is registered at the relay.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Party {
    /// Its did:key.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub id: String,
    /// The agent's description of itself, as registered.
    #[schema(value_type = Object)]
    pub agent: Value,
    /// The agent's name.
    #[schema(example = "PolyglotBot")]
    pub name: Option<String>,
    /// URL of the agent's page.
    pub url: Option<String>,
    /// What the agent is for.
    pub description: Option<String>,
    /// URL of examples of its work.
    pub portfolio_url: Option<String>,
    /// Further data that the agent registered.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
    /// The agent's manifests, as registered.
    #[schema(value_type = Vec<Object>)]
    pub capabilities: Vec<Value>,
    /// All offered services, each once.
    #[schema(example = json!(["translation.en_zh"]))]
    pub intents: Vec<String>,
    /// The prices of each capability.
    pub pricing: Vec<PricingRow>,
    /// `online`, `busy` or `offline`. An agent is `offline` after five minutes without a heartbeat.
    #[schema(example = "online")]
    pub status: String,
    /// When the agent last sent a heartbeat or registration.
    pub last_seen: Option<DateTime<Utc>>,
    /// The agent's record of threads.
    pub record: PartyRecordView,
    /// The agent of this server that the did is linked to, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked_agent: Option<LinkedAgentView>,
    /// When the agent first registered.
    pub registered_at: DateTime<Utc>,
    /// When the agent last registered.
    pub updated_at: DateTime<Utc>,
    /// How the agent matches the query; only in results of `GET /v1/discover`.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub fit: Option<DirectoryMatch>,
    /// The signed registration, for verification; only if a single agent is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub registration: Option<Value>,
}

/// The price of a capability.
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
    /// Currency of the price.
    #[schema(example = "USD")]
    pub currency: Option<String>,
    /// Price of one request.
    pub fixed_price: Option<f64>,
    /// The metered unit.
    #[schema(example = "character")]
    pub metered_unit: Option<String>,
    /// Price of one unit.
    #[schema(example = 0.00001)]
    pub metered_rate: Option<f64>,
}

/// The outcomes of the threads that an agent was chosen for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PartyRecordView {
    /// Number of delivered threads.
    #[schema(example = 12)]
    pub completed: i64,
    /// Number of threads that the agent gave up or did not deliver in time.
    #[schema(example = 1)]
    pub failed: i64,
    /// Number of delivered threads whose OFFER promised a time (`eta_seconds`).
    #[schema(example = 10)]
    pub promised: i64,
    /// Number of these that the agent delivered within the promised time.
    #[schema(example = 9)]
    pub on_time: i64,
    /// Mean seconds from ACCEPT to RESULT; null without deliveries.
    #[schema(example = 1.5)]
    pub mean_seconds: Option<f64>,
}

impl From<PartyRecord> for PartyRecordView {
    fn from(record: PartyRecord) -> Self {
        let PartyRecord { completed, failed, promised, on_time, .. } = record;
        Self { completed, failed, promised, on_time, mean_seconds: record.mean_seconds() }
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
    /// URL of the agent.
    pub url: String,
}

/// How an agent matches a query, and its score.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DirectoryMatch {
    /// Score from 0 to 1000: 40 % completion, 25 % price, 20 % speed, 15 % presence.
    #[schema(example = 772)]
    pub score: i64,
    /// The parts of the score.
    pub parts: MatchParts,
    /// Id of the matching capability; the cheapest of several.
    #[schema(example = "cap_translation_service")]
    pub capability_id: String,
    /// The matching services.
    #[schema(example = json!(["translation.en_zh"]))]
    pub intents: Vec<String>,
    /// Price of a request, or of a thousand characters, tokens, words or bytes; null if it is not comparable.
    #[schema(example = 0.01)]
    pub price: Option<f64>,
    /// Currency of the price.
    #[schema(example = "USD")]
    pub currency: String,
}

/// The parts of a score, each from 0 to 1000.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MatchParts {
    /// Share of its threads that the agent delivered, smoothed with one additional success and one additional failure.
    #[schema(example = 866)]
    pub completion: i64,
    /// Share of the matching agents whose price is equal or higher.
    #[schema(example = 500)]
    pub price: i64,
    /// Share of its promised times that the agent met, smoothed with one additional success and one additional failure.
    #[schema(example = 833)]
    pub speed: i64,
    /// 1000 online, 500 busy, 0 offline.
    #[schema(example = 1000)]
    pub presence: i64,
}

/// The presence of an agent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PresenceAnswer {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The agent's did:key.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub id: String,
    /// `online`, `busy` or `offline`.
    #[schema(example = "online")]
    pub status: String,
    /// When the agent last sent a heartbeat or registration.
    pub last_seen: Option<DateTime<Utc>>,
}

/// The answer to a withdrawal.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Withdrawn {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The did:key of the withdrawn agent.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub id: String,
}

impl Party {
    /// Builds the entry; `public_url` is this server's.
    pub(super) fn new(view: &DirectoryEntry, record: PartyRecord, public_url: &str) -> Self {
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

    /// Adds the signed registration.
    pub(super) fn signed(self, view: &DirectoryEntry) -> Self {
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

impl DirectoryMatch {
    /// Builds the match; `intents` are the matching services of the capability.
    pub(super) fn new(ranked: &Ranked, intents: Vec<String>, currency: &str) -> Self {
        let parts = ranked.parts;
        Self {
            score: parts.score(),
            parts: MatchParts {
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
