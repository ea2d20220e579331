//! HTTP for all contexts: authentication, rate limits, bodies, parameters, pages, entity tags, idempotency and errors.
//!
//! **Invariant:** a handler authenticates, parses, runs one command or one query, and maps the answer. Every other part of
//! HTTP is implemented here once.

pub(crate) mod accept;
pub(crate) mod addresses;
pub(crate) mod answers;
pub(crate) mod app;
pub(crate) mod auth;
mod beginnings;
pub(crate) mod body;
pub(crate) mod codes;
pub(crate) mod cors;
pub(crate) mod declared;
pub(crate) mod described;
pub(crate) mod dialect;
pub(crate) mod edge;
pub(crate) mod etag;
pub(crate) mod failed_logins;
pub(crate) mod fallback;
pub(crate) mod field_errors;
pub(crate) mod fields;
pub(crate) mod forms;
pub(crate) mod frames;
pub(crate) mod guard;
pub(crate) mod idempotency;
mod input;
pub(crate) mod lists;
pub(crate) mod members;
pub(crate) mod mount;
pub(crate) mod networks;
mod open_rights;
pub(crate) mod own_page;
pub(crate) mod page;
pub(crate) mod paths;
mod permits;
pub(crate) mod problem;
pub(crate) mod public_reads;
pub(crate) mod query;
pub(crate) mod rights;
pub(crate) mod session_cookie;
pub(crate) mod streaming;
pub(crate) mod tokens;
mod unknown_names;
pub(crate) mod validation;
pub(crate) mod validators;
pub(crate) mod waiting;
pub(crate) mod whole_numbers;
pub(crate) mod work;
