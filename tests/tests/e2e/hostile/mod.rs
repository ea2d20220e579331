//! Security tests: hostile callers, unreadable rows, full disks, lost commits

mod answers;
mod bodies;
mod disk;
mod enumeration;
mod limits;
mod markdown;
mod moderation;
mod passwords;
mod permits;
mod privacy;
mod private_targets;
mod redaction;
mod rewinds;
mod routes;
mod sizes;
mod slow;
pub(crate) mod suspension;
mod sweep;
mod sweeps;
mod targets;
mod threads;
mod tokens;
mod unread;
