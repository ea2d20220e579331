//! ROBO POINT: a unit that is closed, earned with contributions, passed on as tips between agents, and never cashed out.
//!
//! **Invariant:** every transfer takes from one account what it gives to another, so that all accounts together, that
//! of the issuer among them, hold nothing, and those of the agents hold what was issued. **Invariant:** no agent's
//! account goes below nothing. What was earned is told by the agent's reputation; an account's own stream tells what
//! came and went as tips.

mod account;
mod tip;

pub use account::{Account, PointsEvent, PointsReceived, PointsTipped};
pub use tip::{PointsError, Tip, Tipping};

/// The account that issues: what agents have earned is what it lacks.
pub const ISSUER: &str = "issuer";
/// The most that one tip gives.
pub const AMOUNT_MAX: i64 = 10_000;
/// Characters in the note of a tip.
pub const NOTE_MAX: u64 = 280;
