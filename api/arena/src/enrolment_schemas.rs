//! Request and response bodies of enrolments.

use std::collections::BTreeSet;

use buildtrack_domain::arena::{enrolment::ENDPOINT_MAX, tasks::League};
use buildtrack_http::validation::Input;
use buildtrack_store::{ArenaAgent, EndpointState, EnrolmentView, LadderRow};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{
    ToSchema,
    openapi::{Array, ArrayBuilder, ObjectBuilder, Type},
};
use validator::{Validate, ValidationError};

use super::result_schemas::Rating;

/// Failed checks in a row that pause an agent (seed AAP: «3 health checks consecutivos»).
const MISSES: i64 = 3;

/// An agent's enrolment in the arena.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "leagues": ["trivia", "reasoning"], "acceptsChallenges": true }))]
pub(crate) struct Enrolment {
    /// The base address of the agent's endpoint (AAP): rounds go to `<base>/agora`, health checks to `<base>/agora/health`.
    /// Without it, the agent plays over its socket alone.
    #[validate(length(max = ENDPOINT_MAX), custom(function = is_base))]
    #[schema(max_length = 2048, pattern = "^[^?#]*$", example = json!(null))]
    pub endpoint_url: Option<String>,
    /// The leagues in which the agent plays; at least one, unless it judges.
    #[validate(length(max = 5), custom(function = known_leagues))]
    #[schema(schema_with = leagues_schema)]
    pub leagues: Vec<String>,
    /// Whether other owners may start unrated matches with the agent.
    #[serde(default)]
    pub accepts_challenges: bool,
    /// The leagues in which the agent judges: `debate`, or none.
    #[serde(default)]
    #[validate(length(max = 1), custom(function = judged_leagues))]
    #[schema(schema_with = judges_schema)]
    pub judges: Vec<String>,
}

impl Input for Enrolment {}

impl Enrolment {
    /// The leagues, which validation has checked.
    pub(super) fn leagues(&self) -> BTreeSet<League> {
        self.leagues.iter().filter_map(|league| league.parse().ok()).collect()
    }

    /// The leagues in which it judges, which validation has checked.
    pub(super) fn judges(&self) -> BTreeSet<League> {
        self.judges.iter().filter_map(|league| league.parse().ok()).collect()
    }

    /// The base address without a slash at its end.
    pub(super) fn endpoint_url(&self) -> Option<String> {
        self.endpoint_url.as_ref().map(|url| url.trim_end_matches('/').to_owned()).filter(|url| !url.is_empty())
    }
}

fn leagues_schema() -> Array {
    let league = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(League::ALL.map(League::as_str)));
    let description = "The leagues in which the agent plays; at least one, unless it judges.";
    let leagues = ArrayBuilder::new().items(league).max_items(Some(5));
    leagues.description(Some(description)).examples([json!(["trivia", "reasoning"])]).build()
}

fn judges_schema() -> Array {
    let league = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([League::Debate.as_str()]));
    let description = "The leagues in which the agent judges: debate, or none.";
    let leagues = ArrayBuilder::new().items(league).max_items(Some(1));
    leagues.description(Some(description)).examples([json!(["debate"])]).build()
}

fn judged_leagues(leagues: &[String]) -> Result<(), ValidationError> {
    let is_judged = leagues.iter().all(|league| league == League::Debate.as_str());
    let invalid = || ValidationError::new("invalid").with_message("only debates have judges".into());
    if is_judged { Ok(()) } else { Err(invalid()) }
}

/// Paths are added to the address.
fn is_base(url: &str) -> Result<(), ValidationError> {
    let message = "the address must have no query and no fragment, because /agora is added to it";
    let invalid = || ValidationError::new("invalid").with_message(message.into());
    if url.contains(['?', '#']) { Err(invalid()) } else { Ok(()) }
}

fn known_leagues(leagues: &[String]) -> Result<(), ValidationError> {
    let unknown = leagues.iter().find_map(|league| league.parse::<League>().err());
    unknown.map_or(Ok(()), |expected| Err(ValidationError::new("invalid").with_message(expected.into())))
}

/// An agent's enrolment, as its owner and the agent itself see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownEnrolment {
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// The base address of its endpoint; null if it plays over its socket alone.
    pub endpoint_url: Option<String>,
    /// The leagues in which it plays.
    pub leagues: Vec<String>,
    /// Whether other owners may start unrated matches with it.
    pub accepts_challenges: bool,
    /// The leagues in which it judges.
    pub judges: Vec<String>,
    /// When it enrolled first.
    pub enrolled_at: DateTime<Utc>,
    /// Whether the agent holds a socket now.
    pub connected: bool,
    /// The health of its endpoint; null if it has none.
    pub endpoint: Option<EndpointHealth>,
    /// When its arena token was created; null if it has none.
    pub token_created_at: Option<DateTime<Utc>>,
    /// The name that it reported on its socket.
    pub reported_name: Option<String>,
    /// The model that it reported.
    pub reported_model: Option<String>,
    /// Its ratings, one a league in which it has played.
    pub ratings: Vec<Rating>,
}

/// The health of an agent's endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EndpointHealth {
    /// `new` (not checked yet), `well`, `failing` (fewer than three failed checks), or `paused`.
    #[schema(example = "well")]
    pub status: &'static str,
    /// The number of failed checks in a row.
    pub misses: i64,
    /// Why the agent is paused, or the last check failed.
    pub reason: Option<String>,
    /// When a pause ends by itself. A pause after failed checks ends with the next good one.
    pub paused_until: Option<DateTime<Utc>>,
    /// The time that the last good check took, in milliseconds.
    pub latency_ms: Option<i64>,
    /// When it was last checked.
    pub checked_at: Option<DateTime<Utc>>,
}

impl EndpointHealth {
    fn new(state: EndpointState, now: DateTime<Utc>) -> Self {
        let paused_until = state.paused_until.filter(|until| *until > now);
        let status = match () {
            () if state.checked_at.is_none() => "new",
            () if paused_until.is_some() || state.misses >= MISSES => "paused",
            () if state.misses > 0 => "failing",
            () => "well",
        };
        Self {
            status,
            misses: state.misses,
            reason: state.reason.filter(|_| status != "well"),
            paused_until,
            latency_ms: state.latency_ms,
            checked_at: state.checked_at,
        }
    }
}

impl ShownEnrolment {
    pub(super) fn new(
        view: EnrolmentView,
        (agent, endpoint): (ArenaAgent, Option<EndpointState>),
        (standings, connected): (&[LadderRow], bool),
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            agent_id: view.agent_id.to_string(),
            endpoint: endpoint.filter(|_| view.endpoint_url.is_some()).map(|state| EndpointHealth::new(state, now)),
            endpoint_url: view.endpoint_url,
            leagues: view.leagues.iter().map(ToString::to_string).collect(),
            accepts_challenges: view.accepts_challenges,
            judges: view.judges.iter().map(ToString::to_string).collect(),
            enrolled_at: view.enrolled_at,
            connected,
            token_created_at: agent.token_created_at,
            reported_name: agent.name,
            reported_model: agent.model,
            ratings: standings.iter().map(Rating::of).collect(),
        }
    }
}

/// A new arena token, which is shown once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArenaToken {
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// The token for `/agent/connect`. The server stores its hash alone.
    #[schema(example = "bta_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaCdEfGhIjK-_0")]
    pub token: String,
}
