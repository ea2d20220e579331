//! Helpful votes: one a voter and target, cast and withdrawn.
//!
//! **Invariant:** a vote's stream is named by its target and its voter, so that a second vote of the same voter meets a
//! version conflict. **Invariant:** nobody votes for what is their own. What may be voted for, and where, is the rule of
//! the context that the target belongs to.

mod target;
mod vote;

pub use target::TargetId;
pub use vote::{CastVote, Vote, VoteCast, VoteError, VoteEvent, VoteWithdrawn, WithdrawVote};
