//! The demo from start to end, and its output.

use std::{
    collections::HashSet,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    time::Duration,
};

use buildtrack_commands::{CommandError, open_store, print};
use buildtrack_settings::Settings;
use buildtrack_store::{Database, ServerLock};
use serde_json::{Value, json};

use super::{
    arena,
    cast::{Cast, LISTENER, Player, narrate, text},
    client::Client,
    discussion::{self, Posted},
    outcome,
    receiver::{Push, Receiver, laid_out},
};
use crate::serve::{Running, first_signal};

/// The time limit for the arrival of the pushes.
const PUSH_TIMEOUT: Duration = Duration::from_secs(20);
/// Rate limits per minute, far above the demo's use.
const LIMITS: &str = "free=100000,pro=100000,enterprise=100000,anonymous=100000,login=1000";

/// The settings of the demo: pushes to private addresses are allowed, rate limits are high, and log lines about single
/// requests are off, so that they do not mix with the demo's output.
pub(crate) fn prepare(settings: Settings) -> Result<Settings, CommandError> {
    let rate_limits = LIMITS.parse().map_err(|error| CommandError::Failed(format!("{error}")))?;
    let log = if settings.log == Settings::default().log { "warn".to_owned() } else { settings.log };
    let bind = free(settings.bind);
    Ok(Settings { bind, log, rate_limits, allow_private_targets: true, worker: true, ..settings })
}

/// Returns the address itself if its port is free, otherwise one with a port that the system chooses.
fn free(address: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind(address).or_else(|_| TcpListener::bind((address.ip(), 0)));
    listener.and_then(|listener| listener.local_addr()).unwrap_or(address)
}

/// Fills an empty database and shows the result. Then serves until a signal arrives, or ends at once (`exit`).
pub(crate) async fn demo(settings: Settings, exit: bool) -> Result<(), CommandError> {
    let database = match settings.database() {
        Database::Sqlite(path) => format!("SQLite, {}", path.display()),
        // The URL may contain a password.
        Database::Postgres(_) => "PostgreSQL (DATABASE_URL)".to_owned(),
    };
    let _lock = ServerLock::acquire(&settings.database())?;
    let store = open_store(&settings).await?;
    store.arena().use_bank(buildtrack_settings::bank(&settings)?);
    let events = store.log().tail().head();
    if events > 0 {
        store.close().await;
        let advice = "point BUILDTRACK_DATA_DIR at an empty folder, or DATABASE_URL at an empty database";
        let refusal = format!("the demo needs an empty database, but {database} has {events} events; {advice}");
        return Err(CommandError::Failed(refusal));
    }
    let running = Running::start(store, settings).await?;
    print(&format!("Buildtrack's demo on {database}\n"))?;
    let shown = show(&running, exit).await;
    running.stop().await;
    shown
}

async fn show(running: &Running, exit: bool) -> Result<(), CommandError> {
    let public_url = running.application.public_url();
    let anonymous = Client::anonymous(format!("http://{}", reachable(running.server.address)))?;
    let mut receiver = Receiver::start()?;
    print(&format!("The server listens on {public_url}\nA webhook receiver listens on {}\n", receiver.url))?;
    let cast = Cast::arrive(&anonymous, &receiver.url).await?;
    let listener = cast.named(LISTENER)?;
    receiver.trust(listener.webhook_secret.clone().unwrap_or_default());
    print("")?;
    let posted = discussion::post_all(&cast).await?;
    outcome::conclude(&cast, &posted).await?;
    show_push(&mut receiver, &posted).await?;
    outcome::show_inbox(&cast).await?;
    let match_id = arena::play(&anonymous, &cast).await?;
    show_log(&anonymous).await?;
    show_ways_on(public_url, &cast, &posted)?;
    show_match(public_url, &match_id)?;
    if !exit {
        print(&format!(
            "\nThe server keeps running at {public_url}; Ctrl-C stops it. Pushes to {LISTENER} are shown as they arrive."
        ))?;
        tokio::select! {
            () = first_signal()? => {}
            followed = follow(&mut receiver) => followed?,
        }
    }
    forget_receiver(listener).await?;
    receiver.stop().await;
    Ok(())
}

/// The address at which this machine reaches the server: the loopback address if the server listens on all addresses.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Waits until every message of the other authors has been pushed, then shows the push of the decision.
async fn show_push(receiver: &mut Receiver, posted: &Posted) -> Result<(), CommandError> {
    let late = |_| CommandError::Failed(format!("the pushes did not arrive within {} s", PUSH_TIMEOUT.as_secs()));
    let pushes = tokio::time::timeout(PUSH_TIMEOUT, collect(receiver, posted)).await.map_err(late)??;
    let decision = pushes.iter().find(|push| message_of(push) == posted.decision);
    let Push { headers, body, .. } =
        decision.ok_or_else(|| CommandError::Failed("the decision was not pushed".into()))?;
    print(&format!("\nThe decision, as it was pushed to {LISTENER}; its signature is valid:\n"))?;
    print(&format!("{}\n", indented(&format!("POST {}\n{headers}\n\n{}", receiver.url, laid_out(body)))))?;
    print(&format!("{} pushes have arrived, every one of them with the right signature.", pushes.len()))?;
    Ok(())
}

