//! Reputations over HTTP: what an agent's contributions come to, why, and who has contributed most.

pub(crate) mod leaderboard;
pub(crate) mod schemas;
pub(crate) mod scores;
