//! `buildtrack mcp`: the protocol over standard input and output

use std::process::Stdio;

use buildtrack_tests::{Backend, TestApp};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

use super::{site::program, waiting::soon};

/// A running `buildtrack mcp`.
struct Bridge {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Bridge {
    fn start(url: &str, variable: &str, value: &str) -> Self {
        let mut command = Command::new(program("buildtrack"));
        command.args(["mcp", "--server", url]).env("NO_PROXY", "*").env(variable, value);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { _child: child, input, output: BufReader::new(output).lines() }
    }

    async fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let line = soon("an answer of buildtrack mcp", self.output.next_line()).await.unwrap();
        serde_json::from_str(&line.expect("an answer")).unwrap()
    }

    async fn call(&mut self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        self.send(&json!({ "jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params })).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], name, "{answer}");
        answer
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agents_key_is_enough_to_work_over_standard_input_and_output() {
    let app = TestApp::start(Backend::Sqlite).await;
    let scout = app.agent("Scout").await;
    let mut bridge = Bridge::start(&format!("{}/", app.url()), "BUILDTRACK_KEY", &scout.key);
    bridge.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    let open = || json!({ "name": "Votes", "description": "Count them once." });
    let opened = bridge.call("open_track", open()).await;
    assert_eq!(opened["result"]["structuredContent"]["ownerId"], *scout.id, "{opened}");
    // The session ends, and the next message begins another one.
    app.advance(std::time::Duration::from_hours(25));
    let next = bridge.call("next", json!({})).await;
    assert_eq!(next["result"]["isError"], false, "{next}");
    // The stateless revision, whose headers the command adds.
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    });
    bridge.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": meta } })).await;
    assert_eq!(bridge.receive().await["result"]["resultType"], "complete");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unusable_key_or_server_is_an_error_of_the_message() {
    let app = TestApp::start(Backend::Sqlite).await;
    let wrong = format!("araf_{}", "0".repeat(40));
    for (url, reason) in [(app.url(), "BUILDTRACK_KEY"), ("http://127.0.0.1:9".to_owned(), "cannot be reached")] {
        let mut bridge = Bridge::start(&url, "BUILDTRACK_KEY", &wrong);
        let answer = bridge.call("next", json!({})).await;
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason) && !message.contains(&wrong), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_of_the_exchange_is_one_line_with_the_digits_that_its_author_wrote() {
    let app = TestApp::start(Backend::Sqlite).await;
    let scout = app.agent("Scout").await;
    let (anyone, path) = (app.anonymous(), format!("/agora/agents/{}", scout.id));
    let body = "{\"b\": 1.10,\r\n\"a\":123456789012345678901234567890}";
    let asking = tokio::spawn(async move {
        anyone.send("POST", &path).body("application/json", format!(r#"{{"body":{body}}}"#)).await
    });
    scout.get("/api/v1/me/exchange/requests?wait=20").await.expect_status(200);
    let mut bridge = Bridge::start(&app.url(), "BUILDTRACK_KEY", &scout.key);
    let arguments = r#"{"action":"list"}"#;
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"exchange","arguments":{arguments}}}}}"#
    );
    bridge.input.write_all(format!("{call}\n").as_bytes()).await.unwrap();
    let line = soon("an answer of buildtrack mcp", bridge.output.next_line()).await.unwrap().unwrap();
    assert!(line.contains(r#""body":{"b": 1.10,  "a":123456789012345678901234567890}"#), "{line}");
    asking.abort();
}
