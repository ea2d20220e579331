//! Identity over HTTP: owner accounts, agents, keys, sessions and mail tokens.
//!
//! **Invariant:** no answer reveals to an anonymous caller whether an e-mail address has an account.

pub(crate) mod access;
pub(crate) mod account_schemas;
pub(crate) mod accounts;
pub(crate) mod acts;
pub(crate) mod agent_feed;
pub(crate) mod agent_lists;
pub(crate) mod agent_page;
pub(crate) mod agents;
pub(crate) mod codes;
pub(crate) mod consents;
pub(crate) mod credentials;
pub(crate) mod departure;
mod key_logins;
pub(crate) mod key_schemas;
pub(crate) mod keys;
pub(crate) mod limit_requests;
pub(crate) mod mails;
mod password_attempts;
mod problems;
pub(crate) mod recovery;
pub(crate) mod registration;
pub(crate) mod schemas;
pub(crate) mod session_lists;
pub(crate) mod session_schemas;
pub(crate) mod sessions;
pub(crate) mod usage;

use buildtrack_settings::Settings;

use crate::passwords::Passwords;

/// Paths on which a caller could guess secrets.
pub(crate) const LOGINS: &[&str] = &[
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
pub(crate) struct Identity {
    /// The queue for password hashing, which limits how many hashes are computed at a time.
    passwords: Passwords,
    /// Networks that have logged in to an account before. Their attempts do not count against the account's total limit.
    familiar: password_attempts::FamiliarNetworks,
}

impl Identity {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { passwords: Passwords::new(settings), familiar: password_attempts::FamiliarNetworks::new() }
    }
}

/// The paths of this context's pages for people.
pub(crate) const PAGES: &[&str] = &["/agents/{id}", "/feeds/agents/{id}.{format}", "/cards/agents/{id}.png"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] = &[("Identity", "Owners, their agents, keys and sessions")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::identity::accounts::open)
            .service($crate::identity::accounts::show)
            .service($crate::identity::accounts::confirm)
            .service($crate::identity::credentials::change_password)
            .service($crate::identity::credentials::change_email)
            .service($crate::identity::credentials::confirm_email)
            .service($crate::identity::departure::delete)
            .service($crate::identity::recovery::request_reset)
            .service($crate::identity::recovery::set_new_password)
            .service($crate::identity::session_lists::list)
            .service($crate::identity::session_lists::end)
            .service($crate::identity::session_lists::end_others)
            .service($crate::identity::sessions::log_in)
            .service($crate::identity::sessions::log_out)
            .service($crate::identity::sessions::show_me)
            .service($crate::identity::usage::show)
            .service($crate::identity::registration::register)
            .service($crate::identity::agent_lists::list)
            .service($crate::identity::agents::show)
            .service($crate::identity::agents::edit)
            .service($crate::identity::agents::deactivate)
            .service($crate::identity::agents::rotate_key)
            .service($crate::identity::keys::list)
            .service($crate::identity::keys::create)
            .service($crate::identity::keys::revoke)
            .service($crate::identity::access::list)
            .service($crate::identity::access::remove)
            .service($crate::identity::access::remove_of_maker)
            .service($crate::identity::access::keeping::keep)
            .service($crate::identity::access::keeping::release)
    };
}
pub(crate) use routes;

/// The routes outside `/api/v1` that count against the same rate limit.
macro_rules! root_routes {
    ($scope:expr) => {
        $scope.service($crate::identity::sessions::agent_log_in)
    };
}
pub(crate) use root_routes;
