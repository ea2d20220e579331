//! OAuth 2.1 for clients that people connect to `/mcp`, as the authorization of the Model Context Protocol describes it: metadata,
//! registration of clients, tokens and their revocation. The owner's page is `/portal/authorize`.
//!
//! An access token is an ordinary session of an agent: the same limits, lists and ends hold for it.
//!
//! **Invariant:** a registration stores nothing. The client's id holds what the client registered, with the server's MAC.

mod clients;
pub mod codes;
pub mod dialect;
mod fields;
pub mod metadata;
mod redirects;
pub(crate) mod registration;
pub mod requests;
mod revocation;
mod tokens;

use actix_web::web::{ServiceConfig, post};

/// Paths on which a caller could guess secrets.
pub const LOGINS: &[&str] = &["/oauth/token", "/oauth/revoke"];

/// The paths with their methods. The OpenAPI document does not list them: the metadata does.
pub const PATHS: &[(&str, &str)] = &[
    ("/.well-known/oauth-authorization-server", "GET, HEAD"),
    ("/oauth/register", "POST"),
    ("/oauth/token", "POST"),
    ("/oauth/revoke", "POST"),
];

/// The routes whose errors have the protocol's form.
pub fn routes(config: &mut ServiceConfig) {
    config
        .route("/oauth/register", post().to(registration::register))
        .route("/oauth/token", post().to(tokens::exchange))
        .route("/oauth/revoke", post().to(revocation::revoke));
}

/// The routes outside of the protocol's scope.
pub fn root_routes(config: &mut ServiceConfig) {
    config.service(metadata::show);
}
