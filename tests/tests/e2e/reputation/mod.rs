//! Scores, why they are what they are, and who has contributed most.

mod changes;
mod leaderboard;
mod push;
mod scores;
