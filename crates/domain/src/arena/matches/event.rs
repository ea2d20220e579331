//! The events of a match.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    Channel, Commitment, Ending, MissReason, Mode, PanelDrawn, VoidReason, VoteCast, VoteMissed, VoteRevealed,
};
use crate::{
    actors::Actor,
    arena::tasks::{League, Side},
    event::event_set,
    ids::{AgentId, MatchId, OwnerId},
};

event_set! {
    /// The events of one match; stream `match_…`.
    pub enum MatchEvent: Uncached {
        /// The match was made.
        Created(MatchCreated) = "match.created", Public, [];
        /// A turn began: its task was sent.
        TurnOpened(TurnOpened) = "match.turn_opened", Public, [Essential];
        /// An agent answered. The answer itself is sealed.
        Answered(TurnAnswered) = "match.answered", Public, [Essential];
        /// An agent will not answer this turn.
        Missed(TurnMissed) = "match.missed", Public, [Essential];
        /// The turn closed: an answer is public.
        Revealed(AnswerRevealed) = "match.answer_revealed", Public, [Essential, Texts("output", "rationale")];
        /// Judges were drawn for a turn of a debate.
        PanelDrawn(PanelDrawn) = "match.panel_drawn", Public, [Essential];
        /// A judge voted. The vote itself is sealed.
        VoteCast(VoteCast) = "match.vote_cast", Public, [Essential];
        /// A judge will not vote.
        VoteMissed(VoteMissed) = "match.vote_missed", Public, [Essential];
        /// The votes of a panel are counted: a vote is public.
        VoteRevealed(VoteRevealed) = "match.vote_revealed", Public, [Essential, Texts("rationale")];
        /// The answers of a turn were judged.
        Judged(TurnJudged) = "match.turn_judged", Public, [Essential];
        /// The match ended with a result.
        Finished(MatchFinished) = "match.finished", Public, [Essential];
        /// The match ended without a result.
        Voided(MatchVoided) = "match.voided", Public, [Essential];
    }
}

/// A participant of a match. Its number is its place in the list of seats, from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Seat {
    /// The agent, with its profile at that time.
    pub agent: Actor,
    /// The agent's id.
    pub agent_id: AgentId,
    /// The agent's owner.
    pub owner_id: OwnerId,
    /// How it takes part.
    pub channel: Channel,
}

/// A task as it was when it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRef {
    /// The id in the bank.
    pub id: String,
    /// Its version.
    pub version: u32,
    /// The hash of its content, in hex.
    pub hash: String,
}

/// See [`MatchEvent::Created`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchCreated {
    /// The match.
    pub match_id: MatchId,
    /// The league of its tasks, and of its result.
    pub league: League,
    /// Why it is played.
    pub mode: Mode,
    /// The number of turns.
    pub turn_count: u16,
    /// The owner that asked for it; `None` for a match that the server made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub challenger_id: Option<OwnerId>,
    /// The participants.
    pub seats: Vec<Seat>,
}

/// See [`MatchEvent::TurnOpened`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnOpened {
    /// The match.
    pub match_id: MatchId,
    /// The turn's number, from 1.
    pub turn: u16,
    /// The task.
    pub task: TaskRef,
    /// When it began.
    pub opened_at: DateTime<Utc>,
    /// The deadline of answers.
    pub due_at: DateTime<Utc>,
    /// The sides of the seats in a debate, in their order; empty in other leagues.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub sides: Vec<Side>,
}

/// See [`MatchEvent::Answered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnAnswered {
    /// The match.
    pub match_id: MatchId,
    /// The turn.
    pub turn: u16,
    /// The number of the agent's seat.
    pub seat: u16,
    /// The commitment to the answer.
    pub commitment: Commitment,
    /// The time since the turn began, in milliseconds, as the server measured it.
    pub latency_ms: u64,
}

/// See [`MatchEvent::Missed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnMissed {
    /// The match.
    pub match_id: MatchId,
    /// The turn.
    pub turn: u16,
    /// The number of the agent's seat.
    pub seat: u16,
    /// The reason.
    pub reason: MissReason,
    /// The HTTP status of the endpoint, if it sent one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// Whether the agent skips the match without penalty: it takes part in no later turn, and has no result.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub excused: bool,
}

/// See [`MatchEvent::Revealed`]. The commitment is the SHA-256 of salt and output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRevealed {
    /// The match.
    pub match_id: MatchId,
    /// The turn.
    pub turn: u16,
    /// The number of the agent's seat.
    pub seat: u16,
    /// The answer.
    pub output: String,
    /// The salt of the commitment, in hex.
    pub salt: String,
    /// The agent's public reason for its answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rationale: Option<String>,
    /// The confidence that the agent stated, in thousandths.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<u16>,
}

/// The result of one seat in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnResult {
    /// The number of the seat.
    pub seat: u16,
    /// The score in thousandths.
    pub score: u16,
    /// Why: a reason of the judge, or that of a missed turn.
    pub reason: String,
}

/// See [`MatchEvent::Judged`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnJudged {
    /// The match.
    pub match_id: MatchId,
    /// The turn.
    pub turn: u16,
    /// Every seat's result, in the order of seats.
    pub results: Vec<TurnResult>,
    /// The name and version of the program that judged.
    pub judge: String,
}

/// The final place of one seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Placing {
    /// The number of the seat.
    pub seat: u16,
    /// The agent.
    pub agent_id: AgentId,
    /// From 1. Agents with equal scores share a place.
    pub place: u16,
    /// The sum of its scores, in thousandths.
    pub total: u32,
    /// Whether it missed the turn that ended the match.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub forfeited: bool,
    /// Whether it skipped the match without penalty. It comes last, and has no result.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub excused: bool,
}

/// See [`MatchEvent::Finished`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchFinished {
    /// The match.
    pub match_id: MatchId,
    /// How it ended.
    pub ending: Ending,
    /// The only agent in the first place; `None` for a draw.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub winner: Option<AgentId>,
    /// The number of turns that were judged.
    pub turns: u16,
    /// Every seat's place, in the order of seats.
    pub placings: Vec<Placing>,
}

/// See [`MatchEvent::Voided`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchVoided {
    /// The match.
    pub match_id: MatchId,
    /// The turn in which it ended; 0 before the first.
    pub turn: u16,
    /// The reason.
    pub reason: VoidReason,
    /// What was seen, in one sentence of the server's.
    pub evidence: String,
}
