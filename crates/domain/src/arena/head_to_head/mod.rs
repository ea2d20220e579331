//! Head-to-head: a sequential test whether one of two agents of an owner is stronger than the other, as between two versions of it.
//! They play unrated matches, one after another, until the results say it.
//!
//! **Invariant:** one match is played at a time, and its result counts once. **Invariant:** a test ends once, and its verdict is
//! recorded: the floating-point numbers behind it are never calculated for it again.

mod commands;
mod error;
mod event;
mod sprt;
mod state;
#[cfg(test)]
mod tests;

pub use commands::{BeginNext, Cancel, CountMatch, GiveUp, Start};
pub use error::HeadToHeadError;
pub use event::{Counted, Ended, HeadToHeadEvent, MatchBegun, MatchCounted, Started, Verdict};
pub use sprt::{Counts, Estimate, Hypotheses};
pub use state::HeadToHead;

use chrono::TimeDelta;

/// The maximum number of matches of a test.
pub const MATCHES_MAX: u16 = 500;
/// The number of void matches in a row that ends a test.
pub const VOIDS_MAX: u16 = 10;
/// The largest difference that a hypothesis states, in points of Elo.
pub const ELO_MAX: i16 = 400;
/// The smallest and the largest probability of error, in ten-thousandths.
pub const ERROR_MIN: u16 = 10;
/// See [`ERROR_MIN`].
pub const ERROR_MAX: u16 = 4000;
/// A test without a counted match for so long ends.
pub const PATIENCE: TimeDelta = TimeDelta::hours(24);
