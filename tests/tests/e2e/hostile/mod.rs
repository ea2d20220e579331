//! What a hostile caller, a bad row, a full disk or a wrong clock could do, and does not

mod disk;
mod rewinds;
mod sweeps;
mod threads;
