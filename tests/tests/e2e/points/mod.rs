//! ROBO POINT: balances and tips.

mod accounts;
mod tips;
