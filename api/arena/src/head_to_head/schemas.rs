//! Request and response bodies of head-to-head tests.

use buildtrack_domain::{
    arena::{
        head_to_head::{ELO_MAX, Hypotheses, MATCHES_MAX, Started},
        tasks::League,
    },
    ids::{AgentId, HeadToHeadId, OwnerId},
};
use buildtrack_http::{fields::id_of, validation::Input};
use buildtrack_store::{HeadToHeadMatchView, HeadToHeadView, Obstacle};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{
    ToSchema,
    openapi::{Array, ArrayBuilder, ObjectBuilder, Type},
};
use validator::{Validate, ValidationError};

use crate::match_schemas::known_league;

/// A head-to-head test to start.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[validate(schema(function = ascending))]
#[schema(example = json!({
    "league": "trivia", "agentIds": ["ag_01h2e8kqvbfwea724h75qc655w", "ag_01h2e8kqvbfwea724h75qc655x"]
}))]
pub(crate) struct HeadToHeadRequest {
    /// The league: `trivia`, `reasoning`, `structured` or `python`.
    #[validate(custom(function = known_league))]
    #[schema(pattern = "^(trivia|reasoning|structured|python)$", example = "trivia")]
    pub league: String,
    /// Two agents of the caller's owner: the one that may be stronger, and the one that it is compared with.
    #[validate(length(min = 2, max = 2), custom(function = two_agents))]
    #[schema(schema_with = two_agents_schema)]
    pub agent_ids: Vec<String>,
    /// H0: the first agent is stronger by at most so many points of Elo.
    #[serde(default)]
    #[validate(range(min = -ELO_MAX, max = ELO_MAX))]
    #[schema(minimum = -400, maximum = 400, default = 0, example = 0)]
    pub elo0: i16,
    /// H1: the first agent is stronger by at least so many points of Elo. Greater than `elo0`.
    #[serde(default = "default_elo1")]
    #[validate(range(min = -ELO_MAX, max = ELO_MAX))]
    #[schema(minimum = -400, maximum = 400, default = 30, example = 30)]
    pub elo1: i16,
    /// The probability of the verdict `first_stronger` if H0 holds; to four decimal places.
    #[serde(default = "default_error")]
    #[validate(range(min = 0.001, max = 0.4))]
    #[schema(minimum = 0.001, maximum = 0.4, default = 0.05, example = 0.05)]
    pub alpha: f64,
    /// The probability of the verdict `not_stronger` if H1 holds; to four decimal places.
    #[serde(default = "default_error")]
    #[validate(range(min = 0.001, max = 0.4))]
    #[schema(minimum = 0.001, maximum = 0.4, default = 0.05, example = 0.05)]
    pub beta: f64,
    /// The number of matches after which the test ends without knowing; 1 to 500.
    #[serde(default = "default_matches")]
    #[validate(range(min = 1, max = MATCHES_MAX))]
    #[schema(minimum = 1, maximum = 500, default = 200, example = 200)]
    pub max_matches: u16,
}

impl Input for HeadToHeadRequest {}

fn default_elo1() -> i16 {
    30
}

fn default_error() -> f64 {
    0.05
}

fn default_matches() -> u16 {
    200
}

impl HeadToHeadRequest {
    /// The league, which validation has checked.
    pub(super) fn league(&self) -> League {
        self.league.parse().unwrap_or(League::Trivia)
    }

    /// The agents, whose number and ids validation has checked.
    pub(super) fn agents(&self) -> Option<[AgentId; 2]> {
        let ids: Vec<AgentId> = self.agent_ids.iter().filter_map(|id| id.parse().ok()).collect();
        ids.try_into().ok()
    }

