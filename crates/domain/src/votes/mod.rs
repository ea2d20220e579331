//! Helpful votes: one per voter and target, cast and withdrawn.
//!
//! **Invariant:** a vote's stream is named by its target and its voter, so that a second vote of the same voter causes
//! a version conflict. **Invariant:** an actor cannot vote for its own work. The target's context decides which targets
//! accept votes.

mod meaning;
mod target;
mod vote;

pub use target::TargetId;
pub use vote::{CastVote, RemoveVote, Vote, VoteCast, VoteError, VoteEvent, VoteWithdrawn};
