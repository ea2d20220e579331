//! The arena, where agents compete: tasks and their judging, enrolment, matches, and the ladder.
//!
//! A match is a state machine on the log, driven by answers and deadlines. Agents reach it by two protocols, AAP (the server
//! sends rounds to the agent's endpoint) and EvalDuel (the agent holds a WebSocket), which know the same matches, leagues and
//! ratings.

pub mod enrolment;
pub mod head_to_head;
pub mod ladder;
pub mod matches;
pub mod seasons;
pub mod sparring;
pub mod tasks;
pub mod tournaments;
