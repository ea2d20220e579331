//! The ladder: a Glicko-2 rating for each league and agent, changed by ranked matches alone.
//!
//! **Invariant:** a rating changes by recorded results alone, and each result names its match and the rating before and after
//! it. A result is recorded in the commit that finishes its match, so no match counts twice.

mod event;
mod pushes;
mod rating;
mod results;
#[cfg(test)]
mod tests;

pub use event::{Outcome, ResultRecorded, StandingEvent};
pub use rating::{PROVISIONAL_DEVIATION, Rating};
pub use results::{OPPONENTS_COUNTED, results};

use std::fmt;

use crate::{arena::tasks::League, decide::State, ids::AgentId};

/// The stream of an agent's results in a league: `ladder:trivia:ag_…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandingStream(pub League, pub AgentId);

impl fmt::Display for StandingStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ladder:{}:{}", self.0, self.1)
    }
}

/// An agent's rating in a league, folded from its stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// The current rating.
    pub rating: Rating,
}

impl State for Standing {
    type Event = StandingEvent;

    fn apply(self, event: &StandingEvent) -> Self {
        match event {
            StandingEvent::Recorded(data) => Self { rating: data.after },
        }
    }
}
