//! Starts that must fail, with one line that says why.

use std::net::TcpListener;

use buildtrack_tests::Backend;
use rstest_reuse::apply;

use super::{process::Finished, site::Site, site::unique};
use crate::both;

/// Starts a server that must not come up, and gives the one line it printed.
async fn refusal(site: &Site) -> String {
    let Finished { code, stdout, stderr } = site.launch().end().await;
    assert_eq!((code, &*stdout), (Some(1), ""), "{stderr}");
    let mut lines = stderr.lines();
    let line = lines.next().unwrap_or_default();
    assert_eq!(lines.next(), None, "more than one line: {stderr}");
    let reason = line.strip_prefix("buildtrack: ");
    reason.unwrap_or_else(|| panic!("who speaks? {line}")).to_owned()
}

/// A site whose log holds nothing but errors.
async fn quiet(backend: Backend) -> Site {
    Site::new(backend).await.with("BUILDTRACK_LOG", "error")
}

#[apply(both)]
async fn an_unknown_key_is_named(backend: Backend) {
    let site = quiet(backend).await.with("BUILDTRACK_BINDD", "127.0.0.1:0");
    let reason = refusal(&site).await;
    assert!(reason.starts_with("settings: unknown field `bindd`, expected one of `bind`, "), "{reason}");
}

#[rstest::rstest]
#[case("BUILDTRACK_BIND", "localhost", "settings: invalid socket address syntax in `bind`")]
#[case("BUILDTRACK_WORKER", "perhaps", "settings: expected on or off in `worker`")]
#[case("BUILDTRACK_LOG_FORMAT", "xml", "settings: expected text or json in `log_format`")]
#[case("BUILDTRACK_PUBLIC_URL", "build", "settings: relative URL without a base in `public_url`")]
#[case("BUILDTRACK_RETRY_SCHEDULE", "5,soon", "settings: expected seconds between 0.01 and 604800")]
#[case("BUILDTRACK_RATE_LIMITS", "free=0", "settings: \"free=0\" is no limit; expected free, pro, ")]
#[case("BUILDTRACK_TRUSTED_PROXIES", "10.0.0.0/64", " in `trusted_proxies`")]
#[case("BUILDTRACK_SECRET", "hunter2", "settings: BUILDTRACK_SECRET: the secret must have at least 32 characters")]
#[case("BUILDTRACK_LOG", "=info=", "BUILDTRACK_LOG: invalid filter directive")]
#[case("BUILDTRACK_CONFIG", "/nonexistent.toml", "settings file /nonexistent.toml: No such file or directory")]
#[case("BUILDTRACK_DATA_DIR", "/proc/data", "/proc/data")]
#[case("DATABASE_URL", "mysql://hunter2@localhost/x", "settings: DATABASE_URL must begin with postgres://")]
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
    let reason = refusal(&quiet(backend).await.with("BUILDTRACK_BIND", &address)).await;
    assert_eq!(reason, format!("cannot listen on {address}: Address already in use (os error 98)"));
}

#[tokio::test]
async fn a_database_that_does_not_answer_is_named() {
    let password = unique("hunter2-");
    let site = quiet(Backend::Postgres).await.with("DATABASE_URL", &format!("postgres://bt:{password}@127.0.0.1:1/bt"));
    let reason = refusal(&site).await;
    assert!(reason.starts_with("the database is not available: ") && reason.contains("Connection refused"), "{reason}");
    assert!(!reason.contains(&password), "{reason}");
}

#[tokio::test]
async fn a_database_that_is_not_there_is_named() {
    let site = quiet(Backend::Postgres).await;
    let (name, url) = (unique("bt_nowhere_"), site.setting("DATABASE_URL").unwrap().to_owned());
    let (server, _) = url.rsplit_once("/bt_test_").unwrap();
    let reason = refusal(&site.with("DATABASE_URL", &format!("{server}/{name}"))).await;
    assert!(reason.contains(&format!("database \"{name}\" does not exist")), "{reason}");
}

#[tokio::test]
async fn postgresql_without_a_secret_is_refused() {
    let reason = refusal(&quiet(Backend::Postgres).await.without("BUILDTRACK_SECRET")).await;
    assert!(reason.starts_with("settings: BUILDTRACK_SECRET is required with PostgreSQL"), "{reason}");
}

#[tokio::test]
async fn a_worker_of_its_own_needs_postgresql() {
    let Finished { code, stderr, .. } = quiet(Backend::Sqlite).await.work().end().await;
    assert_eq!(code, Some(1));
    assert!(stderr.starts_with("buildtrack-worker: DATABASE_URL is not set."), "{stderr}");
}
