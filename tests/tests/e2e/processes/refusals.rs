//! Failed starts: each prints one line with the reason.

use std::net::TcpListener;

use buildtrack_settings::exit::{CONFIGURATION, FAILED, LOCKED, REFUSED, UNAVAILABLE};
use buildtrack_store::Secret;
use buildtrack_tests::Backend;
use rstest_reuse::apply;

use super::{
    process::Finished,
    site::{Site, unique},
    waiting::soon,
};
use crate::both;

/// Starts a server with invalid settings that must not start; returns the single line that it printed.
async fn refusal(site: &Site) -> String {
    refusal_with(site, CONFIGURATION).await
}

/// The same with another exit code.
async fn refusal_with(site: &Site, expected: u8) -> String {
    let Finished { code, stdout, stderr } = site.launch().end().await;
    assert_eq!((code, &*stdout), (Some(expected.into()), ""), "{stderr}");
    let mut lines = stderr.lines();
    let line = lines.next().unwrap_or_default();
    assert_eq!(lines.next(), None, "more than one line: {stderr}");
    let reason = line.strip_prefix("buildtrack: ");
    reason.unwrap_or_else(|| panic!("who speaks? {line}")).to_owned()
}

/// A site that logs errors only.
async fn quiet(backend: Backend) -> Site {
    Site::new(backend).await.with("BUILDTRACK_LOG", "error")
}

#[apply(both)]
async fn an_unknown_key_is_named(backend: Backend) {
    let site = quiet(backend).await.with("BUILDTRACK_BINDD", "127.0.0.1:0");
    let reason = refusal(&site).await;
    assert_eq!(reason, "settings: BUILDTRACK_BINDD is not a setting; did you mean BUILDTRACK_BIND?");
}

#[rstest::rstest]
#[case("BUILDTRACK_BIND", "localhost", "settings: BUILDTRACK_BIND is \"localhost\": expected an address and a port")]
#[case("BUILDTRACK_WORKER", "perhaps", "settings: BUILDTRACK_WORKER is \"perhaps\": expected on or off")]
#[case("BUILDTRACK_LOG_FORMAT", "xml", "settings: BUILDTRACK_LOG_FORMAT is \"xml\": expected text or json")]
#[case("BUILDTRACK_PUBLIC_URL", "build", "settings: BUILDTRACK_PUBLIC_URL is \"build\": expected a URL")]
#[case("BUILDTRACK_PUBLIC_URL", "https://x.example/a?b", "\"https://x.example/a?b\": expected a URL without query")]
#[case("BUILDTRACK_PUBLIC_URL", "https://a:hunter2@x.example", "BUILDTRACK_PUBLIC_URL has a value that cannot be used")]
#[case("BUILDTRACK_RETRY_SCHEDULE", "5,soon", "is \"5,soon\": expected seconds between 0.01 and 604800")]
#[case("BUILDTRACK_RATE_LIMITS", "free=0", "(\"free=0\" is not a limit; expected free, pro, ")]
#[case("BUILDTRACK_TRUSTED_PROXIES", "10.0.0.0/64", "is \"10.0.0.0/64\": expected addresses or networks")]
#[case("BUILDTRACK_SECRET", "hunter2", "settings: BUILDTRACK_SECRET has a value that cannot be used (it is not shown)")]
#[case("BUILDTRACK_LOG", "=info=", "settings: BUILDTRACK_LOG is \"=info=\": expected levels")]
#[case("BUILDTRACK_CONFIG", "/nonexistent.toml", "settings file /nonexistent.toml: No such file or directory")]
#[case("BUILDTRACK_DATA_DIR", "/proc/data", "BUILDTRACK_DATA_DIR: /proc/data")]
#[case(
    "DATABASE_URL",
    "mysql://hunter2@localhost/x",
    "DATABASE_URL has a value that cannot be used (it is not shown): expected postgres://"
)]
#[case("AMQP_URL", "amqp://hunter2@localhost", "settings: AMQP_URL needs DATABASE_URL: ")]
#[tokio::test]
async fn a_bad_value_is_named_and_no_secret_is_shown(#[case] key: &str, #[case] value: &str, #[case] named: &str) {
    let reason = refusal(&quiet(Backend::Sqlite).await.with(key, value)).await;
    assert!(reason.contains(named) && !reason.contains("hunter2"), "{reason}");
}

#[apply(both)]
async fn a_port_in_use_is_named(backend: Backend) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let reason = refusal_with(&quiet(backend).await.with("BUILDTRACK_BIND", &address), FAILED).await;
    assert_eq!(reason, format!("cannot listen on {address}: Address already in use (os error 98)"));
}

#[tokio::test]
async fn an_unresponsive_database_is_named() {
    let password = unique("hunter2-");
    let site = quiet(Backend::Postgres).await.with("DATABASE_URL", &format!("postgres://bt:{password}@127.0.0.1:1/bt"));
    let reason = refusal_with(&site, UNAVAILABLE).await;
    assert!(reason.starts_with("DATABASE_URL: no PostgreSQL answers at 127.0.0.1:1: Connection refused"), "{reason}");
    assert!(!reason.contains(&password), "{reason}");
}

