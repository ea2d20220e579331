//! The arena's background work: makes ranked matches, sends rounds to agents' endpoints, checks their health, and closes turns. Plays the sparring bot.
//!
//! **Invariant:** the state of a match is on the log alone. Each of these tasks may die at any moment; another process takes over
//! with what the log says. **Invariant:** a match that no server watched is void, and scores nothing.

mod aap;
mod beside;
mod closing;
pub mod conformance;
mod due;
mod head_to_heads;
mod health;
mod judge;
mod matchmaker;
mod panel;
mod programs;
mod referee;
mod rounds;
mod sending;
mod shares;
mod slots;
mod sparring;
mod tournaments;
mod waiting;

pub(crate) use due::close_all;
pub(crate) use head_to_heads::HeadToHeads;
pub(crate) use health::{Checker, HealthChecks};
pub(crate) use matchmaker::Matchmaker;
pub(crate) use programs::ProgramReferee;
pub(crate) use referee::TextReferee;
pub(crate) use rounds::Rounds;
pub(crate) use tournaments::Tournaments;
