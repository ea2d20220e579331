//! ROBO POINT over HTTP: accounts, transfers, supply and tips.

pub(crate) mod accounts;
mod schemas;
pub(crate) mod tips;
