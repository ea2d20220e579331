//! `buildtrack arena check --socket` against agents that make mistakes. `processes.rs` checks the examples with it.

use std::{process::Stdio, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStdout, Command},
    time::{sleep, timeout},
};
use tokio_tungstenite::tungstenite::Message;

use super::socket::{Duelist, response};
use crate::processes::site::program;

const TOKEN: &str = "bta_of_this_test";
/// How long a check may take after its agent has done its part.
const PATIENCE: Duration = Duration::from_secs(30);

/// A check that waits for its agent. It is a process with the clock of the machine, so that being late takes time.
struct Waiting {
    process: Child,
    stdout: BufReader<ChildStdout>,
    /// The address of the socket.
    address: String,
}

impl Waiting {
    async fn start(more: &[&str]) -> Self {
        let mut command = Command::new(program("buildtrack"));
        command.args(["arena", "check", "--socket", "--token", TOKEN]).args(more);
        command.stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        timeout(PATIENCE, stdout.read_line(&mut line)).await.expect("the address").unwrap();
        let address = line.strip_prefix("Connect the agent to ").unwrap().trim_end();
        let address = address.strip_suffix(&format!("?token={TOKEN}")).unwrap().to_owned();
        Self { process, stdout, address }
    }

    async fn connect(&self) -> Duelist {
        Duelist::open(&self.address, Some(TOKEN)).await.expect("the socket opens")
    }

    /// The report, and the exit code.
    async fn end(mut self) -> (String, Option<i32>) {
        let mut text = String::new();
        timeout(PATIENCE, self.stdout.read_to_string(&mut text)).await.expect("the report").unwrap();
        let status = timeout(PATIENCE, self.process.wait()).await.expect("the end").unwrap();
        (text, status.code())
    }
}

fn with(request: &Value, change: &Value) -> Value {
    let mut answer = response(request, request["task"]["options"][0].as_str().unwrap_or("42"));
    answer.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    answer
}

/// Waits until the error with this code comes.
async fn refused(agent: &mut Duelist, message: Value, code: &str) {
    agent.send(message).await;
    assert_eq!(agent.error().await, code);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_mistake_of_a_socket_agent_is_described() {
    let check = Waiting::start(&["--seconds", "3", "--turns", "3"]).await;
    let stranger = Duelist::open(&check.address, Some("bta_another")).await;
    assert_eq!(stranger.err().map(|refusal| refusal.status().as_u16()), Some(401));
    let mut agent = check.connect().await;
    assert_eq!(agent.hello["protocol"], "evalduel-agent-v0");
    refused(&mut agent, json!({ "type": "evalduel.agent.metadata", "name": 7 }), "invalid_message").await;
    refused(&mut agent, json!({ "type": "evalduel.match.answer" }), "invalid_message").await;
    agent.send_frame(Message::text("not JSON")).await;
    assert_eq!(agent.error().await, "invalid_message");
    let refusal = agent.join().await;
    assert_eq!((&refusal["code"], &refusal["retry_after_seconds"]), (&"cost_guard_active".into(), &2.into()));
    assert_eq!(agent.join().await["status"], "queued");

    let first = agent.request().await;
    assert_eq!((&first["turn_number"], &first["turn_count"], &first["mode"]), (&1.into(), &3.into(), &"ranked".into()));
    let other_match = json!({ "match_id": "match_01h2e8kqvbfwea724h75qc655w" });
    refused(&mut agent, with(&first, &other_match), "unknown_match").await;
    refused(&mut agent, with(&first, &json!({ "turn_id": "turn_9" })), "wrong_turn").await;
    refused(&mut agent, with(&first, &json!({ "output": null })), "invalid_message").await;
    let metadata = json!({ "metadata": { "confidence": 2, "secret": "x" } });
    agent.send(with(&first, &metadata)).await;
    refused(&mut agent, with(&first, &json!({})), "already_answered").await;

    assert_eq!(agent.next().await["type"], "evalduel.a_later_message");
    let second = agent.request().await;
    assert_eq!(second["previous_turns"][0]["turn_id"], "turn_1");
    agent.send(with(&second, &json!({}))).await;
    let third = agent.request().await;
    assert!(third["deadline_ms"].as_i64().is_some_and(|left| left <= 3000), "{third}");
    // Too late, but before the check has stopped to wait for it.
    sleep(Duration::from_millis(3300)).await;
    refused(&mut agent, with(&third, &json!({})), "late_answer").await;
    let result = agent.expect("evalduel.match.result").await;
    assert_eq!((&result["reason"], result["winner_agent_id"] == agent.id), (&"forfeited".into(), false));
    refused(&mut agent, with(&third, &json!({})), "match_over").await;

    let (text, code) = check.end().await;
    for expected in [
        "✗ connect: refused with 401: The token is not the one that this check printed.",
        "✓ connect: connected with its token in the header",
        "✗ queue · name: expected a string, not 7",
        "✗ queue: \"type\" is none of the protocol's messages from an agent",
        "✗ queue: the message is not JSON",
        "✗ queue · retry_after_seconds: tries again ",
        "✗ turn 1 · match_id: \"match_01h2e8kqvbfwea724h75qc655w\" is not the id of the match, \"match_",
        "✗ turn 1 · turn_id: \"turn_9\" is not the open turn, \"turn_1\"",
        "✗ turn 1 · output: \"output\" is null",
        "✗ turn 1 · metadata.confidence: expected a number from 0 to 1, not 2",
        "! turn 1 · metadata.secret: no member of this message: the server ignores it",
        "✗ turn 1: a second answer to turn_1: the first one counts",
        "✓ turn 2, with a message and a member of a later version: answered in ",
        "✗ turn 3: the answer comes ",
        "✗ result: an answer after the end of the match",
    ] {
        assert!(text.lines().any(|line| line.starts_with(expected)), "{expected}: {text}");
    }
    assert_eq!(code, Some(1), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_agent_that_ignores_errors_and_does_not_come_back_is_reported() {
    let check = Waiting::start(&["--seconds", "9"]).await;
    let mut agent = check.connect().await;
    agent.join().await;
    sleep(Duration::from_secs(2)).await;
    agent.join().await;
    for _ in 0..2 {
        let message = agent.next().await;
        let request = if message["type"] == "evalduel.match.request" { message } else { agent.request().await };
        agent.send(with(&request, &json!({}))).await;
    }
    let third = agent.next().await;
    let third = if third["type"] == "evalduel.match.request" { third } else { agent.request().await };
    refused(&mut agent, with(&third, &json!({})), "unavailable").await;
    agent.request().await;
    assert_eq!(agent.closed().await.0, 1012);
    let (text, code) = check.end().await;
    for expected in [
        "✓ queue: tries again ",
        "! turn 3, with an error: does not send its answer again after the error unavailable",
        "✗ turn 4, with a restart of the server: not connected at the deadline: the match is forfeited",
    ] {
        assert!(text.lines().any(|line| line.starts_with(expected)), "{expected}: {text}");
    }
    assert_eq!(code, Some(1), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_agent_that_does_not_connect_is_not_checked() {
    let check = Waiting::start(&["--wait", "1"]).await;
    assert_eq!(check.end().await.1, Some(2));
    for wrong in [&["--league", "debate"][..], &["--turns", "0"], &["http://127.0.0.1:1"]] {
        let mut command = Command::new(program("buildtrack"));
        let output = command.args(["arena", "check", "--socket"]).args(wrong).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}
