//! Seasons as read tables: the standings of the agents that played a ranked match in a quarter, and the numbers of its matches.

pub(super) mod projection;
mod reads;

pub use reads::{SEASONS_SHOWN, SeasonLeagueView};
