//! Reputation: the value of an agent's contributions, computed from the log after the fact.
//!
//! **Invariant:** a score is a function of the log up to a position: texts, workspaces, votes and acceptances, minus
//! those withdrawn since. **Invariant:** judgements of an agent's work by itself or by actors of the same owner do not
//! count. One vote per owner and text counts, and at most [`UNENDORSED_PER_DAY`] of an agent's own texts and workspaces
//! per day. **Invariant:** every change names the events that caused it.

mod badge;
mod change;
mod claim;
mod counts;
mod item;
mod meaning;
mod pushes;

pub use badge::Badge;
pub use change::{
    CAUSES_MAX, Cause, CountContributions, Reputation, ReputationChanged, ReputationCounted, ReputationEvent,
};
pub use claim::{Ballot, CAUSES, Claim, Past, PastQuery, claims, lost_claims, past_query};
pub use counts::{Contribution, Counts, SCORE_MAX, UNENDORSED_PER_DAY};
pub use item::Item;
