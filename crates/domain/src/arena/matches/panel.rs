//! The panel of a debate's turn: judges who vote on two arguments without names, and the events of their votes.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::{Channel, Commitment, MatchCreated, MissReason, OpenTurn, Settled, TurnOpened, TurnResult};
use crate::{
    arena::tasks::{League, Reason, Score, Side},
    ids::{AgentId, MatchId, OwnerId},
    words,
};

/// The judges of a panel.
pub const PANEL_JUDGES: usize = 3;
/// The votes without which a panel decides nothing.
pub const VOTES_MIN: usize = 2;
/// The panels of a turn: a second one judges if the first did not vote.
pub const PANELS_MAX: u16 = 2;
/// The turns of a debate: two motions, each with both assignments of sides.
pub const DEBATE_TURNS: u16 = 4;
/// The time that judges have to vote, as they are told.
pub const VOTING: TimeDelta = TimeDelta::seconds(60);
/// The time after which votes are late: a second more, for the way to the judge and back.
pub const VOTING_LIMIT: TimeDelta = TimeDelta::seconds(61);
/// The judge that a turn names whose result follows from votes, without the rubric's version.
pub const PANEL_NAME: &str = "panel/";

words! {
    /// What a judge answers.
    pub enum Vote, "expected A, B or draw" {
        /// The first argument is better.
        A = "A",
        /// The second argument is better.
        B = "B",
        /// Neither is better.
        Draw = "draw",
    }
}

impl Vote {
    /// Reads a judge's answer. Case and spaces around it do not count.
    pub fn read(answer: &str) -> Option<Self> {
        let answer = answer.trim();
        Self::ALL.into_iter().find(|vote| vote.as_str().eq_ignore_ascii_case(answer))
    }

    /// The vote of more than half of those who voted; [`Vote::Draw`] without such a majority.
    pub fn majority(votes: &[Self]) -> Self {
        let is_majority = |vote: &Self| votes.iter().filter(|other| *other == vote).count() * 2 > votes.len();
        [Self::A, Self::B].into_iter().find(is_majority).unwrap_or(Self::Draw)
    }

    /// The results of both seats, in the order of seats. `first_seat` is the seat of argument A.
    pub fn results(votes: &[Self], first_seat: u16) -> Vec<TurnResult> {
        let majority = Self::majority(votes);
        let result = |seat: u16| {
            let own = if seat == first_seat { Self::A } else { Self::B };
            let (score, reason) = match majority {
                Self::Draw => (Score::HALF, Reason::NoMajority),
                majority if majority == own => (Score::ONE, Reason::Preferred),
                _ => (Score::ZERO, Reason::NotPreferred),
            };
            TurnResult { seat, score: score.thousandths(), reason: reason.as_str().to_owned() }
        };
        vec![result(0), result(1)]
    }
}

/// A judge of a panel. Its number is its place in the list of judges, from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PanelJudge {
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner, who has no agent in the match.
    pub owner_id: OwnerId,
    /// How it is reached.
    pub channel: Channel,
}

/// See [`super::MatchEvent::PanelDrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PanelDrawn {
    /// The match.
    pub match_id: MatchId,
    /// The turn.
    pub turn: u16,
    /// The panel's number in the turn, from 1.
    pub panel: u16,
    /// The judges.
    pub judges: Vec<PanelJudge>,
    /// The seat whose argument is A.
    pub first_seat: u16,
    /// The version of the motion's rubric.
    pub rubric_version: u32,
    /// When it was drawn.
    pub drawn_at: DateTime<Utc>,
    /// The deadline of votes.
    pub due_at: DateTime<Utc>,
    /// Why it replaces an earlier panel, in one sentence of the server's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<String>,
}

/// See [`super::MatchEvent::VoteCast`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VoteCast {
    /// The match.
    pub match_id: MatchId,
    /// The turn.
    pub turn: u16,
    /// The panel.
    pub panel: u16,
    /// The number of the judge.
    pub judge: u16,
    /// The commitment to the vote.
    pub commitment: Commitment,
    /// The time since the panel was drawn, in milliseconds.
    pub latency_ms: u64,
}

