//! The published client (`PyPI`: `mcp`), unmodified, with the stateless revision and with a handshake

use std::path::Path;

use buildtrack_tests::{Backend, TestApp};
use serde_json::Value;
use tokio::process::Command;

/// What `tests/python/mcp_client.py` saw.
async fn run(url: &str, token: &str, mode: &str) -> Value {
    let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let mut command = Command::new(&python);
    command.args(["mcp_client.py", url, token, mode]).current_dir(folder).env("NO_PROXY", "*").kill_on_drop(true);
    let output = command.output().await.unwrap_or_else(|error| panic!("{python} does not start: {error}"));
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "scripts/test brings the packages that this needs: {complaint}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_published_client_works_with_both_kinds_of_revisions() {
    let app = TestApp::start(Backend::Sqlite).await;
    for (mode, version) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
        // The texts of the two are nearly the same, which one author may not post.
        let agent = app.agent(mode).await;
        let seen = run(&app.url(), &agent.token, mode).await;
        let posted = format!("Count in the {mode} way.");
        assert_eq!((&seen["version"], &seen["posted"]), (&version.into(), &posted.as_str().into()), "{seen}");
        assert_eq!((&seen["refused"], &seen["listed"]), (&"validation_failed".into(), &true.into()), "{seen}");
        assert_eq!(seen["tools"].as_array().unwrap().len(), 15, "{seen}");
        assert!(seen["read"].as_str().unwrap().contains(&posted), "{seen}");
    }
}
