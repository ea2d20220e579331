//! The seed's own receiver, run under Node (tests/node/receiver.mjs).

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

/// How long a delivery that was under way is nobody else's (`LEASE` of worker/src/webhooks).
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// One push, as the receiver answered it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Push {
    /// 200 where the seed's code found the signature right, and 401 where it did not.
    pub(crate) status: u16,
    /// Whether Standard Webhooks' own verifier accepted it.
    pub(crate) standard: bool,
    headers: HashMap<String, String>,
    /// Null where the push was refused before it was read.
    pub(crate) body: Value,
}

impl Push {
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("there is no header {name} in {:?}", self.headers))
    }

    /// The trace that it belongs to, if it says so.
    pub(crate) fn traceparent(&self) -> Option<&str> {
        self.headers.get("traceparent").map(|value| &**value)
    }

    /// Its event type, as its body says.
    pub(crate) fn event(&self) -> &str {
        self.body["event"].as_str().unwrap_or_default()
    }

    /// What somebody wrote.
    pub(crate) fn content(&self) -> &str {
        self.body["data"]["content"].as_str().unwrap_or_default()
    }
}

/// A running receiver; it ends with this value.
pub(crate) struct Receiver {
    process: Process,
    port: u16,
    /// Lines that were looked at.
    seen: usize,
}

/// How a receiver is to behave.
#[derive(Clone, Copy, Default)]
pub(crate) struct ReceiverOptions {
    /// So many pushes are answered with 503 first.
    pub(crate) reject_first: u32,
    /// Where to listen, if anywhere in particular.
    pub(crate) port: Option<u16>,
}

impl Receiver {
    /// Starts a receiver that knows the agent's secret, and tells the server where it listens.
    pub(crate) async fn of(server: &Server, agent: &Agent) -> Self {
        Self::with_options(server, agent, ReceiverOptions::default()).await
    }

    /// The same, with a options of its own.
    pub(crate) async fn with_options(server: &Server, agent: &Agent, options: ReceiverOptions) -> Self {
        let receiver = Self::start(agent, options).await;
        agent.changes(server, json!({"webhookUrl": receiver.url()})).await;
        receiver
    }

    /// Starts a receiver that nobody is told of.
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

    /// The next push; waits for it.
    pub(crate) async fn next(&mut self) -> Push {
        soon("a push", self.coming()).await
    }

    /// The next push, where whoever took it up before must be given up first.
    pub(crate) async fn next_within_a_lease(&mut self) -> Push {
        soon_after(LEASE, "a push", self.coming()).await
    }

    async fn coming(&mut self) -> Push {
        let seen = self.seen;
        let push = self.process.stdout.wait_for_or_end(|text| whole_lines(text).nth(seen).map(parse)).await;
        self.seen += 1;
        push.expect("the receiver runs")
    }

    /// So many next pushes; waits for them.
    pub(crate) async fn next_ones(&mut self, count: usize) -> Vec<Push> {
        let mut pushes = Vec::with_capacity(count);
        while pushes.len() < count {
            pushes.push(self.next().await);
        }
        pushes
    }

    /// Ends it, and gives every push that was not looked at.
    pub(crate) async fn end(self) -> Vec<Push> {
        let seen = self.seen;
        // In order: it prints a push after the answer, which the server may have told of by then.
        self.process.signal(Signal::TERM);
        let printed = self.process.end().await.stdout;
        whole_lines(&printed).skip(seen).map(parse).collect()
    }
}

/// Where a receiver listens.
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
