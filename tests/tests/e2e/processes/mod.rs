//! Real processes over real ports: `buildtrack`, `buildtrack-worker` and the seed's receiver under Node, each as an
//! operator would start it, on SQLite and on PostgreSQL alike.
//!
//! Here is what only a process can show: its start and its end, what it prints, what a kill leaves behind, and what
//! several of them do to each other. **Invariant:** a process ends with the value that stands for it. Nothing here
//! sleeps: tests wait for what must come, with a deadline.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod administration;
mod cast;
mod checks;
mod client;
mod database;
mod exactly_once;
mod kills;
mod load;
mod logs;
mod privacy;
mod process;
mod pushes;
mod receiver;
mod refusals;
mod replicas;
mod retries;
mod signatures;
mod site;
mod starts;
mod stops;
mod tampering;
mod waiting;

use rstest_reuse::template;

/// Runs a test on both databases.
#[template]
#[rstest::rstest]
#[case::sqlite(crate::processes::database::Kind::Sqlite)]
#[case::postgres(crate::processes::database::Kind::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both(#[case] kind: crate::processes::database::Kind) {}
