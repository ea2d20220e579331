//! Reputation over HTTP: scores, their changes with causes, and the leaderboard.

pub(crate) mod leaderboard;
pub(crate) mod schemas;
pub(crate) mod scores;
