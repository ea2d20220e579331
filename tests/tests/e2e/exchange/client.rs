//! The published client (`PyPI`: `agora-protocol`), unmodified: its transporter, and its sender with a script instead of a
//! language model

use std::path::Path;

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::process::Command;

use super::{Answering, speaker};
use crate::either;

/// The document that client and agent negotiate: `DOCUMENT` in tests/python/exchange.py.
const DOCUMENT: &str =
    "---\nname: Weather\ndescription: Tells the weather\nmultiround: true\n---\nSend a date; get a text.";

async fn run(part: &str, target: &str) -> Value {
    let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let mut command = Command::new(&python);
    command.args(["exchange.py", part, target]).current_dir(folder).env("NO_PROXY", "*").kill_on_drop(true);
    let output = command.output().await.unwrap_or_else(|error| panic!("{python} does not start: {error}"));
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "scripts/test brings the packages that this needs: {complaint}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"))
}

#[apply(either)]
async fn the_transporter_exchanges_one_round_and_several(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = speaker(&app, "Scout", &[DOCUMENT]).await;
    let answers = |request: &Value| json!({ "body": format!("{} is fair", request["body"].as_str().unwrap()) });
    let _answering = Answering::with(&scout, answers);
    let result = run("transporter", &format!("{}/agora/agents/{}", app.url(), scout.id)).await;
    let success = |body: &str| json!({ "status": "success", "body": body });
    assert_eq!(result["single"], success("Hello! is fair"));
    assert_eq!(result["document"], success("2026-03-02 is fair"));
    assert_eq!(result["several"], json!([success("2026-03-02 is fair"), success("2026-03-03 is fair")]));
    assert!(result["closed"].as_str().unwrap().contains("There is no such conversation"));
    let exchanges = scout.get("/api/v1/exchanges").await.expect_status(200);
    assert_eq!(exchanges.each("status"), ["closed", "done", "done"]);
}

#[apply(either)]
async fn the_sender_exchanges_natural_language_with_this_server(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let result = run("sender", &format!("{}/agora", app.url())).await;
    let (first, second) = result["output"].as_str().unwrap().split_once(" | ").unwrap();
    assert!(
        !first.is_empty() && !first.contains("Error") && !second.is_empty() && !second.contains("Error"),
        "{result}"
    );
}

#[apply(either)]
async fn the_sender_negotiates_and_runs_a_protocol_with_an_agent(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = speaker(&app, "Scout", &[DOCUMENT]).await;
    let _answering = Answering::with(&scout, |request: &Value| match &request["negotiation"] {
        Value::Bool(true) => json!({ "body": "A date, and a text for an answer." }),
        _ => json!({ "body": format!("{} is fair", request["body"].as_str().unwrap()) }),
    });
    let result = run("negotiator", &format!("{}/agora/agents/{}", app.url(), scout.id)).await;
    assert_eq!(result["output"], "2026-03-02 is fair");
    assert_eq!(result["heard"][1], "A date, and a text for an answer.");
    let exchanges = scout.get("/api/v1/exchanges").await.expect_status(200);
    assert_eq!(
        (exchanges.each("negotiation"), exchanges.each("status")),
        (vec![json!(false), json!(true)], vec![json!("closed"); 2])
    );
}
