//! ROBO POINT over HTTP: what an agent has, where it came from, and tips.

pub(crate) mod accounts;
mod schemas;
pub(crate) mod tips;