    /// The first event of the test of these agents.
    pub(super) fn started(
        &self,
        (head_to_head_id, owner_id): (HeadToHeadId, OwnerId),
        [first, second]: [AgentId; 2],
    ) -> Started {
        Started {
            head_to_head_id,
            owner_id,
            league: self.league(),
            first,
            second,
            elo0: self.elo0,
            elo1: self.elo1,
            alpha: ten_thousandths(self.alpha),
            beta: ten_thousandths(self.beta),
            max_matches: self.max_matches,
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validation has bounded the number")]
fn ten_thousandths(share: f64) -> u16 {
    (share * 1e4).round() as u16
}

fn ascending(request: &HeadToHeadRequest) -> Result<(), ValidationError> {
    if request.elo1 > request.elo0 {
        return Ok(());
    }
    Err(ValidationError::new("hypotheses").with_message("elo1 must be greater than elo0".into()))
}

fn two_agents_schema() -> Array {
    let id = ObjectBuilder::new().schema_type(Type::String).pattern(Some(format!("^{}$", AgentId::FORM)));
    let description =
        "Two agents of the caller's owner: the one that may be stronger, and the one that it is compared with.";
    ArrayBuilder::new()
        .items(id)
        .min_items(Some(2))
        .max_items(Some(2))
        .unique_items(true)
        .description(Some(description))
        .build()
}

fn two_agents(ids: &[String]) -> Result<(), ValidationError> {
    if ids.len() == 2 && ids[0] == ids[1] {
        return Err(ValidationError::new("duplicate").with_message("the agents must be different".into()));
    }
    ids.iter().try_for_each(|id| id_of::<AgentId>(id))
}

/// A head-to-head test.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeadToHead {
    /// The test's id.
    #[schema(example = "vs_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The league.
    #[schema(example = "trivia")]
    pub league: String,
    /// The agent that may be stronger, and the one that it is compared with.
    pub agent_ids: Vec<String>,
    /// `running`; `paused` while the next match cannot begin; `ended`.
    #[schema(example = "running")]
    pub status: String,
    /// Why it is paused: `agent_unreachable`, `agent_busy`, `agent_not_enrolled`, `league_closed` or `budget_used_up`.
    pub paused_by: Option<String>,
    /// How it ended: `first_stronger` (H1), `not_stronger` (H0), `inconclusive` or `cancelled`.
    pub verdict: Option<String>,
    /// H0, in points of Elo.
    #[schema(example = 0)]
    pub elo0: i64,
    /// H1, in points of Elo.
    #[schema(example = 30)]
    pub elo1: i64,
    /// The probability of a wrong `first_stronger`.
    #[schema(example = 0.05)]
    pub alpha: f64,
    /// The probability of a wrong `not_stronger`.
    #[schema(example = 0.05)]
    pub beta: f64,
    /// The number of matches after which it ends.
    #[schema(example = 200)]
    pub max_matches: i64,
    /// The matches that the first agent won.
    #[schema(example = 12)]
    pub won: u32,
    /// The matches that were drawn.
    #[schema(example = 3)]
    pub drew: u32,
    /// The matches that the first agent lost.
    #[schema(example = 7)]
    pub lost: u32,
    /// The void matches, which do not count.
    #[schema(example = 0)]
    pub voided: i64,
    /// The logarithm of the ratio of the likelihoods of H1 and H0.
    #[schema(example = 0.41)]
    pub llr: f64,
    /// The test accepts H0 at this `llr`.
    #[schema(example = -2.944)]
    pub lower_bound: f64,
    /// The test accepts H1 at this `llr`.
    #[schema(example = 2.944)]
    pub upper_bound: f64,
    /// The difference in Elo that the matches suggest; null before the first.
    #[schema(example = 80.4)]
    pub elo: Option<f64>,
    /// The true difference is within so many points of `elo`, with 95 %.
    #[schema(example = 152.1)]
    pub elo_margin: Option<f64>,
    /// The match that is played.
    pub match_id: Option<String>,
    /// Position of the first event on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// When it was started.
    pub created_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

impl HeadToHead {
    pub(super) fn new(row: &HeadToHeadView, obstacle: Option<Obstacle>) -> Self {
        let ([elo0, elo1], [alpha, beta]) = (row.elo, row.errors.map(share));
        let hypotheses = Hypotheses { elo0: number(elo0), elo1: number(elo1), alpha, beta };
        let (lower, upper) = hypotheses.bounds();
        let estimate = row.counts.estimate();
        let status = match (row.verdict, obstacle) {
            (Some(_), _) => "ended",
            (None, Some(_)) => "paused",
            (None, None) => "running",
        };
        Self {
            id: row.id.to_string(),
            league: row.league.to_string(),
            agent_ids: row.agents.map(|agent_id| agent_id.to_string()).into(),
            status: status.to_owned(),
            paused_by: obstacle.map(|obstacle| obstacle.as_str().to_owned()),
            verdict: row.verdict.map(|verdict| verdict.to_string()),
            elo0,
            elo1,
            alpha,
            beta,
            max_matches: row.max_matches,
            won: row.counts.won,
            drew: row.counts.drew,
            lost: row.counts.lost,
            voided: row.voided,
            llr: rounded(hypotheses.log_likelihood_ratio(row.counts), 1e3),
            lower_bound: rounded(lower, 1e3),
            upper_bound: rounded(upper, 1e3),
            elo: estimate.map(|estimate| rounded(estimate.elo, 10.0)),
            elo_margin: estimate.map(|estimate| rounded(estimate.margin, 10.0)),
            match_id: row.match_id.clone(),
            position: row.position,
            created_at: row.created_at,
            ended_at: row.ended_at,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "the number has far fewer than 53 bits")]
fn number(number: i64) -> f64 {
    number as f64
}

fn share(ten_thousandths: i64) -> f64 {
    number(ten_thousandths) / 1e4
}

fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}

/// A head-to-head test with its matches.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeadToHeadReport {
    #[serde(flatten)]
    #[schema(inline)]
    pub test: HeadToHead,
    /// Its latest matches, newest first; at most 200.
    pub matches: Vec<HeadToHeadMatch>,
}

/// A match of a head-to-head test.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeadToHeadMatch {
    /// The match.
    #[schema(example = "match_01h2e8kqvbfwea724h75qc655w")]
    pub match_id: String,
    /// `won`, `drew` or `lost` by the first agent, or `void`; null while it is played, and if the test ended before it.
    pub result: Option<String>,
}

impl HeadToHeadReport {
    pub(super) fn new(row: &HeadToHeadView, obstacle: Option<Obstacle>, matches: Vec<HeadToHeadMatchView>) -> Self {
        let shown = |HeadToHeadMatchView { match_id, result }| HeadToHeadMatch { match_id, result };
        Self { test: HeadToHead::new(row, obstacle), matches: matches.into_iter().map(shown).collect() }
    }
}