async fn collect(receiver: &mut Receiver, posted: &Posted) -> Result<Vec<Push>, CommandError> {
    let others = posted.messages.iter().filter(|(author, _)| *author != LISTENER);
    let mut awaited: HashSet<&str> = others.map(|(_, id)| &**id).collect();
    let mut pushes = Vec::new();
    while !awaited.is_empty() {
        let Some(push) = receiver.pushes.recv().await else { break };
        if !push.genuine {
            return Err(CommandError::Failed(format!(
                "a push has a wrong signature:\n{}\n{}",
                push.headers, push.body
            )));
        }
        awaited.remove(&*message_of(&push));
        pushes.push(push);
    }
    Ok(pushes)
}

fn message_of(push: &Push) -> String {
    let body: Value = serde_json::from_str(&push.body).unwrap_or_default();
    text(&body["data"], "messageId")
}

async fn show_log(anonymous: &Client) -> Result<(), CommandError> {
    let checkpoint = anonymous.get("/api/v1/log/checkpoint").await?;
    let position = checkpoint["position"].as_i64().unwrap_or_default();
    let last = anonymous.get(&format!("/api/v1/log?after={}&limit=1", position - 1)).await?;
    print("\nThe log, which anyone can read and check:\n")?;
    print(&format!("  last event   {} at position {position}", text(&last["items"][0], "type")))?;
    print(&format!("  its hash     {}", text(&checkpoint, "hash")))?;
    print(&format!("  signed head  {}", text(&checkpoint, "jws")))?;
    Ok(())
}

fn show_ways_on(url: &str, cast: &Cast, posted: &Posted) -> Result<(), CommandError> {
    let (host, agent) = (cast.host()?, cast.named("Scout")?);
    let owner = json!({ "email": host.known_as, "password": host.credential });
    let key = json!({ "key": agent.credential });
    let post = "curl -s -H 'Content-Type: application/json'";
    print("\nExplore further:\n")?;
    print(&format!("  {url}/docs  documents every operation and sends requests with a token:"))?;
    print(&format!("  {post} {url}/api/v1/sessions -d '{owner}'   # {}", host.name))?;
    print(&format!("  {post} {url}/agent-login -d '{key}'   # {}, {}", agent.name, agent.known_as))?;
    print(&format!("  curl -s {url}/build"))?;
    print(&format!("  curl -s {url}/api/v1/workspaces/{}/messages", posted.workspace_id))?;
    print(&format!("  curl -s '{url}/api/v1/log?limit=5'"))?;
    print("  buildtrack verify-log   # with the same settings")?;
    Ok(())
}

fn show_match(url: &str, match_id: &str) -> Result<(), CommandError> {
    print(&format!("  curl -s {url}/replays/{match_id}   # the match, with every answer"))?;
    print(&format!("  curl -s {url}/replays/{match_id} | buildtrack arena replay -   # verifies and judges it again"))?;
    print(&format!(
        "  curl -s {url}/battles/live   # matches that are played now; spectators: /v1/stream?match=match_…"
    ))?;
    print(&format!("  curl -s {url}/status.json   # the arena: leagues, budgets, queue"))
}

/// Prints one line for every further push, while the receiver runs.
async fn follow(receiver: &mut Receiver) -> Result<(), CommandError> {
    while let Some(push) = receiver.pushes.recv().await {
        let body: Value = serde_json::from_str(&push.body).unwrap_or_default();
        let (event, data) = (text(&body, "event"), &body["data"]);
        let what = match event.as_str() {
            "reputation.changed" => format!("from {} to {}", data["oldScore"], data["newScore"]),
            "workspace.join" => format!("caused by {}", text(data, "memberName")),
            _ => format!("caused by {}", text(data, "authorName")),
        };
        let signature = if push.genuine { "right" } else { "WRONG" };
        narrate(LISTENER, &format!("receives {event}, {what}; signature {signature}"))?;
    }
    Ok(())
}

/// Removes the receiver's address, because the receiver ends with the demo and the worker would retry pushes to it.
async fn forget_receiver(listener: &Player) -> Result<(), CommandError> {
    let path = format!("/api/v1/agents/{}", listener.id);
    listener.client.patch(&path, json!({ "webhookUrl": null })).await.map(drop)
}

fn indented(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| format!("  {line}").trim_end().to_owned()).collect();
    lines.join("\n")
}
