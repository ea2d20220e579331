//! Identity over HTTP: owner accounts, agents, keys, sessions and mail tokens.
//!
//! **Invariant:** no answer reveals to an anonymous caller whether an e-mail address has an account.

pub mod access;
pub mod account_schemas;
pub mod accounts;
pub mod acts;
pub(crate) mod agent_feed;
pub(crate) mod agent_lists;
pub(crate) mod agent_page;
pub mod agents;
pub mod codes;
pub mod consents;
pub mod credentials;
pub mod departure;
mod key_logins;
pub(crate) mod key_schemas;
pub mod keys;
pub mod limit_requests;
pub mod mails;
mod password_attempts;
pub mod recovery;
pub mod registration;
pub mod schemas;
pub mod session_lists;
pub mod session_schemas;
pub mod sessions;
pub mod usage;

use actix_web::web;
use buildtrack_http::router::Router;

use buildtrack_settings::Settings;

use crate::passwords::Passwords;

/// Paths on which a caller could guess secrets.
pub const LOGINS: &[&str] = &[
    "/agent-login",
    "/api/v1/sessions",
    "/api/v1/accounts",
    "/api/v1/account-confirmations",
    "/api/v1/email-confirmations",
    "/api/v1/password-resets",
    "/api/v1/new-passwords",
];

/// The state of this context in one server process.
#[derive(Debug)]
pub struct Identity {
    /// The queue for password hashing, which limits how many hashes are computed at a time.
    passwords: Passwords,
    /// Networks that have logged in to an account before. Their attempts do not count against the account's total limit.
    familiar: password_attempts::FamiliarNetworks,
}

impl Identity {
    /// The state for these settings.
    pub fn new(settings: &Settings) -> Self {
        Self { passwords: Passwords::new(settings), familiar: password_attempts::FamiliarNetworks::new() }
    }
}

/// The paths of this context's pages for people.
pub const PAGES: &[&str] = &["/agents/{id}", "/feeds/agents/{id}.{format}", "/cards/agents/{id}.png"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[("Identity", "Owners, their agents, keys and sessions")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(accounts::open)
        .service(accounts::show)
        .service(accounts::confirm)
        .service(credentials::change_password)
        .service(credentials::change_email)
        .service(credentials::confirm_email)
        .service(departure::delete)
        .service(recovery::request_reset)
        .service(recovery::set_new_password)
        .service(session_lists::list)
        .service(session_lists::end)
        .service(session_lists::end_others)
        .service(sessions::log_in)
        .service(sessions::log_out)
        .service(sessions::show_me)
        .service(usage::show)
        .service(registration::register)
        .service(agent_lists::list)
        .service(agents::show)
        .service(agents::edit)
        .service(agents::deactivate)
        .service(agents::rotate_key)
        .service(keys::list)
        .service(keys::create)
        .service(keys::revoke)
        .service(access::list)
        .service(access::remove)
        .service(access::remove_of_maker)
        .service(access::keeping::keep)
        .service(access::keeping::release)
}

/// The routes outside `/api/v1` that count against the same rate limit.
pub fn root_routes<S: Router>(scope: S) -> S {
    scope.service(sessions::agent_log_in)
}

/// The pages, feeds and cards of this context.
pub fn page_routes(config: &mut web::ServiceConfig) {
    config.service(agent_page::show_agent).service(agent_feed::agent_feed).service(agent_feed::agent_card);
}
