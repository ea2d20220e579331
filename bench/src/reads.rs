//! `reads`: the time of every anonymous read over a log of many events. A read's cost must not grow with the log.
//!
//! The operations and their parameters come from the server's own OpenAPI document, so that a new operation is measured without a
//! change here.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::api::{self, Client, Scene, text};
use crate::http::{self, Connection};
use crate::load::{self, OnCut, Plan, Request, Watched};
use crate::pace::Pace;
use crate::server::{self, Site};
use crate::settling;

/// Length of one load, after which the events are counted.
const LOAD: Duration = Duration::from_secs(5);
/// Requests of each read. The first one finds empty caches.
const REPEATS: usize = 3;
/// The slowest reads that are printed.
const PRINTED: usize = 12;
/// An id of the right form that belongs to no row.
const UNKNOWN_AGENT: &str = "ag_00000000000000000000000000";
/// A query that every text of the load matches.
const EVERY_TEXT: &str = "x";
/// The placeholder of the reply number, as in messages.
const NUMBER: &str = "0000000000000000";

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    #[command(flatten)]
    scene: api::Options,
    /// Number of events on the log: messages, and one reply in the forum for every seven messages.
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// Maximum time of a read, in milliseconds.
    #[arg(long, default_value_t = 50)]
    limit: u64,
}

/// The ids that replace the path parameters and serve as values of filters.
struct Known {
    events: u64,
    agent: String,
    owner: String,
    workspace: String,
    message: String,
    post: String,
    reply: String,
}

/// One measured read.
struct Read {
    path: String,
    status: u16,
    bytes: usize,
    first: Duration,
    slowest: Duration,
}

/// Returns whether every read stayed within the limit, the first one included.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    let site = Site::prepare(&options.server)?;
    let server = site.start().await?;
    let scene = Scene::set(site.address, options.scene).await?;
    let known = fill(&scene, options.events).await?;
    settling::settle(&site).await?;
    let mut reads = Vec::new();
    for path in paths(&scene, &known).await? {
        reads.push(measure(&scene, path).await?);
    }
    let passed = report(reads, &known, Duration::from_millis(options.limit));
    server.stop().await?;
    Ok(passed)
}

/// Posts messages and replies until the log has this many events.
async fn fill(scene: &Scene, events: u64) -> Result<Known> {
    let mut client = Client::open(scene.address).await?;
    client.token = Some(scene.agent_token()?);
    let me = client.call("GET", "/api/v1/me", None).await?;
    let post = json!({ "title": "Which reads grow with the log?", "body": "Each is measured.", "tags": ["reads"] });
    let post = text(&client.call("POST", "/api/v1/forum/posts", Some(&post)).await?, "/id")?;
    let replies = format!("/api/v1/forum/posts/{post}/replies");
    let mut load = 0;
    let mut head = 0;
    while head < events {
        let mut requests = scene.requests(load)?;
        for (connection, request) in (0..).zip(requests.iter_mut()).filter(|(number, _)| number % 8 == 7) {
            *request = reply(scene, &replies, (load, connection))?;
        }
        let (warmup, on_cut, watched) = (Duration::ZERO, OnCut::Reconnect, Watched::default());
        let (pace, address) = (Pace::Closed, scene.address);
        let (receipts, ledger) = (false, None);
        load::run(Plan { address, requests, pace, warmup, measured: LOAD, on_cut, receipts, ledger, watched }).await?;
        load += 1;
        head =
            client.call("GET", "/api/v1/log?limit=1", None).await?["head"].as_u64().context("a log without a head")?;
        println!("{head} events");
    }
    let workspace = scene.workspaces.first().context("a scene without a workspace")?.clone();
    let messages = client.call("GET", &format!("/api/v1/workspaces/{workspace}/messages?limit=1"), None).await?;
    let first_reply = client.call("GET", &format!("{replies}?limit=1"), None).await?;
    Ok(Known {
        events: head,
        agent: text(&me, "/id")?,
        owner: text(&me, "/ownerId")?,
        workspace,
        message: text(&messages, "/items/0/id")?,
        post,
        reply: text(&first_reply, "/items/0/id")?,
    })
}

fn reply(scene: &Scene, path: &str, number: (u16, u16)) -> Result<Request> {
    let body = json!({ "body": format!("{NUMBER} {}", "x".repeat(300)) }).to_string();
    let bytes = http::request("POST", path, scene.address, Some(&scene.agent_token()?), Some(&body));
    Request::new(bytes, NUMBER, number)
}

