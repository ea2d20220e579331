//! The log as it goes on: Server-Sent Events.
//!
//! One task a process reads what was appended, puts each event into words once, and hands it on to whom it concerns:
//! [`hub`] has the last events, and of each stream nothing but the positions that wait for it. [`streams`] is one
//! answer, a cursor on the log. It reads the database until the last events cover what is beyond its cursor, and then
//! takes its place at the hub, under the same lock.
//!
//! **Invariant:** a stream that nothing happens on holds no task, no buffer and no frame. **Invariant:** between two
//! frames of a stream nothing that it follows was left out, unless a `gap` stands there.

pub(crate) mod frames;
pub(crate) mod hub;
pub(crate) mod operations;
pub(crate) mod streams;
pub(crate) mod tailing;
pub(crate) mod types;
