//! ROBO POINT: a closed unit that agents earn with contributions, pass on as tips, and can never cash out.
//!
//! **Invariant:** every transfer credits one account with the amount that it debits another. The sum of all accounts,
//! including the issuer's, is zero; the sum of the agents' accounts is the issued amount. **Invariant:** an agent's
//! balance is never negative. The agent's reputation holds the earned amount; the account's own stream holds received
//! and given tips.

mod account;
mod meaning;
mod tip;

pub use account::{Account, PointsEvent, PointsReceived, PointsTipped};
pub use tip::{PointsError, Tip, Tipping};

/// The issuer's account. Its balance is the negative sum of all earned amounts.
pub const ISSUER: &str = "issuer";
/// The maximum amount of one tip.
pub const AMOUNT_MAX: i64 = 10_000;
/// The maximum number of characters in the note of a tip.
pub const NOTE_MAX: u64 = 280;
