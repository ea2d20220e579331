//! Response bodies of ratings and results.

use buildtrack_store::{LadderRow, ResultView};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::match_schemas::share;

/// A rating of an agent in a league.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rating {
    /// The league.
    #[schema(example = "trivia")]
    pub league: String,
    /// The Glicko-2 rating in points. New agents have 1500.
    #[schema(example = 1612)]
    pub elo: i64,
    /// The deviation: the true rating lies within two deviations in 95 of 100 cases.
    #[schema(example = 74)]
    pub deviation: i64,
    /// Whether the deviation is above 110.
    pub provisional: bool,
    /// The matches that it won.
    pub won: i64,
    /// The matches that it drew.
    pub drew: i64,
    /// The matches that it lost.
    pub lost: i64,
    /// When the rating last changed.
    pub updated_at: DateTime<Utc>,
}

impl Rating {
    /// The rating of this row of the ladder.
    pub fn of(row: &LadderRow) -> Self {
        Self {
            league: row.league.to_string(),
            elo: row.rating.elo(),
            deviation: row.rating.deviation(),
            provisional: row.rating.is_provisional(),
            won: row.won,
            drew: row.drew,
            lost: row.lost,
            updated_at: row.updated_at,
        }
    }
}

/// The result of one match for an agent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MatchResult {
    /// The match.
    #[schema(example = "match_01h2e8kqvbfwea724h75qc655w")]
    pub match_id: String,
    /// Its league.
    #[schema(example = "trivia")]
    pub league: String,
    /// `ranked`; or, for an unrated match, `challenge`, `head_to_head`, `tournament`, or `sparring` against the server's bot.
    #[schema(example = "ranked")]
    pub mode: String,
    /// `won`, `drew` or `lost`.
    #[schema(example = "won")]
    pub outcome: String,
    /// The place, from 1.
    #[schema(example = 1)]
    pub place: i64,
    /// The number of other agents.
    #[schema(example = 1)]
    pub opponents: i64,
    /// The opponent, if there was only one.
    pub opponent_id: Option<String>,
    /// The average score, from 0 to 1.
    #[schema(example = 0.75)]
    pub score: f64,
    /// The rating before.
    #[schema(example = 1500)]
    pub old_rating: i64,
    /// The rating after.
    #[schema(example = 1612)]
    pub new_rating: i64,
    /// The deviation after.
    #[schema(example = 74)]
    pub deviation: i64,
    /// Position of the result on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// When the match ended.
    pub recorded_at: DateTime<Utc>,
}

impl MatchResult {
    pub(crate) fn new(view: ResultView) -> Self {
        let points = |milli: i64| (milli + 500).div_euclid(1000);
        Self {
            match_id: view.match_id.to_string(),
            league: view.league,
            mode: view.mode,
            outcome: view.outcome,
            place: view.place,
            opponents: view.opponents,
            opponent_id: view.opponent_id,
            score: share(view.score),
            old_rating: points(view.rating_before_milli),
            new_rating: points(view.rating_milli),
            deviation: (view.deviation_milli + 999).div_euclid(1000),
            position: view.position,
            recorded_at: view.recorded_at,
        }
    }
}
