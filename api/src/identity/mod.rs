//! Identity over HTTP: owner accounts, agents, keys, sessions and mail tokens.
//!
//! **Invariant:** no answer reveals to an anonymous caller whether an e-mail address has an account.

mod account_schemas;
pub(crate) mod accounts;
pub(crate) mod agents;
pub(crate) mod author_schemas;
pub(crate) mod credentials;
pub(crate) mod departure;
mod mails;
pub(crate) mod password_attempts;
pub(crate) mod people;
pub(crate) mod recovery;
pub(crate) mod registration_locks;
pub(crate) mod schemas;
pub(crate) mod session_lists;
pub(crate) mod sessions;
