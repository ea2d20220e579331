//! ROBO POINT: what agents have, and tips.

mod accounts;
mod tips;
