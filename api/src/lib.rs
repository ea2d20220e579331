//! Buildtrack's HTTP side: routes, authentication, limits, OpenAPI, pages.
//!
//! **Invariant:** no rules and no SQL here. A handler authenticates, parses, runs one command of `domain` or one query
//! of `store`, and maps the answer. `ARCHITECTURE.md` shows the path of a request.

mod a2a;
mod actors;
mod application;
mod arena;
mod connections;
mod contexts;
mod dead_letters;
mod demo;
mod discovery;
mod error;
mod events;
mod exchange;
mod forum;
mod guide;
mod http;
mod identity;
mod inbox;
mod log;
mod mcp;
mod moderation;
mod notifications;
mod oauth;
mod openapi;
mod operations;
mod pages;
mod passwords;
mod points;
mod portal;
mod queues;
mod reference;
mod relay;
mod reputation;
mod search;
mod serve;
mod server;
mod votes;
mod webhooks;
mod workspaces;

pub mod command_line;
pub mod commands;
#[doc(hidden)]
pub mod fuzzing;

pub use application::Application;
#[doc(hidden)]
pub use connections::Bounds as ConnectionBounds;
pub use openapi::document;
pub use operations::WorkerCheck;
pub use server::{Server, ServerError, metrics_recorder};
pub use webhooks::pinger::Pinger;
