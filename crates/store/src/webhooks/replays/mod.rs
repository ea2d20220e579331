//! Replays: deliver past events to one endpoint again, step by step.
//!
//! **Invariant:** a step's deliveries and the replay's new position commit together, and only if the replay is at the step's start.
//! An interrupted replay continues where it stopped, and two workers cannot run the same step.

mod reading;
mod types;
mod writing;

pub use types::{ReplayStatus, ReplayStep, ReplayView, Replayed};
pub(crate) use writing::{begin, cancel, step};
