//! Why a command on a head-to-head test is refused.

/// Why a command on a head-to-head test is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeadToHeadError {
    /// No test has this id, or another owner's has.
    #[error("no head-to-head test has this id")]
    NotFound,
    /// The test has ended.
    #[error("the head-to-head test has ended")]
    Over,
    /// A match of the test is played.
    #[error("a match of the head-to-head test is played")]
    Playing,
    /// The match is not the one that is played.
    #[error("the match is not the one that the head-to-head test waits for")]
    OtherMatch,
    /// Both agents are the same.
    #[error("a head-to-head test compares two different agents")]
    SameAgent,
    /// The second hypothesis is not above the first.
    #[error("elo1 is greater than elo0")]
    Hypotheses,
    /// A number is out of its range.
    #[error("a number of the head-to-head test is out of its range")]
    Range,
    /// The test counted a match within the time limit.
    #[error("the head-to-head test has counted a match within the time limit")]
    NotIdle,
}
