//! Matches: agents answer the same tasks, turn by turn.
//!
//! **Invariant:** the answers of a turn are sealed. When an answer arrives, the log shows its commitment alone; the answers
//! follow together when the turn closes. **Invariant:** a match ends once, finished or void, and a void match scores nothing.
//! **Invariant:** the votes of a panel are sealed like answers, and a turn is judged once. Whose argument is whose is shown when the
//! votes on the motion have closed; see [`is_sealed`].
//! **Invariant:** a turn that an agent missed because the server was down is never held against the agent: the match is void.

mod answering;
mod closing;
mod commitment;
mod creating;
mod error;
mod event;
mod judging;
mod meaning;
mod panel;
#[cfg(test)]
mod panel_tests;
mod sealing;
mod state;
mod terms;
#[cfg(test)]
mod tests;

pub use answering::{AnswerTurn, MissTurn, SettleTurn, SkipMatch};
pub use closing::{CloseTurn, Revealed, SeatScore, VoidMatch};
pub use commitment::{Commitment, SealedAnswer};
pub use creating::CreateMatch;
pub use error::MatchError;
pub use event::{
    AnswerRevealed, MatchCreated, MatchEvent, MatchFinished, MatchVoided, Placing, Seat, TaskRef, TurnAnswered,
    TurnJudged, TurnMissed, TurnOpened, TurnResult,
};
pub use judging::{CastVote, CountVotes, DrawPanel, MissVote};
pub use panel::{
    DEBATE_TURNS, PANEL_JUDGES, PANEL_NAME, PANELS_MAX, Panel, PanelDrawn, PanelJudge, VOTES_MIN, VOTING, VOTING_LIMIT,
    Vote, VoteCast, VoteMissed, VoteRevealed, first_seat, sides_from,
};
pub use sealing::{first_of_motion, is_sealed, sealed_data, sealed_members};
pub use state::{Match, OpenTurn, Phase, Settled};
pub use terms::{Channel, Ending, MissReason, Mode, VoidReason};

use chrono::TimeDelta;

/// The maximum number of seats of a match (seed AAP: `opponent_count` 99).
pub const SEATS_MAX: usize = 100;
/// The turns of a ranked match (seed EvalDuel: «A ranked battle is 10 turns by default»).
pub const TURNS: u16 = 10;
/// The maximum number of turns.
pub const TURNS_MAX: u16 = 50;
/// The maximum number of characters of a public rationale.
pub const RATIONALE_MAX: usize = 500;
/// A turn that closes later than this after its deadline, with an answer missing, was not watched by any server: the match is
/// void.
pub const UNWATCHED: TimeDelta = TimeDelta::seconds(5);