/// The first line distinguishes an unreachable database from a refused password: with the default log, before any
/// retry.
#[tokio::test]
async fn the_first_line_distinguishes_a_missing_database_from_a_refused_password() {
    let site = Site::new(Backend::Postgres).await;
    let (server, database) = site.setting("DATABASE_URL").unwrap().rsplit_once('/').unwrap();
    let (_, address) = server.rsplit_once('@').unwrap();
    let (address, stranger) = (address.to_owned(), format!("postgres://bt_stranger:hunter2@{address}/{database}"));
    let mut absent = site.with("DATABASE_URL", "postgres://bt:hunter2@127.0.0.1:1/bt");
    let mut process = absent.launch();
    let line = process.stderr.wait_for("the first line", |text| text.lines().next().map(ToOwned::to_owned)).await;
    assert!(line.contains("no PostgreSQL answers at 127.0.0.1:1") && line.contains("retrying for 10 s"), "{line}");
    absent = absent.with("DATABASE_URL", &stranger);
    let reason = refusal_with(&absent, REFUSED).await;
    let named = format!("DATABASE_URL: the PostgreSQL at {address} answers, but refuses user \"bt_stranger\": ");
    assert!(reason.starts_with(&named) && !reason.contains("hunter2"), "{reason}");
}

/// The broker's address with another password, and with a port without a listener.
#[tokio::test]
async fn the_first_line_distinguishes_a_missing_broker_from_a_refused_password() {
    let url = std::env::var("TEST_AMQP_URL").expect("RabbitMQ is needed");
    let mut url = url::Url::parse(&url).unwrap();
    url.set_password(Some("hunter2")).unwrap();
    let site = Site::new(Backend::Postgres).await.with("AMQP_URL", url.as_str());
    let reason = refusal_with(&site, REFUSED).await;
    assert!(
        reason.starts_with("AMQP_URL: the broker at ") && reason.contains(" answers, but refuses user "),
        "{reason}"
    );
    assert!(!reason.contains("hunter2"), "{reason}");
    let Finished { code, stderr, .. } = site.work().end().await;
    assert_eq!(code, Some(REFUSED.into()), "{stderr}");
    assert!(stderr.starts_with("buildtrack-worker: AMQP_URL: the broker at "), "{stderr}");
    let site = site.with("AMQP_URL", "amqp://bt:hunter2@127.0.0.1:1/%2f");
    let mut process = site.launch();
    let line = process.stderr.wait_for("the first line", |text| text.lines().next().map(ToOwned::to_owned)).await;
    assert!(line.contains("AMQP_URL: no broker answers at 127.0.0.1:1") && !line.contains("hunter2"), "{line}");
    // The server starts nevertheless: events wait for the broker.
    process.stdout.wait_for_text("listens on ").await;
}

#[tokio::test]
async fn a_missing_database_is_named() {
    let site = quiet(Backend::Postgres).await;
    let (name, url) = (unique("bt_nowhere_"), site.setting("DATABASE_URL").unwrap().to_owned());
    let (server, _) = url.rsplit_once("/bt_test_").unwrap();
    let reason = refusal_with(&site.with("DATABASE_URL", &format!("{server}/{name}")), REFUSED).await;
    assert!(reason.contains(&format!("database \"{name}\" does not exist")), "{reason}");
}

#[apply(both)]
async fn a_secret_that_is_not_the_databases_is_refused(backend: Backend) {
    let site = quiet(backend).await.with("BUILDTRACK_SECRET", &Secret::generate());
    let secret = site.setting("BUILDTRACK_SECRET").unwrap().to_owned();
    site.serve().await.stop().await;
    let site = site.with("BUILDTRACK_SECRET", &Secret::generate());
    let reason = refusal(&site).await;
    assert!(reason.starts_with("BUILDTRACK_SECRET is not the secret of this database: "), "{reason}");
    for command in [["verify-log"].as_slice(), &["admin", "grant-operator", "ada@example.org"]] {
        let Finished { code, stderr, .. } = site.run(command).await;
        assert_eq!(code, Some(CONFIGURATION.into()), "{command:?}: {stderr}");
    }
    if backend == Backend::Postgres {
        let Finished { code, stderr, .. } = site.work().end().await;
        assert_eq!(code, Some(CONFIGURATION.into()), "{stderr}");
        assert!(stderr.starts_with("buildtrack-worker: BUILDTRACK_SECRET is not the secret"), "{stderr}");
    }
    site.with("BUILDTRACK_SECRET", &secret).serve().await;
}

/// Older databases have no fingerprint; their encrypted values identify the secret.
#[apply(both)]
async fn a_database_without_a_fingerprint_identifies_its_secret_by_encrypted_values(backend: Backend) {
    let site = quiet(backend).await.with("BUILDTRACK_SECRET", &Secret::generate());
    let secret = site.setting("BUILDTRACK_SECRET").unwrap().to_owned();
    let server = site.serve().await;
    super::cast::Owner::sign_up(&server).await;
    server.stop().await;
    let forget = "DELETE FROM secret_fingerprint";
    assert_eq!(site.database().await.execute(forget).await, 1);
    let site = site.with("BUILDTRACK_SECRET", &Secret::generate());
    assert!(refusal(&site).await.starts_with("BUILDTRACK_SECRET is not the secret of this database: "));
    let site = site.with("BUILDTRACK_SECRET", &secret);
    site.serve().await.stop().await;
    assert_eq!(site.database().await.number("SELECT count(*) FROM secret_fingerprint").await, 1);
}

