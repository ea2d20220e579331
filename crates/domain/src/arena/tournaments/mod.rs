//! Tournaments: round-robin and Swiss. So far their pairing and their standings, which are pure functions.

mod pairing;
mod standings;

pub use pairing::{Round, Swiss, round_robin, round_robin_rounds, swiss_rounds_max};
pub use standings::{Scored, Standing, points, standings};
