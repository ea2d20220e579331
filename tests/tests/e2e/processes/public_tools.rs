//! Public tools on the OpenAPI document that a server answers: linters find nothing, and the clients that generators write run the
//! tour.

use std::{path::Path, process::Output, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use super::{
    sdks::{python, serve, succeeds},
    site::{Server, Site},
    waiting::soon_after,
};
use crate::documents::ROOT;

/// How long a linter may take on a busy machine.
const LINTING: Duration = Duration::from_mins(2);

/// A server, and a folder with its document.
async fn served() -> (Site, Server, TempDir) {
    let (site, server) = serve().await;
    let document = server.anyone().get("/openapi.json").await.expect(200);
    assert_eq!(document["servers"], json!([{ "url": server.url() }]));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("document.json"), document.to_string()).unwrap();
    (site, server, folder)
}

/// Runs a program of tests/node in a folder, which has no settings for it; gives its status and its output.
async fn lint(folder: &Path, program: &str, arguments: &[&str]) -> (Output, Value) {
    let programs = Path::new(ROOT).join("tests/node/node_modules/.bin").canonicalize();
    let programs = programs.expect("the npm packages are missing: run `npm ci` in tests/node");
    let mut command = Command::new(programs.join(program));
    command.args(arguments).current_dir(folder).kill_on_drop(true);
    command.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    let output = soon_after(LINTING, program, command.output()).await.unwrap();
    let found = serde_json::from_slice(&output.stdout);
    let found = found.unwrap_or_else(|error| panic!("{program}: {error}: {output:?}"));
    (output, found)
}

const REDOCLY: [&str; 8] =
    ["lint", "document.json", "--extends", "recommended", "--format", "json", "--max-problems", "1000"];
const SPECTRAL: [&str; 9] =
    ["lint", "document.json", "--ruleset", "rules.json", "--format", "json", "--fail-severity", "hint", "--quiet"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redocly_finds_nothing_in_the_document() {
    let (_site, server, folder) = served().await;
    let (output, found) = lint(folder.path(), "redocly", &REDOCLY).await;
    assert_eq!(found["totals"], json!({ "errors": 0, "warnings": 0, "ignored": 0 }), "{:#}", found["problems"]);
    assert!(output.status.success(), "{output:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spectral_finds_nothing_in_the_document() {
    let (_site, server, folder) = served().await;
    std::fs::write(folder.path().join("rules.json"), json!({ "extends": ["spectral:oas"] }).to_string()).unwrap();
    let (output, found) = lint(folder.path(), "spectral", &SPECTRAL).await;
    assert_eq!(found, json!([]));
    assert!(output.status.success(), "{output:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_linters_find_what_the_document_would_lack() {
    let folder = tempfile::tempdir().unwrap();
    let bare = json!({
        "openapi": "3.1.0",
        "info": { "title": "Bare", "version": "1" },
        "paths": { "/": { "get": { "responses": { "101": { "description": "A socket" } } } } },
    });
    std::fs::write(folder.path().join("document.json"), bare.to_string()).unwrap();
    std::fs::write(folder.path().join("rules.json"), json!({ "extends": ["spectral:oas"] }).to_string()).unwrap();
    let (output, found) = lint(folder.path(), "redocly", &REDOCLY).await;
    let totals = &found["totals"];
    assert!(!output.status.success() && totals["errors"] != 0 && totals["warnings"] != 0, "{found}");
    let (output, found) = lint(folder.path(), "spectral", &SPECTRAL).await;
    let rules: Vec<_> = found.as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(!output.status.success() && rules.contains(&&json!("operation-success-response")), "{rules:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_generated_python_client_runs_the_tour() {
    let (_site, server, folder) = served().await;
    let mut command = Command::new(python());
    command.arg("tests/python/generated_client.py").arg(folder.path()).current_dir(ROOT).env("NO_PROXY", "*");
    let printed = succeeds("the client of openapi-python-client", command).await;
    assert!(printed.contains("The tour ended with ws_"), "{printed}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_generated_typescript_client_compiles_and_runs_the_tour() {
    let (_site, server, folder) = served().await;
    let mut command = Command::new("node");
    command.arg("tests/node/generated-client.mjs").arg(folder.path()).current_dir(ROOT).env("NO_PROXY", "*");
    let printed = succeeds("the client of @hey-api/openapi-ts", command).await;
    assert!(printed.contains("The tour ended with ws_"), "{printed}");
    server.stop().await;
}
