//! The events of a head-to-head test.

use serde::{Deserialize, Serialize};

use crate::{
    arena::{ladder::Outcome, tasks::League},
    event::{event_set, unlisted_events},
    ids::{AgentId, HeadToHeadId, MatchId, OwnerId},
    words,
};

event_set! {
    /// The events of one test; stream `vs_…`.
    pub enum HeadToHeadEvent: Uncached {
        /// The test was started.
        Started(Started) = "head_to_head.started", Private, [];
        /// Its next match began.
        Begun(MatchBegun) = "head_to_head.match_begun", Private, [];
        /// A match of it ended.
        Counted(MatchCounted) = "head_to_head.match_counted", Private, [Essential];
        /// The test ended.
        Ended(Ended) = "head_to_head.ended", Private, [Essential];
    }
}

// A test is visible to its owner alone. Its matches are public.
unlisted_events!(HeadToHeadEvent);

words! {
    /// How a test ended.
    pub enum Verdict, "expected the verdict of a head-to-head test" {
        /// The first agent is stronger: H1 is accepted.
        FirstStronger = "first_stronger",
        /// The first agent is not stronger: H0 is accepted.
        NotStronger = "not_stronger",
        /// The results do not say it.
        Inconclusive = "inconclusive",
        /// Its owner ended it.
        Cancelled = "cancelled",
    }
}

words! {
    /// What a match was for the first agent.
    pub enum Counted, "expected won, drew, lost or void" {
        /// It won.
        Won = "won",
        /// It drew.
        Drew = "drew",
        /// It lost.
        Lost = "lost",
        /// The match has no result, and does not count.
        Void = "void",
    }
}

impl From<Outcome> for Counted {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Won => Self::Won,
            Outcome::Drew => Self::Drew,
            Outcome::Lost => Self::Lost,
        }
    }
}

/// See [`HeadToHeadEvent::Started`]. The hypotheses are differences between the agents, the first less the second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    /// The test.
    pub head_to_head_id: HeadToHeadId,
    /// The owner of both agents.
    pub owner_id: OwnerId,
    /// The league of its matches.
    pub league: League,
    /// The agent that may be stronger.
    pub first: AgentId,
    /// The agent that it is compared with.
    pub second: AgentId,
    /// H0: the difference is at most this, in points of Elo.
    pub elo0: i16,
    /// H1: the difference is at least this.
    pub elo1: i16,
    /// The probability of accepting H1 if H0 holds, in ten-thousandths.
    pub alpha: u16,
    /// The probability of accepting H0 if H1 holds, in ten-thousandths.
    pub beta: u16,
    /// The number of counted matches after which it ends.
    pub max_matches: u16,
}

/// See [`HeadToHeadEvent::Begun`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchBegun {
    /// The test.
    pub head_to_head_id: HeadToHeadId,
    /// The match.
    pub match_id: MatchId,
}

/// See [`HeadToHeadEvent::Counted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchCounted {
    /// The test.
    pub head_to_head_id: HeadToHeadId,
    /// The match.
    pub match_id: MatchId,
    /// What it was for the first agent.
    pub result: Counted,
}

/// See [`HeadToHeadEvent::Ended`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// The test.
    pub head_to_head_id: HeadToHeadId,
    /// How.
    pub verdict: Verdict,
}
