//! The documentation page in a real browser (tests/node/docs.mjs), served by the binary.

use std::path::Path;

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::process::Command;

use super::{cast::Owner, process::Process, site::Site, waiting::soon};
use crate::both;

#[apply(both)]
async fn a_user_pastes_a_token_and_tries_an_operation(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    let track = json!({"name": "From the page", "description": "Tried out.", "status": "open", "messageCount": 0});
    let seen = try_out(server.url(), &owner.token, "POST /api/v1/workspaces", &track).await;
    assert_eq!((&seen["status"], &seen["complaints"]), (&json!("201"), &json!([])));
    // No external hosts.
    assert_eq!(seen["hosts"], json!([server.url().trim_start_matches("http://")]));
    let tracks = server.anyone().get("/api/v1/workspaces").await.expect(200);
    assert_eq!(
        (&tracks["items"][0]["name"], &tracks["items"][0]["ownerId"]),
        (&json!("From the page"), &json!(owner.id))
    );
    assert!(seen["shown"].as_str().unwrap().contains(tracks["items"][0]["id"].as_str().unwrap()), "{seen}");
}

/// The page's output for an operation that is tried out.
async fn try_out(url: &str, token: &str, operation: &str, body: &Value) -> Value {
    assert!(std::env::var_os("BROWSER").is_some(), "BROWSER names no Chromium; ./scripts/test brings one");
    let mut command = Command::new("node");
    command.arg("docs.mjs").args([url, token, operation, &body.to_string()]);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("node"));
    let finished = soon("what the browser sees", Process::start(command).end()).await;
    serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{}", finished.stderr))
}
