//! The store's suite: what is remembered, on SQLite and on PostgreSQL alike.
//!
//! Every test takes its database from [`both`] and runs once on each. A PostgreSQL that is missing is a failure and
//! never a skip: `TEST_DATABASE_URL` names one, else it is looked for on 127.0.0.1:5432.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod answers;
mod cast;
mod chain;
mod database;
mod deliveries;
mod delivery_lists;
mod directory;
mod documents;
mod exchange;
mod forum;
mod health;
mod hearers;
mod inbox;
mod limits;
mod log;
mod messages;
mod moderation;
mod notices;
mod opening;
mod outcomes;
mod places;
mod reads;
mod rebuild;
mod redaction;
mod relay;
mod repeats;
mod replays;
mod reputation;
mod search;
mod sessions;
mod signing;
mod votes;
mod webhooks;

use rstest_reuse::template;

/// Runs a test on both databases.
#[template]
#[rstest::rstest]
#[case::sqlite(crate::database::Kind::Sqlite)]
#[case::postgres(crate::database::Kind::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn both(#[case] kind: crate::database::Kind) {}
