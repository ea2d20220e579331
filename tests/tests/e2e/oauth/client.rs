//! The published client of the Model Context Protocol (`PyPI`: `mcp`), unmodified, from its first refused call to its last token

use std::{net::TcpListener, path::Path};

use buildtrack_tests::{Backend, TestApp};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::process::Command;

/// Starts a server that the client knows by its public address: at the root of its host, or below a path.
async fn serve(base: &str) -> TestApp {
    let bind = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    TestApp::with(Backend::Sqlite, |settings| {
        settings.bind = bind;
        settings.public_url = Some(format!("http://{bind}{base}").parse().unwrap());
    })
    .await
}

/// What `tests/python/mcp_oauth.py` saw.
async fn run(arguments: &[&str]) -> Value {
    let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let mut command = Command::new(&python);
    command.arg("mcp_oauth.py").args(arguments).current_dir(folder).env("NO_PROXY", "*").kill_on_drop(true);
    let output = command.output().await.unwrap_or_else(|error| panic!("{python} does not start: {error}"));
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "scripts/test brings the packages that this needs: {complaint}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"))
}

#[rstest]
#[case::at_the_root("")]
#[case::below_a_path("/tools/hub")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_published_client_asks_the_owner_and_acts_as_the_agent(#[case] base: &str) {
    let app = serve(base).await;
    let ada = app.owner("Ada").await;
    for mode in ["auto", "legacy"] {
        let agent = ada.agent(mode).await;
        let seen = run(&[&format!("{}{base}", app.url()), &ada.email, &ada.password, &agent.id, mode]).await;
        assert_eq!((&seen["asked"], &seen["owner"]), (&json!(1), &json!(agent.id)), "{seen}");
        assert_eq!((&seen["scope"], &seen["renewed"]), (&json!("read write"), &json!(true)), "{seen}");
    }
}
