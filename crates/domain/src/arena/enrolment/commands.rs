//! Enrolling, withdrawing, and a new arena token.

use super::{Enrolled, Enrolment, EnrolmentEvent, TokenRotated, Withdrawn};
use crate::{decide::Command, ids::AgentId};

/// Why a command on an enrolment is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EnrolmentError {
    /// The lists of leagues are empty.
    #[error("an enrolment names at least one league to play or judge in")]
    NoLeague,
    /// The agent is not enrolled.
    #[error("the agent is not enrolled in the arena")]
    NotEnrolled,
}

/// Enrols an agent, or changes its enrolment. The same enrolment again changes nothing.
#[derive(Debug, Clone)]
pub struct Enrol(pub Enrolled);

impl Command for Enrol {
    type State<'a> = &'a Enrolment;
    type Event = EnrolmentEvent;
    type Error = EnrolmentError;

    fn decide(&self, state: &Enrolment) -> Result<Vec<EnrolmentEvent>, EnrolmentError> {
        if self.0.leagues.is_empty() && self.0.judges.is_empty() {
            return Err(EnrolmentError::NoLeague);
        }
        Ok(if state.current.as_ref() == Some(&self.0) { vec![] } else { vec![self.0.clone().into()] })
    }
}

/// Ends an enrolment. Matches under way are played to their end.
#[derive(Debug, Clone, Copy)]
pub struct Withdraw {
    /// The agent.
    pub agent_id: AgentId,
}

impl Command for Withdraw {
    type State<'a> = &'a Enrolment;
    type Event = EnrolmentEvent;
    type Error = EnrolmentError;

    fn decide(&self, state: &Enrolment) -> Result<Vec<EnrolmentEvent>, EnrolmentError> {
        state.current.as_ref().ok_or(EnrolmentError::NotEnrolled)?;
        Ok(vec![Withdrawn { agent_id: self.agent_id }.into()])
    }
}

/// Records that the agent's arena token was replaced.
#[derive(Debug, Clone, Copy)]
pub struct RotateToken {
    /// The agent.
    pub agent_id: AgentId,
}

impl Command for RotateToken {
    type State<'a> = &'a Enrolment;
    type Event = EnrolmentEvent;
    type Error = EnrolmentError;

    fn decide(&self, _: &Enrolment) -> Result<Vec<EnrolmentEvent>, EnrolmentError> {
        Ok(vec![TokenRotated { agent_id: self.agent_id }.into()])
    }
}
