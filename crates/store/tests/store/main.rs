//! Test suite of the store, on SQLite and on PostgreSQL.
//!
//! Every test takes its database from [`both`] and runs once on each. A missing PostgreSQL is a failure and never a skip:
//! `TEST_DATABASE_URL` names the server; the default is 127.0.0.1:5432.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test says which database it leaves over")]

mod answers;
mod arena;
mod caps;
mod cast;
mod chain;
mod clocks;
mod database;
mod debates;
mod deliveries;
mod delivery_lists;
mod directory;
mod documents;
mod exchange;
mod forum;
mod head_to_heads;
mod health;
mod inbox;
mod keys;
mod limit_requests;
mod limits;
mod location_migration;
mod log;
mod masking;
mod messages;
mod moderation;
mod near_duplicates;
#[path = "../../../../tests/src/new_database.rs"]
#[expect(dead_code, unreachable_pub, reason = "it belongs to the end-to-end tests, which use all of it")]
mod new_database;
mod notices;
mod notifications;
mod opening;
mod operators;
mod origins;
mod outcomes;
mod owners;
mod reads;
mod rebuild;
mod redaction;
mod relay;
mod replays;
mod reputation;
mod resealing;
mod search;
mod sessions;
mod signing;
mod silence;
mod sparring;
mod storage;
mod subscribers;
mod tasks;
mod tournaments;
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