/// Every anonymous read of the document, plain and with each value of each query parameter.
async fn paths(scene: &Scene, known: &Known) -> Result<Vec<String>> {
    let document = Client::open(scene.address).await?.call("GET", "/openapi.json", None).await?;
    let operations = document["paths"].as_object().context("a document without paths")?;
    let mut paths = Vec::new();
    for (path, item) in operations {
        let Some(operation) = item.get("get").filter(|operation| is_measured(&document, operation)) else { continue };
        let Some(path) = known.fill(path) else { continue };
        let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let parameters = parameters.iter().map(|parameter| resolved(&document, parameter));
        let parameters: Vec<_> = parameters.filter(|parameter| parameter["in"] == "query").collect();
        let longest = parameters
            .iter()
            .find(|parameter| parameter["name"] == "limit")
            .map(|limit| limit["schema"]["maximum"].clone());
        let mut suffix = longest.map(|limit| format!("&limit={limit}")).unwrap_or_default();
        if parameters.iter().any(|parameter| parameter["name"] == "timeout") {
            suffix += "&timeout=0";
        }
        paths.push(path.clone());
        let is_search = parameters.iter().any(|parameter| parameter["name"] == "q" && parameter["required"] == true);
        for parameter in parameters {
            let values = known.values(parameter);
            let suffix =
                if is_search && parameter["name"] != "q" { format!("{suffix}&q={EVERY_TEXT}") } else { suffix.clone() };
            paths.extend(
                values
                    .iter()
                    .map(|value| format!("{path}?{}={value}{suffix}", parameter["name"].as_str().unwrap_or_default())),
            );
        }
    }
    ensure!(paths.len() > 100, "the document has too few anonymous reads: {}", paths.len());
    Ok(paths)
}

/// Whether the operation needs no session and is answered at once. Live streams do not end, and an export goes on at the rate limit of
/// its caller.
fn is_measured(document: &Value, operation: &Value) -> bool {
    let schemes = operation["security"].as_array();
    let is_open = schemes.is_none_or(|schemes| schemes.iter().any(|scheme| *scheme == json!({})));
    let content = &resolved(document, &operation["responses"]["200"])["content"];
    is_open && ["text/event-stream", "application/jsonl"].iter().all(|streamed| content.get(streamed).is_none())
}

fn resolved<'d>(document: &'d Value, parameter: &'d Value) -> &'d Value {
    let target = parameter["$ref"].as_str().and_then(|target| document.pointer(target.trim_start_matches('#')));
    target.unwrap_or(parameter)
}

impl Known {
    /// The path with ids of existing rows; `None` if it needs a row that the scene has not.
    fn fill(&self, path: &str) -> Option<String> {
        let mut filled = path.to_owned();
        for (parameter, id) in [
            ("/workspaces/{id}", format!("/workspaces/{}", self.workspace)),
            ("/agents/{id}", format!("/agents/{}", self.agent)),
            ("/agents/{agentId}", format!("/agents/{}", self.agent)),
            ("/accounts/{id}", format!("/accounts/{}", self.owner)),
            ("/posts/{id}", format!("/posts/{}", self.post)),
            ("{replyId}", self.reply.clone()),
            ("{messageId}", self.message.clone()),
        ] {
            filled = filled.replace(parameter, &id);
        }
        (!filled.contains('{')).then_some(filled)
    }

    /// Values of a query parameter: each of an enumeration, and for others one that selects much and one that selects nothing.
    fn values(&self, parameter: &Value) -> Vec<String> {
        if let Some(values) = parameter["schema"]["enum"].as_array() {
            return values.iter().filter_map(|value| Some(value.as_str()?.to_owned())).collect();
        }
        let half = self.events / 2;
        let strings = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        match parameter["name"].as_str().unwrap_or_default() {
            "limit" => vec![parameter["schema"]["minimum"].to_string()],
            "cursor" => vec![format!("p{half}"), "p1".to_owned()],
            "after" | "asOf" => vec!["1".to_owned(), half.to_string()],
            "q" => vec![
                "bench".to_owned(),
                "nothing%20has%20this".to_owned(),
                EVERY_TEXT.to_owned(),
                // Every text has its words, and none has it.
                format!("%22{0}%20{0}%22", "x".repeat(64)),
            ],
            "tag" => strings(&["build", "none"]),
            "solved" | "answered" | "inactive" => strings(&["true", "false"]),
            "author" | "owner" | "member" | "registrar" | "supportedBy" | "replyTo" => {
                strings(&[&self.agent, &self.owner, UNKNOWN_AGENT])
            }
            "workspace" | "subject" => vec![self.workspace.clone()],
            "intent" => strings(&["none"]),
            _ => vec![],
        }
    }
}

async fn measure(scene: &Scene, path: String) -> Result<Read> {
    let request = http::request("GET", &path, scene.address, None, None);
    let mut times = Vec::new();
    let (mut status, mut bytes) = (0, 0);
    for _ in 0..REPEATS {
        let mut connection = Connection::open(scene.address).await?;
        let begin = Instant::now();
        let answer = connection.exchange(&request).await.with_context(|| format!("GET {path}"))?;
        times.push(begin.elapsed());
        (status, bytes) = (answer.status, answer.body.len());
    }
    Ok(Read { path, status, bytes, first: times[0], slowest: times.into_iter().max().unwrap_or_default() })
}

/// Prints the slowest reads.
fn report(mut reads: Vec<Read>, known: &Known, limit: Duration) -> bool {
    reads.sort_by_key(|read| std::cmp::Reverse(read.slowest));
    for Read { path, status, bytes, first, slowest } in reads.iter().take(PRINTED) {
        let [slowest, first] = [slowest, first].map(|time| time.as_secs_f64() * 1000.0);
        println!("{slowest:8.2} ms (first {first:.2}), {bytes} bytes with {status}: {path}");
    }
    let slow = reads.iter().filter(|read| read.slowest > limit).count();
    let answered = reads.iter().filter(|read| read.status == 200).count();
    println!(
        "{} reads over {} events, {answered} answered 200: {slow} took more than {} ms",
        reads.len(),
        known.events,
        limit.as_millis()
    );
    slow == 0
}
