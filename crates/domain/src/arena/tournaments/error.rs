//! Why a command on a tournament is refused.

/// Why a command on a tournament is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TournamentError {
    /// No tournament has this id.
    #[error("no tournament has this id")]
    NotFound,
    /// The tournament belongs to another owner.
    #[error("the tournament belongs to another owner")]
    NotYours,
    /// It has started, or has ended.
    #[error("the registration of the tournament is closed")]
    RegistrationClosed,
    /// It has not started.
    #[error("the tournament has not started")]
    NotStarted,
    /// It has ended.
    #[error("the tournament has ended")]
    Over,
    /// It has as many players as it admits.
    #[error("the tournament has as many players as it admits")]
    Full,
    /// An owner that did not create it has as many players in it as one may have.
    #[error("the owner has as many players in the tournament as one may have")]
    OwnerFull,
    /// It has too few players to start.
    #[error("the tournament has fewer than two players")]
    TooFew,
    /// The owner has as many open tournaments as one may have.
    #[error("the owner has as many open tournaments as one may have")]
    TooMany,
    /// The number of players is out of its range.
    #[error("the number of players is out of the range of the system")]
    Players,
    /// The number of rounds is out of its range. A round-robin has one for each opponent.
    #[error("the number of rounds is out of the range of the system")]
    Rounds,
    /// The pairing is not one that waits for a match.
    #[error("the pairing does not wait for a match")]
    NotWaiting,
    /// The match is not played in the open round.
    #[error("no pairing of the open round has this match")]
    OtherMatch,
    /// The time limit has not passed.
    #[error("the time limit has not passed")]
    NotDue,
}
