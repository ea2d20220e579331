//! Reputation scores, their changes, and the leaderboard.

mod changes;
mod leaderboard;
mod push;
mod scores;
