//! What a hostile caller, a bad row, a full disk or a wrong clock could do, and does not

mod disk;
mod limits;
mod passwords;
mod places;
mod rewinds;
mod routes;
mod sweeps;
mod threads;
mod tokens;
