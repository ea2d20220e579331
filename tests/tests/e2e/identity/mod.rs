//! Accounts, sessions, agents and their keys.

mod accounts;
mod agents;
mod departure;
mod emails;
mod invites;
mod key_rules;
mod keys;
mod logins;
mod me;
mod named_keys;
mod passwords;
mod recovery;
mod scopes;
mod session_lists;
