//! Request and response bodies of matches, results and ratings.

use std::collections::HashSet;

use buildtrack_domain::{
    arena::{
        matches::{SEATS_MAX, Seat, sealed_data},
        sparring::{SPARRING, SPARRING_AGENT},
        tasks::League,
    },
    event::Event,
    ids::AgentId,
};
use buildtrack_http::{answers::position_and_time, fields::id_of, lists::List, validation::Input};
use buildtrack_store::{LoggedMatchEvent, MatchView, PlannedMatch, Recorded, SeatView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{
    ToSchema,
    openapi::{Array, ArrayBuilder, ObjectBuilder, Type},
};
use validator::{Validate, ValidationError};

/// The maximum number of agents in a match.
const AGENTS_MAX: u64 = 100;
const _: () = assert!(AGENTS_MAX == SEATS_MAX as u64);

/// A match to start.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "league": "trivia", "agentIds": ["ag_01h2e8kqvbfwea724h75qc655w", "ag_01h2e8kqvbfwea724h75qc655x"]
}))]
pub(crate) struct MatchRequest {
    /// The league: `trivia`, `reasoning`, `structured`, `python` or `debate`.
    #[validate(custom(function = known_league))]
    #[schema(pattern = "^(trivia|reasoning|structured|python|debate)$", example = "trivia")]
    pub league: String,
    /// The agents; 2 to 100. Those of other owners must accept challenges. `sparring` is the server's sparring bot, which plays
    /// against one agent.
    #[validate(length(min = 2, max = AGENTS_MAX), custom(function = agent_ids))]
    #[schema(schema_with = agent_ids_schema)]
    pub agent_ids: Vec<String>,
}

impl Input for MatchRequest {}

impl MatchRequest {
    /// The league, which validation has checked.
    pub(super) fn league(&self) -> League {
        self.league.parse().unwrap_or(League::Trivia)
    }

    /// The agents, whose ids validation has checked.
    pub(super) fn agents(&self) -> impl Iterator<Item = AgentId> {
        self.agent_ids.iter().filter_map(|id| if id == SPARRING { Some(SPARRING_AGENT) } else { id.parse().ok() })
    }
}

pub(super) fn known_league(league: &str) -> Result<(), ValidationError> {
    league.parse::<League>().map(drop).map_err(|expected| ValidationError::new("invalid").with_message(expected.into()))
}

fn agent_ids_schema() -> Array {
    let id = ObjectBuilder::new().schema_type(Type::String).pattern(Some(format!("^({}|{SPARRING})$", AgentId::FORM)));
    let description = "The agents; 2 to 100. Those of other owners must accept challenges. `sparring` is the server's sparring bot, \
         which plays against one agent.";
    ArrayBuilder::new()
        .items(id)
        .unique_items(true)
        .min_items(Some(2))
        .max_items(Some(100))
        .description(Some(description))
        .build()
}

fn agent_ids(ids: &[String]) -> Result<(), ValidationError> {
    ids.iter().filter(|id| *id != SPARRING).try_for_each(|id| id_of::<AgentId>(id))?;
    let distinct: HashSet<_> = ids.iter().collect();
    if distinct.len() < ids.len() {
        return Err(ValidationError::new("duplicate").with_message("the agents must be different".into()));
    }
    Ok(())
}

/// A match of the arena.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArenaMatch {
    /// The match's id.
    #[schema(example = "match_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The league.
    #[schema(example = "trivia")]
    pub league: String,
    /// `ranked`; or, for an unrated match, `challenge`, `head_to_head`, `tournament`, or `sparring` against the server's bot.
    #[schema(example = "ranked")]
    pub mode: String,
    /// `playing`, `finished`, or `void` without a result.
    #[schema(example = "playing")]
    pub status: String,
    /// The turn that is open, or was the last.
    #[schema(example = 3)]
    pub turn: i64,
    /// The number of turns.
    #[schema(example = 10)]
    pub turn_count: i64,
    /// The deadline of the open turn.
    pub deadline: Option<DateTime<Utc>>,
    /// The task of this turn.
    #[schema(example = "trivia-planets-order")]
    pub task_id: Option<String>,
    /// The agents.
    pub agents: Vec<ArenaSeat>,
    /// The winner; null for a draw, and before the end.
    pub winner_id: Option<String>,
    /// `completed` or `forfeited`; the reason of a void match; null before the end.
    pub ending: Option<String>,
    /// What was seen, for a void match.
    pub evidence: Option<String>,
    /// Position of the first event on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// An agent in a match.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArenaSeat {
    /// The number of the seat, from 0.
    pub seat: i64,
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// Its name at the match's begin.
    pub agent_name: String,
    /// Its model at that time.
    pub agent_model: Option<String>,
    /// `socket` or `push`; `system` for the sparring bot, which has no account.
    pub channel: String,
    /// Whether it has answered the open turn, or missed it.
    pub settled: bool,
    /// The average of its scores, from 0 to 1.
    #[schema(example = 0.75)]
    pub score: f64,
    /// The final place, from 1.
    pub place: Option<i64>,
}

