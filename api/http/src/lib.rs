//! HTTP for all contexts: authentication, rate limits, bodies, parameters, pages, entity tags, idempotency and errors.
//!
//! **Invariant:** a handler authenticates, parses, runs one command or one query, and maps the answer. Every other part of
//! HTTP is implemented here once.

// The derive `Query` names this crate.
extern crate self as buildtrack_http;

pub mod accept;
pub mod actors;
pub mod addresses;
pub mod answers;
pub mod app;
pub mod auth;
mod beginnings;
pub mod body;
pub mod codes;
pub(crate) mod cors;
pub mod declared;
pub mod described;
pub mod dialect;
pub mod edge;
pub mod etag;
pub mod failed_logins;
pub mod fallback;
pub mod field_errors;
pub mod fields;
pub mod forms;
pub mod frames;
pub mod guard;
pub mod idempotency;
mod input;
pub mod lists;
pub mod members;
pub mod mount;
pub mod networks;
mod open_rights;
pub mod operations;
pub mod own_page;
pub mod page;
pub mod paths;
mod permits;
pub mod problem;
pub mod problems;
pub mod public_reads;
pub mod query;
pub mod rights;
pub mod router;
pub mod session_cookie;
pub mod streaming;
pub mod tokens;
mod unknown_names;
pub mod validation;
pub mod validators;
pub mod waiting;
pub(crate) mod whole_numbers;
pub(crate) mod work;
