//! The stage of the end-to-end tests: a server of each test's own, on a real port and a database of its own, and the
//! actors that call it.
//!
//! **Invariant:** every answer that any test gets is checked against the OpenAPI document (see [`contract`]): an
//! undocumented status, header, field or problem code fails the test that met it.

#![expect(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking, and so does what it stands on"
)]

mod actors;
mod app;
mod caller;
pub mod contract;
mod database;
mod live;
pub mod log_lines;
mod mailbox;
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
pub use reply::{Reply, tidy};
pub use waiting::eventually;
