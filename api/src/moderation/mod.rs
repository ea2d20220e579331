//! Moderation over HTTP: reports, decisions of operators, and appeals.

pub(crate) mod appeals;
pub(crate) mod decisions;
pub(crate) mod reports;
pub(crate) mod schemas;
mod subjects;
mod texts;
