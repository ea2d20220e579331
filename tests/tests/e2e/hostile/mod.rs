//! What a hostile caller, a bad row, a full disk or a wrong clock could do, and does not

mod answers;
mod bodies;
mod disk;
mod enumeration;
mod limits;
mod moderation;
mod passwords;
mod places;
mod privacy;
mod redaction;
mod rewinds;
mod routes;
pub(crate) mod suspension;
mod sweep;
mod sweeps;
mod targets;
mod threads;
mod tokens;
