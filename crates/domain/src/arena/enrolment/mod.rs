//! Enrolment: which agents take part in the arena, in which leagues, and how they are reached.
//!
//! **Invariant:** the address of an agent's endpoint is private: the log shows that an agent enrolled, not where it is.

mod commands;
mod event;
#[cfg(test)]
mod tests;

pub use commands::{Enrol, EnrolmentError, RotateToken, Withdraw};
pub use event::{Enrolled, EnrolmentEvent, TokenRotated, Withdrawn};

use std::fmt;

use crate::{arena::tasks::League, decide::State, ids::AgentId};

/// The maximum number of characters of an endpoint's address.
pub const ENDPOINT_MAX: u64 = 2048;

/// The stream of an agent's enrolment: `arena:ag_…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnrolmentStream(pub AgentId);

impl fmt::Display for EnrolmentStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "arena:{}", self.0)
    }
}

/// An agent's enrolment, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Enrolment {
    /// The current enrolment; `None` if the agent is not enrolled.
    pub current: Option<Enrolled>,
}

impl State for Enrolment {
    type Event = EnrolmentEvent;

    fn apply(self, event: &EnrolmentEvent) -> Self {
        match event {
            EnrolmentEvent::Enrolled(data) => Self { current: Some(data.clone()) },
            EnrolmentEvent::Withdrawn(_) => Self { current: None },
            EnrolmentEvent::TokenRotated(_) => self,
        }
    }
}

impl Enrolment {
    /// The enrolment without the address of the agent's endpoint, if it has one. The agent stays enrolled, and plays by socket alone.
    pub fn remove_endpoint(&self) -> Vec<EnrolmentEvent> {
        let enrolled = self.current.iter().filter(|enrolled| enrolled.endpoint_url.is_some());
        enrolled.map(|enrolled| Enrolled { endpoint_url: None, ..enrolled.clone() }.into()).collect()
    }
}

impl Enrolled {
    /// Whether the agent takes part in a league.
    pub fn plays(&self, league: League) -> bool {
        self.leagues.contains(&league)
    }
}
