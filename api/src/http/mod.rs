//! HTTP for all contexts: authentication, rate limits, bodies, parameters, pages, entity tags, idempotency and errors.
//!
//! **Invariant:** a handler authenticates, parses, runs one command or one query, and maps the answer. Every other part of
//! HTTP is implemented here once.

pub(crate) mod accept;
pub(crate) mod answers;
pub(crate) mod app;
pub(crate) mod auth;
pub(crate) mod body;
pub(crate) mod codes;
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
pub(crate) mod guard;
pub(crate) mod idempotency;
pub(crate) mod networks;
pub(crate) mod own_page;
pub(crate) mod page;
pub(crate) mod paths;
pub(crate) mod problem;
pub(crate) mod query;
pub(crate) mod session_cookie;
pub(crate) mod streaming;
pub(crate) mod tokens;
pub(crate) mod validation;
pub(crate) mod waiting;
pub(crate) mod whole_numbers;
pub(crate) mod work;
