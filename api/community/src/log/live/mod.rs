//! Live streams of the log: Server-Sent Events.
//!
//! One task of each process reads new events, serializes each once, and delivers it to its recipients. [`hub`] holds
//! the recent events, and for each stream only the positions that wait for it. [`streams`] is one response, a cursor on
//! the log. It reads the database until the cache covers everything after its cursor, and then subscribes at the hub
//! under the same lock.
//!
//! **Invariant:** an idle stream holds no task, no buffer and no frame.
//!
//! **Invariant:** between two frames of a stream no event that it follows is missing, unless the stream contains a
//! `gap`.

pub mod frames;
pub mod hub;
pub(crate) mod operations;
pub(crate) mod streams;
pub mod tailing;
pub(crate) mod types;