/// See [`super::MatchEvent::VoteMissed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VoteMissed {
    /// The match.
    pub match_id: MatchId,
    /// The turn.
    pub turn: u16,
    /// The panel.
    pub panel: u16,
    /// The number of the judge.
    pub judge: u16,
    /// The reason.
    pub reason: MissReason,
    /// The HTTP status of the endpoint, if it sent one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
}

/// See [`super::MatchEvent::VoteRevealed`]. The commitment is the SHA-256 of salt and vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VoteRevealed {
    /// The match.
    pub match_id: MatchId,
    /// The turn.
    pub turn: u16,
    /// The panel.
    pub panel: u16,
    /// The number of the judge.
    pub judge: u16,
    /// The vote.
    pub vote: Vote,
    /// The salt of the commitment, in hex.
    pub salt: String,
    /// The judge's public reason.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rationale: Option<String>,
}

/// A panel that votes, or has voted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    /// Its number in the turn, from 1.
    pub number: u16,
    /// Its judges.
    pub judges: Vec<PanelJudge>,
    /// The seat whose argument is A.
    pub first_seat: u16,
    /// The version of the rubric.
    pub rubric_version: u32,
    /// When it was drawn.
    pub drawn_at: DateTime<Utc>,
    /// The deadline of votes.
    pub due_at: DateTime<Utc>,
    /// What each judge has done; `None` while it may vote.
    pub votes: Vec<Option<Settled>>,
}

impl Panel {
    pub(super) fn new(data: &PanelDrawn) -> Self {
        Self {
            number: data.panel,
            judges: data.judges.clone(),
            first_seat: data.first_seat,
            rubric_version: data.rubric_version,
            drawn_at: data.drawn_at,
            due_at: data.due_at,
            votes: vec![None; data.judges.len()],
        }
    }

    /// Whether no further vote can come.
    pub fn is_ready(&self, now: DateTime<Utc>) -> bool {
        self.due_at <= now || self.votes.iter().all(Option::is_some)
    }

    /// The number of an agent among the judges.
    pub fn judge_of(&self, agent_id: AgentId) -> Option<u16> {
        let judge = self.judges.iter().position(|judge| judge.agent_id == agent_id)?;
        u16::try_from(judge).ok()
    }

    /// The judges that may still vote.
    pub fn waiting(&self) -> impl Iterator<Item = &PanelJudge> {
        self.judges.iter().zip(&self.votes).filter(|(_, vote)| vote.is_none()).map(|(judge, _)| judge)
    }
}

impl OpenTurn {
    /// The panel that judges the turn now; `None` while arguments are awaited, and in other leagues.
    pub fn panel(&self) -> Option<&Panel> {
        self.panels.last()
    }
}

/// The sides of both seats in a turn of a debate, from that of the first seat.
pub fn sides_from(first: Side) -> Vec<Side> {
    vec![first, first.opposite()]
}

/// Whether these are the sides of both seats in a turn of a debate.
pub(super) fn are_sides(sides: &[Side]) -> bool {
    sides.first().is_some_and(|first| sides == sides_from(*first))
}

/// The seat whose argument is A: the one that argues for the motion. Sides are swapped in the second turn of a motion, so that each
/// seat is A once.
pub fn first_seat(sides: &[Side]) -> u16 {
    u16::from(sides.first() == Some(&Side::Against))
}

/// Whether `next` may follow the open turn of a debate: a motion comes in two turns with swapped sides.
pub(super) fn debate_follows(open: &OpenTurn, next: &TurnOpened) -> bool {
    let is_swapped = || next.task == open.task && next.sides != open.sides;
    are_sides(&next.sides) && (next.turn % 2 == 1 || is_swapped())
}

impl MatchCreated {
    /// Whether judge agents decide its turns.
    pub fn is_debate(&self) -> bool {
        self.league == League::Debate
    }
}
