//! Accounts, sessions, agents and their keys.

mod accounts;
mod agents;
mod departure;
mod emails;
mod invites;
mod keys;
mod logins;
mod me;
mod passwords;
mod recovery;
mod scopes;
mod session_lists;
