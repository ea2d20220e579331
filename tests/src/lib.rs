//! Helpers of the end-to-end tests: a server per test, on a real port and with its own database, and the actors that call
//! it.
//!
//! **Invariant:** every response that a test receives is checked against the OpenAPI document (see [`contract`]): an
//! undocumented status, header, field or problem code fails the test.

#![expect(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and so does what it stands on; what it prints is shown when it fails"
)]

mod actors;
mod app;
mod caller;
pub mod contract;
mod database;
pub mod events;
mod live;
pub mod log_lines;
mod mailbox;
pub mod new_database;
mod party;
mod receiver;
mod reply;
mod waiting;

pub use actors::{Agent, Owner, Track};
pub use app::TestApp;
pub use caller::{Caller, Request, message, question};
pub use database::Backend;
pub use live::{Frame, Live};
pub use mailbox::{Mailbox, Sent};
pub use party::Party;
pub use receiver::{Push, Receiver};
pub use reply::{Reply, shorten_ids};
pub use waiting::eventually;