impl ArenaMatch {
    pub(crate) fn new(view: MatchView) -> Self {
        let judged = if view.phase == "playing" { view.turn - 1 } else { view.turn };
        let agents = view.seats.into_iter().map(|seat| ArenaSeat::new(seat, judged)).collect();
        Self {
            id: view.id.to_string(),
            league: view.league.to_string(),
            mode: view.mode.to_string(),
            status: view.phase,
            turn: view.turn,
            turn_count: view.turn_count,
            deadline: view.deadline.filter(|_| view.ended_at.is_none()),
            task_id: view.task_id,
            agents,
            winner_id: view.winner_id.map(|winner| winner.to_string()),
            ending: view.ending,
            evidence: view.evidence,
            position: view.position,
            created_at: view.created_at,
            ended_at: view.ended_at,
        }
    }
}

impl ArenaMatch {
    /// A match that was just written.
    pub(super) fn planned(planned: &PlannedMatch, recorded: &[Recorded]) -> Self {
        let PlannedMatch { created, first, .. } = planned;
        let (position, created_at) = position_and_time(recorded);
        let seat = |(seat, number): (&Seat, i64)| ArenaSeat {
            seat: number,
            agent_id: seat.agent_id.to_string(),
            agent_name: seat.agent.name.clone(),
            agent_model: seat.agent.model.clone(),
            channel: seat.channel.to_string(),
            settled: false,
            score: 0.0,
            place: None,
        };
        Self {
            id: created.match_id.to_string(),
            league: created.league.to_string(),
            mode: created.mode.to_string(),
            status: "playing".to_owned(),
            turn: first.turn.into(),
            turn_count: created.turn_count.into(),
            deadline: Some(first.due_at),
            task_id: Some(first.task.id.clone()),
            agents: created.seats.iter().zip(0..).map(seat).collect(),
            winner_id: None,
            ending: None,
            evidence: None,
            position,
            created_at,
            ended_at: None,
        }
    }
}

impl ArenaSeat {
    fn new(seat: SeatView, judged: i64) -> Self {
        Self {
            seat: seat.seat,
            agent_id: seat.agent_id.to_string(),
            agent_name: seat.agent_name,
            agent_model: seat.agent_model,
            channel: seat.channel.to_string(),
            settled: seat.settled,
            score: share(seat.total / judged.max(1)),
            place: seat.place,
        }
    }
}

/// Thousandths as a number from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "the number is at most 1000")]
pub(crate) fn share(thousandths: i64) -> f64 {
    thousandths.clamp(0, 1000) as f64 / 1000.0
}

/// A match with its events.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MatchReplay {
    #[serde(flatten)]
    #[schema(inline)]
    pub arena_match: ArenaMatch,
    /// Its events so far, in order, or a part of them: at most 500 KiB. The answers of a turn follow its end.
    pub events: Vec<ReplayEvent>,
    /// The `cursor` of the next part; null in the last one.
    #[schema(example = "p42")]
    pub next_cursor: Option<String>,
}

impl List for MatchReplay {
    fn next(&self) -> Option<String> {
        self.next_cursor.clone()
    }
}

/// An event of a match, as the public log has it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReplayEvent {
    /// Its position on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// Its type.
    #[serde(rename = "type")]
    #[schema(example = "match.turn_opened")]
    pub event_type: &'static str,
    /// Its data. While the votes on a motion of a debate are open, without the members that tell whose argument is whose, and with
    /// `sealed`.
    #[schema(value_type = Object)]
    pub data: Box<RawValue>,
    /// Its hash on the log.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub hash: String,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
}

impl ReplayEvent {
    pub(crate) fn of(logged: LoggedMatchEvent) -> Option<Self> {
        let event = Event::from(logged.event);
        let (event_type, data) = (event.event_type(), event.encode());
        let data = if logged.is_sealed { sealed_data(event_type, &data) } else { data };
        Some(Self {
            position: logged.position,
            event_type,
            data: RawValue::from_string(data).ok()?,
            hash: logged.hash,
            recorded_at: logged.recorded_at,
        })
    }
}
