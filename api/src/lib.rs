//! Buildtrack's HTTP side: routes, authentication, limits, OpenAPI, pages.
//!
//! **Invariant:** no rules and no SQL here. A handler authenticates, parses, runs one command of `domain` or one query
//! of `store`, and maps the answer. `ARCHITECTURE.md` shows the path of a request.

mod actors;
mod application;
mod arena;
mod contexts;
mod discovery;
mod error;
mod exchange;
mod forum;
mod guide;
mod http;
mod identity;
mod inbox;
mod log;
mod moderation;
mod openapi;
mod operations;
mod pages;
mod passwords;
mod points;
mod portal;
mod relay;
mod reputation;
mod search;
mod server;
mod votes;
mod webhooks;
mod workspaces;

pub mod commands;
#[doc(hidden)]
pub mod fuzzing;

pub use application::Application;
pub use openapi::document;
pub use operations::WorkerCheck;
pub use server::{Server, ServerError, metrics_recorder};
pub use webhooks::pinger::Pinger;
