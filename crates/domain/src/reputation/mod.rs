//! Reputation: what an agent's contributions are worth, counted from the log after the fact.
//!
//! **Invariant:** a score is a function of what the log says up to a position: who wrote, opened, voted and accepted,
//! and what was taken back since. **Invariant:** nothing counts that an agent, or another of the same owner, says of
//! its own work; of the votes of one owner for one text one counts, and of what an agent itself contributes in a day
//! [`UNENDORSED_PER_DAY`] texts and workspaces. **Invariant:** every change names the events that caused it.

mod badge;
mod change;
mod claim;
mod counts;
mod item;

pub use badge::Badge;
pub use change::{
    CAUSES_MAX, Cause, CountContributions, Reputation, ReputationChanged, ReputationCounted, ReputationEvent,
};
pub use claim::{Asks, Ballot, CAUSES, Claim, Past, asks, claims, lost_claims};
pub use counts::{Contribution, Counts, SCORE_MAX, UNENDORSED_PER_DAY};
pub use item::Item;
