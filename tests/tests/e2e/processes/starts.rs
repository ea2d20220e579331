//! The output of a starting server, and commands that need no server.

use std::{collections::BTreeSet, net::TcpListener, path::Path};

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::Value;

use super::{cast::Agent, site::Site, waiting::until};
use crate::either;

#[apply(either)]
async fn the_banner_names_docs_api_and_data(backend: Backend) {
    let address = free_address();
    let site = Site::new(backend).await.without("BUILDTRACK_PUBLIC_URL").with("BUILDTRACK_BIND", &address);
    let server = site.serve().await;
    assert_eq!(server.url(), format!("http://{address}"));
    let data = match backend {
        Backend::Sqlite => site.folder().join("data/buildtrack.sqlite").display().to_string(),
        Backend::Postgres => "PostgreSQL (DATABASE_URL)".to_owned(),
    };
    let banner = server.process.stdout.so_far();
    for line in [
        format!("docs    {}/docs", server.url()),
        format!("API     {}/api/v1", server.url()),
        format!("data    {data}"),
        "worker  in this process".to_owned(),
    ] {
        assert!(banner.contains(&line), "{line:?} is not in:\n{banner}");
    }
}

/// An address with a free port.
fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[apply(either)]
async fn a_started_server_is_live_and_ready(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    for path in ["/livez", "/readyz"] {
        let health = server.anyone().get(path).await.expect(200);
        assert_eq!(health["status"], "ok", "{path}");
    }
}

#[apply(either)]
async fn metrics_are_prometheus_text(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    Agent::new(&server, "Scout").await;
    let pushes = |text: &str| text.contains("\nbuildtrack_webhook_pending 0\n");
    let metrics = until("the worker's measurements", async || {
        let metrics = server.anyone().get("/metrics").await;
        pushes(metrics.body.as_str().unwrap()).then_some(metrics)
    })
    .await;
    assert_eq!(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let text = metrics.body.as_str().unwrap();
    for name in ["buildtrack_http_seconds_bucket", "buildtrack_log_events_total", "buildtrack_log_batch_size_count"] {
        assert!(samples(text).any(|(sample, value)| sample == name && value > 0.0), "{name} is not in:\n{text}");
    }
}

#[apply(either)]
async fn every_metric_has_help_and_process_and_build_metrics_exist(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let scout = Agent::new(&server, "Scout").await;
    server.with(&scout.token).get("/api/v1/me").await.expect(200);
    let metrics = server.anyone().get("/metrics").await;
    let text = metrics.body.as_str().unwrap();
    let named = |kind: &str| -> BTreeSet<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(kind)?.split(' ').next());
        lines.map(ToOwned::to_owned).collect()
    };
    assert_eq!(named("# TYPE "), named("# HELP "), "{text}");
    for name in [
        "buildtrack_build_info",
        "process_cpu_seconds_total",
        "process_open_fds",
        "process_resident_memory_bytes",
        "process_start_time_seconds",
    ] {
        assert!(samples(text).any(|(sample, value)| sample == name && value > 0.0), "{name} is not in:\n{text}");
    }
}

/// Name and value of every sample in Prometheus' text format 0.0.4; fails if a line is neither a comment nor a sample.
fn samples(text: &str) -> impl Iterator<Item = (&str, f64)> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("# HELP ") && !line.starts_with("# TYPE ")).map(
        |line| {
            let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no sample: {line}"));
            let name = series.split('{').next().unwrap_or_default();
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte));
            assert!(is_name && (name == series || series.ends_with('}')), "no sample: {line}");
            (name, value.parse().unwrap_or_else(|_| panic!("no sample: {line}")))
        },
    )
}

#[apply(either)]
async fn migrate_creates_the_schema_and_may_be_repeated(backend: Backend) {
    let site = Site::new(backend).await;
    for _ in 0..2 {
        assert_eq!(site.succeeds(&["migrate"]).await, "The schema is up to date.\n");
    }
    assert_eq!(site.database().await.number("SELECT position FROM log_head").await, 0);
    site.serve().await;
}

#[apply(either)]
async fn an_empty_log_is_in_order(backend: Backend) {
    super::checks::assert_in_order(&Site::new(backend).await).await;
}

#[tokio::test]
async fn openapi_prints_the_committed_document() {
    let site = Site::new(Backend::Sqlite).await;
    let printed = site.succeeds(&["openapi"]).await;
    let document: Value = serde_json::from_str(&printed).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/openapi.json");
    // scripts/check checks whether the committed document exists.
    if let Ok(committed) = std::fs::read_to_string(committed) {
        assert!(printed == committed, "openapi/openapi.json differs from the code");
    }
}

#[tokio::test]
async fn a_served_document_is_the_printed_one() {
    let site = Site::new(Backend::Sqlite).await;
    let server = site.serve().await;
    let served = server.anyone().get("/openapi.json").await.expect(200);
    let printed: Value = serde_json::from_str(&site.succeeds(&["openapi"]).await).unwrap();
    assert_eq!(served["paths"], printed["paths"]);
}
