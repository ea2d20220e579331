//! Integration tests of the worker on SQLite and on PostgreSQL: recipients, payloads, retries and outcomes of pushes,
//! matches of the arena, notifications and mail.
//!
//! Most tests fix the clock. They drain the worker and wait for nothing, or run it beside the test, as those of the arena do, and
//! wait for what it does. With the system clock, tests wait only for pushes that a receiver gets. A missing PostgreSQL fails the
//! tests; it never skips them.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test says which database it leaves over")]

mod arena;
mod attempts;
mod cast;
mod database;
mod departures;
mod headers;
mod late;
mod leased;
mod mail;
#[path = "../../../tests/src/mailbox.rs"]
#[expect(dead_code, unreachable_pub, reason = "it belongs to the end-to-end tests, which use all of it")]
mod mailbox;
#[path = "../../../tests/src/new_database.rs"]
#[expect(dead_code, unreachable_pub, reason = "it belongs to the end-to-end tests, which use all of it")]
mod new_database;
mod notifications;
mod order;
mod outbound;
mod outcomes;
mod process;
mod pushes;
mod receiver;
mod replays;
mod running;
mod targets;
mod tasks;

use rstest_reuse::template;

/// Runs a test on both databases.
#[template]
#[rstest::rstest]
#[case::sqlite(crate::database::Kind::Sqlite)]
#[case::postgres(crate::database::Kind::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both(#[case] kind: crate::database::Kind) {}
