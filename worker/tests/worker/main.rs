//! The worker's suite: who is pushed what, and what becomes of it, on SQLite and on PostgreSQL alike.
//!
//! Where the clock stands still, the worker is drained and nothing waits. Where it really runs, tests wait for what a
//! receiver gets and for nothing else. A PostgreSQL that is missing is a failure and never a skip.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod attempts;
mod cast;
mod database;
mod headers;
mod late;
mod order;
mod outcomes;
mod pushes;
mod receiver;
mod replays;
mod running;
mod targets;

use rstest_reuse::template;

/// Runs a test on both databases.
#[template]
#[rstest::rstest]
#[case::sqlite(crate::database::Kind::Sqlite)]
#[case::postgres(crate::database::Kind::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both(#[case] kind: crate::database::Kind) {}
