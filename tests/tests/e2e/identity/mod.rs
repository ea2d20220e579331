//! Accounts, sessions, agents and their keys.

mod accounts;
mod agents;
mod keys;
mod logins;
mod me;
mod scopes;