#[tokio::test]
async fn a_lost_secret_is_named_and_no_new_one_is_generated() {
    let site = quiet(Backend::Sqlite).await;
    site.serve().await.stop().await;
    let (secret_file, away) = (site.folder().join("data/secret"), site.folder().join("away"));
    std::fs::rename(&secret_file, &away).unwrap();
    let reason = refusal(&site).await;
    let named = format!("the secret is missing: {} is gone", secret_file.display());
    assert!(reason.starts_with(&named) && reason.contains("BUILDTRACK_SECRET"), "{reason}");
    let Finished { code, stdout, stderr } = site.run(&["config", "check"]).await;
    assert_eq!(code, Some(CONFIGURATION.into()), "{stdout}{stderr}");
    assert!(stderr.contains(&named) && !secret_file.exists(), "{stderr}");
    std::fs::rename(&away, &secret_file).unwrap();
    site.serve().await;
}

#[tokio::test]
async fn a_second_server_on_one_sqlite_file_is_refused_while_the_first_runs() {
    let site = quiet(Backend::Sqlite).await;
    let server = site.serve().await;
    let reason = refusal_with(&site, LOCKED).await;
    let folder = site.folder().join("data").display().to_string();
    let named = format!("another server (process {}) uses {folder}: ", server.process.id());
    assert!(reason.starts_with(&named), "{reason}");
    // Commands that may run next to a server still work.
    site.succeeds(&["verify-log"]).await;
    // A crash releases the lock.
    server.process.kill().await;
    site.serve().await;
}

#[tokio::test]
async fn config_check_shows_effective_settings_and_all_errors() {
    let site = quiet(Backend::Sqlite).await.with("BUILDTRACK_SECRET", "hunter2-hunter2-hunter2-hunter2-hunter2");
    let printed = site.succeeds(&["config", "check"]).await;
    for line in ["BUILDTRACK_BIND=127.0.0.1:0", "BUILDTRACK_LIVE_AGE=3600", "The settings are in order."] {
        assert!(printed.lines().any(|printed| printed == line), "{line} is not in:\n{printed}");
    }
    assert!(!printed.contains("hunter2"), "{printed}");
    let site = site.with("BUILDTRACK_BIND", "x").with("BUILDTRACK_LIVE_AGE", "0").with("BUILDTRACK_WORKR", "on");
    for command in [["config", "check"].as_slice(), &["serve"]] {
        let Finished { code, stderr, .. } = site.run(command).await;
        assert_eq!(code, Some(CONFIGURATION.into()), "{stderr}");
        for named in ["BUILDTRACK_BIND is \"x\"", "BUILDTRACK_LIVE_AGE is \"0\"", "did you mean BUILDTRACK_WORKER?"] {
            assert!(stderr.contains(named), "{named} is not in:\n{stderr}");
        }
    }
}

#[tokio::test]
async fn help_names_important_settings_and_exit_codes() {
    let site = Site::new(Backend::Sqlite).await;
    let help = site.succeeds(&["--help"]).await;
    for named in
        ["BUILDTRACK_BIND", "BUILDTRACK_SECRET", "DATABASE_URL", "AMQP_URL", "69  the database", "78  the settings"]
    {
        assert!(help.contains(named), "{named} is not in:\n{help}");
    }
    let Finished { stdout, .. } = soon("its help", site.run(&["verify-log", "--help"])).await;
    assert!(stdout.contains("69"), "{stdout}");
}

#[tokio::test]
async fn verify_log_distinguishes_an_unreachable_database_from_an_invalid_log() {
    let site = quiet(Backend::Postgres).await;
    site.succeeds(&["migrate"]).await;
    let site = site.with("DATABASE_URL", "postgres://bt:hunter2@127.0.0.1:1/bt");
    let Finished { code, stderr, .. } = site.run(&["verify-log"]).await;
    assert_eq!(code, Some(UNAVAILABLE.into()), "{stderr}");
    assert!(stderr.contains("The log could NOT BE CHECKED: ") && !stderr.contains("NOT in order"), "{stderr}");
}

#[tokio::test]
async fn postgresql_without_a_secret_is_refused() {
    let reason = refusal(&quiet(Backend::Postgres).await.without("BUILDTRACK_SECRET")).await;
    assert!(reason.starts_with("settings: BUILDTRACK_SECRET is required with PostgreSQL"), "{reason}");
}

#[tokio::test]
async fn a_separate_worker_needs_postgresql() {
    let Finished { code, stderr, .. } = quiet(Backend::Sqlite).await.work().end().await;
    assert_eq!(code, Some(CONFIGURATION.into()));
    assert!(stderr.starts_with("buildtrack-worker: DATABASE_URL is not set."), "{stderr}");
}
