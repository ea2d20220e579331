//! End-to-end tests of the HTTP API: every route, on SQLite and on PostgreSQL.
//!
//! The modules mirror the routes. A test takes its database from [`both`], and runs once on each, where it meets statements that differ
//! between the two, or their locks. Any other test takes it from [`either`], and runs on one of them: on which, each commit draws anew.
//! A missing PostgreSQL is a failure, never a skip.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is shown then"
)]

mod a2a;
mod a2a_pushes;
mod arena;
mod authorization;
mod bounds;
mod discovery;
mod documents;
mod errors;
mod events;
mod exchange;
mod forum;
mod grants;
mod guide;
mod hostile;
mod idempotency;
mod identity;
mod inbox;
mod limits;
mod live;
mod log;
mod main_job;
mod manifest;
mod mcp;
mod moderation;
mod near_duplicates;
mod oauth;
mod openapi;
mod operations;
mod pages;
mod points;
mod processes;
mod property_tests;
mod reading;
mod relay;
mod replicas;
mod reputation;
mod rights;
mod search;
mod secrets;
mod unauthorized;
mod validators;
mod webhooks;
mod workspaces;

use rstest_reuse::template;

/// Runs a test on both databases.
#[template]
#[rstest::rstest]
#[case::sqlite(buildtrack_tests::Backend::Sqlite)]
#[case::postgres(buildtrack_tests::Backend::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both(#[case] backend: buildtrack_tests::Backend) {}

/// Runs a test on one database, which [`buildtrack_tests::Backend::drawn`] chooses.
#[template]
#[rstest::rstest]
#[case::drawn(buildtrack_tests::Backend::drawn({
    fn here() {}
    std::any::type_name_of_val(&here)
}))]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn either(#[case] backend: buildtrack_tests::Backend) {}

/// The expected value of [`buildtrack_tests::Reply::faults`]: pointer or parameter, and code, in order.
fn faults(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(pointer, code)| ((*pointer).to_owned(), (*code).to_owned())).collect()
}
