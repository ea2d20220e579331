//! The seed's own webhook receiver, run under Node (tests/node/receiver.mjs).

use std::{collections::HashMap, path::Path, time::Duration};

use rustix::process::Signal;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Command;

use super::{
    cast::Agent,
    process::Process,
    site::Server,
    waiting::{soon, soon_after},
};

/// How long an interrupted delivery stays leased (`LEASE` of worker/src/webhooks).
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// One push, as the receiver reports it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Push {
    /// 200 if the seed's code found the signature valid, else 401.
    pub(crate) status: u16,
    /// Whether the verifier of Standard Webhooks accepted it.
    pub(crate) standard: bool,
    headers: HashMap<String, String>,
    /// Null if the push was refused before its body was read.
    pub(crate) body: Value,
}

impl Push {
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("there is no header {name} in {:?}", self.headers))
    }

    /// The trace context, if there is one.
    pub(crate) fn traceparent(&self) -> Option<&str> {
        self.headers.get("traceparent").map(|value| &**value)
    }

    /// The event type in the body.
    pub(crate) fn event(&self) -> &str {
        self.body["event"].as_str().unwrap_or_default()
    }

    /// The message text in the body.
    pub(crate) fn content(&self) -> &str {
        self.body["data"]["content"].as_str().unwrap_or_default()
    }
}

/// A running receiver; it stops when this value is dropped.
pub(crate) struct Receiver {
    process: Process,
    port: u16,
    /// The number of lines that the test has consumed.
    seen: usize,
}

/// Options of a receiver.
#[derive(Clone, Copy, Default)]
pub(crate) struct ReceiverOptions {
    /// The number of pushes that are refused with 503 first.
    pub(crate) reject_first: u32,
    /// The port to listen on; by default a free one.
    pub(crate) port: Option<u16>,
}

impl Receiver {
    /// Starts a receiver with the agent's secret, and registers its URL at the server.
    pub(crate) async fn of(server: &Server, agent: &Agent) -> Self {
        Self::with_options(server, agent, ReceiverOptions::default()).await
    }

    /// The same with options.
    pub(crate) async fn with_options(server: &Server, agent: &Agent, options: ReceiverOptions) -> Self {
        let receiver = Self::start(agent, options).await;
        agent.changes(server, json!({"webhookUrl": receiver.url()})).await;
        receiver
    }

    /// Starts a receiver without registering its URL.
    pub(crate) async fn start(agent: &Agent, options: ReceiverOptions) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("node");
        assert!(folder.join("node_modules").is_dir(), "the npm packages are missing: run `npm ci` in tests/node");
        let mut command = Command::new("node");
        command.arg("receiver.mjs").current_dir(folder);
        command.env("ARAF_SECRET", &agent.secret).env("REJECT_FIRST", options.reject_first.to_string());
        command.env("PORT", options.port.unwrap_or(0).to_string());
        let mut process = Process::start(command);
        let port = process.stdout.wait_for("the receiver's port", first_line).await["port"].as_u64().unwrap();
        Self { process, port: port.try_into().unwrap(), seen: 1 }
    }

    pub(crate) fn url(&self) -> String {
        address(self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Waits for the next push and returns it.
    pub(crate) async fn next(&mut self) -> Push {
        soon("a push", self.coming()).await
    }

    /// The next push, if the lease of another process must expire first.
    pub(crate) async fn next_within_a_lease(&mut self) -> Push {
        soon_after(LEASE, "a push", self.coming()).await
    }

    async fn coming(&mut self) -> Push {
        let seen = self.seen;
        let push = self.process.stdout.wait_for_or_end(|text| whole_lines(text).nth(seen).map(parse)).await;
        self.seen += 1;
        push.expect("the receiver runs")
    }

    /// Waits for this many pushes and returns them.
    pub(crate) async fn next_ones(&mut self, count: usize) -> Vec<Push> {
        let mut pushes = Vec::with_capacity(count);
        while pushes.len() < count {
            pushes.push(self.next().await);
        }
        pushes
    }

    /// Stops the receiver; returns every push that the test has not consumed.
    pub(crate) async fn end(self) -> Vec<Push> {
        let seen = self.seen;
        // SIGTERM: the receiver prints a push after its response, so the server may have recorded the push before the line appears.
        self.process.signal(Signal::TERM);
        let printed = self.process.end().await.stdout;
        whole_lines(&printed).skip(seen).map(parse).collect()
    }
}

/// The URL of a receiver on this port.
pub(crate) fn address(port: u16) -> String {
    format!("http://127.0.0.1:{port}/araf/webhook")
}

fn whole_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'))
}

fn first_line(text: &str) -> Option<Value> {
    whole_lines(text).next().map(|line| serde_json::from_str(line).unwrap())
}

fn parse(line: &str) -> Push {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}
