//! Why a command on a match is refused.

/// Why a command on a match is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// No match has this id.
    #[error("no match has this id")]
    NotFound,
    /// The match has ended.
    #[error("the match has ended")]
    Over,
    /// The agent has no seat in the match.
    #[error("the agent does not take part in this match")]
    NotYourMatch,
    /// Another turn is open.
    #[error("turn {current} is open")]
    WrongTurn {
        /// The turn that is open.
        current: u16,
    },
    /// The agent has answered this turn, or has missed it.
    #[error("the agent's answer to this turn is settled")]
    AlreadySettled,
    /// The turn's deadline has passed.
    #[error("the deadline of the turn has passed")]
    Late,
    /// Answers are missing, and the deadline has not passed.
    #[error("the turn waits for answers")]
    NotDue,
    /// The number of seats is not between 2 and the maximum.
    #[error("a match has from 2 to 100 agents")]
    SeatCount,
    /// An agent has two seats.
    #[error("an agent takes part in a match once")]
    SameAgent,
    /// Two agents of a ranked match have the same owner.
    #[error("agents of one owner play no ranked match against each other")]
    SameOwner,
    /// The number of turns is not between 1 and the maximum.
    #[error("a match has from 1 to 50 turns")]
    TurnCount,
    /// A ranked match has a challenger, or a challenge has none.
    #[error("an owner asks for a challenge, and for no ranked match")]
    Challenger,
    /// The sparring bot plays against several agents, debates, or plays in a match of another mode; or a sparring match is without it.
    #[error("the sparring bot plays against one agent, and does not debate")]
    Sparring,
    /// A debate has two seats.
    #[error("a debate has two agents")]
    DebateSeats,
    /// The panel is not one of three judges of different owners, none of whom plays.
    #[error("a panel has three judges of different owners, none of whom plays in the match")]
    Panel,
    /// The next turn is missing, or is not the one that follows.
    #[error("the next turn does not follow this one")]
    NextTurn,
    /// The judge's scores are not those of the agents that answered.
    #[error("the scores do not match the answers")]
    Scores,
}
