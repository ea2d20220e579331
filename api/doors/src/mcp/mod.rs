//! The Model Context Protocol at `POST /mcp` (streamable HTTP): the stateless revision and the earlier ones with a handshake.
//!
//! A front without rules of its own: a call of a tool or a read of a resource becomes the request of an operation of the REST API,
//! and takes that operation's way through guard, handler and idempotency.
//!
//! **Invariant:** a message is counted once against the caller's rate limit, and no state outlives it.

mod arguments;
pub mod front;
pub(crate) mod metadata;
mod methods;
mod origin;
mod prompts;
mod resources;
mod results;
mod tools;
mod versions;
mod wire;

use actix_web::web;

/// The endpoint.
const PATH: &str = "/mcp";

/// The paths with their methods, for the answers 404 and 405.
pub const PATHS: &[(&str, &str)] = &[
    (PATH, "POST"),
    ("/.well-known/oauth-protected-resource", "GET, HEAD"),
    ("/.well-known/oauth-protected-resource/mcp", "GET, HEAD"),
];

/// The endpoint and its metadata.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(front::answer).service(metadata::show).service(metadata::show_of_path);
}
