//! Buildtrack's HTTP side, composed from the crates beside it: routes of all contexts, OpenAPI document, server, command line.
//!
//! **Invariant:** no rules and no SQL here. A handler authenticates, parses, runs one command of `domain` or one query
//! of `store`, and maps the answer. `ARCHITECTURE.md` shows the path of a request.

mod application;
mod connections;
mod contexts;
mod demo;
mod discovery;
mod events;
mod guide;
mod openapi;
mod reference;
mod serve;
mod server;

pub mod command_line;
#[doc(hidden)]
pub mod fuzzing;

pub use application::Application;
/// The subcommands of the program.
pub use buildtrack_commands as commands;
pub use buildtrack_community::webhooks::pinger::Pinger;
pub use buildtrack_http::operations::WorkerCheck;
#[doc(hidden)]
pub use connections::Bounds as ConnectionBounds;
#[doc(hidden)]
pub use contexts::serving;
pub use openapi::document;
pub use server::{Server, ServerError, metrics_recorder};
