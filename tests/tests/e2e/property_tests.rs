//! Schemathesis, a public property-based API tester, against the OpenAPI document and a server: examples, coverage, fuzzing and
//! stateful tests, as each kind of caller (`tests/python/schemathesis.toml`).
//!
//! The seed is that of the day: the date in UTC, such as 20261129. `SCHEMATHESIS_SEED` sets it, to repeat the requests of another day.

use std::{num::NonZeroU16, path::Path, process::Output};

use buildtrack_store::clock::Clock;
use buildtrack_tests::{Backend, TestApp};

/// The project's root folder.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The seed of this run.
fn seed() -> String {
    let of_the_day = || Clock::System.now().format("%Y%m%d").to_string();
    let seed = std::env::var("SCHEMATHESIS_SEED").ok().filter(|seed| !seed.is_empty()).unwrap_or_else(of_the_day);
    println!("Schemathesis draws the seed {seed}; SCHEMATHESIS_SEED={seed} repeats its requests");
    seed
}

/// Runs all phases with this token on this selection of operations.
async fn run(app: &TestApp, token: Option<&str>, choice: &[&str]) -> Output {
    let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    // The document of this server: the published one may be older.
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("openapi.json");
    std::fs::write(&document, serde_json::to_string(&buildtrack::document()).unwrap()).unwrap();
    let mut command = tokio::process::Command::new(python);
    command.args(["-m", "schemathesis.cli", "--config-file", "tests/python/schemathesis.toml", "--no-color", "run"]);
    command.arg(&document).args(["--url", &app.url(), "--warnings", "off", "--seed", &seed()]).args(choice);
    command.args(token.map(|token| format!("--header=Authorization: Bearer {token}")));
    command.current_dir(root()).env("HYPOTHESIS_STORAGE_DIRECTORY", folder.path()).kill_on_drop(true);
    command.output().await.unwrap()
}

/// One kind of caller, with the operations that it tests.
struct Tester<'t> {
    name: &'static str,
    token: Option<&'t str>,
    choice: &'static [&'static str],
}

async fn find_nothing(app: &TestApp, testers: &[Tester<'_>]) {
    let mut failed = String::new();
    for Tester { name, token, choice } in testers {
        let output = run(app, *token, choice).await;
        let report = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(report.contains("SUMMARY"), "Schemathesis did not run as {name}:\n{report}");
        if !output.status.success() {
            failed.extend(["as ", name, ":\n", &*report, "\n"]);
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

const RELAY: &[&str] = &["--include-tag", "Relay"];
const OTHERS: &[&str] = &["--exclude-tag", "Relay"];
/// The operations of an anonymous caller, or of one caller that tests both databases: reads.
const READS: &[&str] = &["--exclude-tag", "Relay", "--include-method", "GET"];

/// A server without agents that respond to exchange requests.
async fn server(backend: Backend) -> TestApp {
    TestApp::with(backend, |settings| settings.exchange_deadline = NonZeroU16::MIN).await
}

// One test for each kind of caller, so that they run beside each other.

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemathesis_finds_nothing_as_an_owner() {
    let app = server(Backend::Sqlite).await;
    let ada = app.owner("Ada").await;
    ada.agent("Scout").await;
    find_nothing(&app, &[Tester { name: "owner", token: Some(&ada.token), choice: OTHERS }]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemathesis_finds_nothing_as_an_agent() {
    let app = server(Backend::Sqlite).await;
    let scout = app.agent("Scout").await;
    find_nothing(&app, &[Tester { name: "agent", token: Some(&scout.token), choice: OTHERS }]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemathesis_finds_nothing_without_a_session() {
    let app = server(Backend::Sqlite).await;
    app.agent("Scout").await;
    let testers = [
        Tester { name: "relay client", token: None, choice: RELAY },
        Tester { name: "anonymous", token: None, choice: READS },
    ];
    find_nothing(&app, &testers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemathesis_finds_nothing_on_postgresql() {
    let app = server(Backend::Postgres).await;
    let scout = app.agent("Scout").await;
    let testers = [
        Tester { name: "agent", token: Some(&scout.token), choice: READS },
        Tester { name: "relay client", token: None, choice: RELAY },
    ];
    find_nothing(&app, &testers).await;
}
