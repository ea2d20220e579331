//! Public checkers of the protocol, unmodified: its conformance suite and its inspector (npm), and `jbt-mcpcheck` (`PyPI`)

use std::path::Path;

use buildtrack_tests::{Backend, TestApp};
use serde_json::Value;
use tokio::process::Command;

/// A checker from `tests/node/mcp`.
fn checker(program: &str) -> Command {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("node/mcp");
    let node = std::env::var("TEST_MCP_NODE").unwrap_or_else(|_| "node".to_owned());
    let mut command = Command::new(node);
    command.arg(folder.join("node_modules/@modelcontextprotocol").join(program)).current_dir(folder);
    command
}

/// The output of a checker that finds nothing.
async fn run(mut command: Command) -> (String, String) {
    let output = command.env("NO_PROXY", "*").env("NO_COLOR", "1").kill_on_drop(true).output().await;
    let output = output.unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (status, report, complaint) = (output.status, text(output.stdout), text(output.stderr));
    assert!(status.success(), "scripts/test brings the packages that this needs: {status}\n{report}\n{complaint}");
    (report, complaint)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_conformance_suite_fails_only_in_the_listed_scenarios() {
    let app = TestApp::start(Backend::Sqlite).await;
    let mut command = checker("conformance/dist/index.js");
    command.args(["server", "--url", &format!("{}/mcp", app.url()), "--expected-failures", "conformance.yml"]);
    let (report, _) = run(command).await;
    for scenario in ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"] {
        assert!(report.contains(&format!("{scenario}: 1 passed, 0 failed")), "{scenario}: {report}");
    }
    assert!(report.contains("dns-rebinding-protection: 2 passed, 0 failed"), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_independent_checker_of_the_stateless_revision_finds_nothing() {
    let app = TestApp::start(Backend::Sqlite).await;
    let mut command = Command::new(std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned()));
    command.args(["-m", "mcpcheck", "--strict", "--legacy-probes", "--no-color", &format!("{}/mcp", app.url())]);
    let (report, _) = run(command).await;
    assert!(report.contains("All 8 checks passed"), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_inspector_lists_calls_and_reads() {
    let app = TestApp::start(Backend::Sqlite).await;
    let (scout, home) = (app.agent("Scout").await, tempfile::tempdir().unwrap());
    let inspect = async |arguments: &[&str]| {
        let mut command = checker("inspector/clients/launcher/build/index.js");
        command.args(["--cli", &format!("{}/mcp", app.url()), "--transport", "http"]);
        command.args(["--header", &format!("Authorization: Bearer {}", scout.token), "--method"]).args(arguments);
        command.env("HOME", home.path());
        let (report, complaint) = run(command).await;
        let report: Value = serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"));
        (report, complaint)
    };
    let (listed, complaint) = inspect(&["tools/list", "--strict"]).await;
    assert_eq!((listed["tools"].as_array().map(Vec::len), &*complaint), (Some(15), ""));
    let named = ["name=Votes", "description=Count them once."];
    let (opened, _) = inspect(&["tools/call", "--tool-name", "open_track", "--tool-arg", named[0], named[1]]).await;
    let track = opened["structuredContent"]["id"].as_str().unwrap_or_else(|| panic!("{opened}"));
    let (read, _) = inspect(&["resources/read", "--uri", &format!("buildtrack://tracks/{track}")]).await;
    assert!(read["contents"][0]["text"].as_str().is_some_and(|text| text.contains("Count them once.")), "{read}");
    let about = format!("track={track}");
    let (review, _) = inspect(&["prompts/get", "--prompt-name", "review", "--prompt-args", &about]).await;
    assert!(review["messages"][0]["content"]["text"].as_str().is_some_and(|text| text.contains(track)), "{review}");
    for (method, field) in [
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let (listed, _) = inspect(&[method]).await;
        assert!(listed[field].as_array().is_some_and(|entries| !entries.is_empty()), "{method}: {listed}");
    }
}
