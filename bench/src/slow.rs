//! `slow`: many clients that hardly read and hardly write, at every kind of door, beside one caller whose requests must stay
//! fast.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hdrhistogram::Histogram;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::api::{self, Scene};
use crate::http::{self, Connection};
use crate::live::open_files;
use crate::process;
use crate::server::{self, Site};

/// Clients with one source address: fewer than the connections that a network may have.
const PER_ADDRESS: usize = 250;
/// The pause between two reads or writes of a client.
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes that a client reads after each pause.
const SIP: usize = 100;
/// Messages of 20 000 characters that the doors show.
const MESSAGES: usize = 40;
/// The time between two requests of the caller beside them.
const BEAT: Duration = Duration::from_millis(10);
const MIB: u64 = 1024 * 1024;

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    /// Concurrent slow clients; half of them hardly read, half of them hardly write.
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u16).range(1..))]
    clients: u16,
    /// Seconds of the measurement, after every client has connected.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..=600))]
    seconds: u16,
    /// Clients that connect each second.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u16).range(1..))]
    rate: u16,
    /// Only the doors whose request contains this text.
    #[arg(long)]
    door: Option<String>,
    /// Maximum resident memory of the server in MiB.
    #[arg(long, default_value_t = 256)]
    memory: u64,
    /// Maximum 99th percentile of the other caller's times, in milliseconds.
    #[arg(long, default_value_t = 50)]
    limit: u64,
}

/// Counts of all clients.
#[derive(Default)]
struct Counts {
    open: AtomicUsize,
    /// Connections that the server has ended.
    ended: AtomicU64,
}

/// Returns whether the server's memory and the other caller's times stayed within the limits.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    open_files()?;
    let site = Site::prepare(&options.server)?;
    let server = site.start().await?;
    let process = server.process()?;
    let few = api::Options { connections: 1, agents: 1, workspaces: 1, content_bytes: 20_000 };
    let scene = Scene::set(site.address, few).await?;
    fill(&scene).await?;
    let before = process::memory(process)?.resident;
    let (counts, mut crowd) = (Arc::new(Counts::default()), JoinSet::new());
    let door = options.door.as_deref().unwrap_or_default();
    let chosen = |request: &Vec<u8>| String::from_utf8_lossy(request).contains(door);
    let requests: Vec<Arc<[u8]>> = requests(&scene)?.into_iter().filter(chosen).map(Into::into).collect();
    ensure!(!requests.is_empty(), "no door has {door} in its request");
    for number in 0..usize::from(options.clients) {
        let request = Arc::clone(&requests[number % requests.len()]);
        crowd.spawn(persist(scene.address, number, request, Arc::clone(&counts)));
        sleep(Duration::from_secs(1) / u32::from(options.rate)).await;
    }
    let beside = beside(&scene, process, options).await?;
    let (open, ended) = (counts.open.load(Relaxed), counts.ended.load(Relaxed));
    drop(crowd);
    let passed = beside.report(options, (open, ended), before);
    server.stop().await?;
    Ok(passed)
}

/// Posts messages, so that lists, pages, feeds and exports are long.
async fn fill(scene: &Scene) -> Result<()> {
    let mut request = scene.requests(0)?.into_iter().next().context("a scene without an agent")?;
    let mut connection = Connection::open(scene.address).await?;
    for _ in 0..MESSAGES {
        request.advance();
        let status = connection.exchange(request.bytes()).await?.status;
        ensure!(status == 201, "a message was answered {status}");
    }
    Ok(())
}

/// Requests of slow readers, which are whole, and of slow writers, which are not.
fn requests(scene: &Scene) -> Result<Vec<Vec<u8>>> {
    let workspace = scene.workspaces.first().context("a scene without a workspace")?;
    let read = |path: &str| http::request("GET", path, scene.address, None, None);
    let token = scene.agent_token()?;
    let write = |path: &str| {
        let whole = http::request("POST", path, scene.address, Some(&token), Some(&"x".repeat(100_000)));
        whole[..whole.len().saturating_sub(99_000)].to_vec()
    };
    let mut requests: Vec<_> = [
        "/openapi.json".to_owned(),
        format!("/api/v1/workspaces/{workspace}/messages?limit=50"),
        format!("/api/v1/workspaces/{workspace}/export"),
        format!("/api/v1/workspaces/{workspace}/live?after=0"),
        format!("/build/{workspace}"),
        format!("/feeds/build/{workspace}.atom"),
        "/api/v1/log?after=0".to_owned(),
        "/docs".to_owned(),
    ]
    .iter()
    .map(|path| read(path))
    .collect();
    for path in ["/api/v1/forum/posts", "/events", "/agora", "/mcp", "/oauth/token", "/a2a", "/agent-login"] {
        requests.push(write(path));
    }
    // The beginning of a head.
    requests.push(b"GET /livez HTTP/1.1\r\nHost: a\r\n".to_vec());
    Ok(requests)
}

/// One slow client: it connects again as soon as the server ends its connection.
async fn persist(server: SocketAddr, number: usize, request: Arc<[u8]>, counts: Arc<Counts>) {
    loop {
        if let Ok(client) = connect(server, number).await {
            counts.open.fetch_add(1, Relaxed);
            dawdle(client, &request).await;
            counts.open.fetch_sub(1, Relaxed);
            counts.ended.fetch_add(1, Relaxed);
        }
        sleep(PAUSE).await;
    }
}

async fn connect(server: SocketAddr, number: usize) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    let host = u8::try_from(1 + number / PER_ADDRESS % 250)?;
    socket.bind((Ipv4Addr::new(127, 0, 1, host), 0).into())?;
    // The system must not read ahead for the client.
    socket.set_recv_buffer_size(4096)?;
    Ok(timeout(Duration::from_secs(10), socket.connect(server)).await??)
}

/// Reads a few bytes a second until the server ends the connection. An unfinished request gets a byte a second.
async fn dawdle(mut client: TcpStream, request: &[u8]) {
    if client.write_all(request).await.is_err() {
        return;
    }
    let (whole, mut sip) = (request.starts_with(b"GET") && request.ends_with(b"\r\n\r\n"), [0; SIP]);
    loop {
        sleep(PAUSE).await;
        if !whole && client.write_all(b"x").await.is_err() {
            return;
        }
        if let Ok(Ok(0) | Err(_)) = timeout(Duration::from_millis(1), client.read(&mut sip)).await {
            return;
        }
    }
}

/// What another caller saw.
struct Beside {
    times: Histogram<u64>,
    refused: u64,
    resident: u64,
}

/// Posts and reads as another caller, and watches the server's memory.
async fn beside(scene: &Scene, process: u32, options: &Options) -> Result<Beside> {
    let mut post = scene.requests(1)?.into_iter().next().context("a scene without an agent")?;
    let read = http::request("GET", "/api/v1/workspaces", scene.address, Some(&scene.agent_token()?), None);
    let mut beside = Beside { times: Histogram::new(3)?, refused: 0, resident: 0 };
    let (end, mut number) = (Instant::now() + Duration::from_secs(options.seconds.into()), 0_u32);
    let mut connection = Connection::open(scene.address).await?;
    while Instant::now() < end {
        post.advance();
        let begin = Instant::now();
        let request = if number.is_multiple_of(8) { post.bytes() } else { &*read };
        let (status, keeps_alive) = {
            let answer = connection.exchange(request).await?;
            (answer.status, answer.keeps_alive)
        };
        beside.times.record(u64::try_from(begin.elapsed().as_micros())?)?;
        beside.refused += u64::from(status >= 400);
        if !keeps_alive {
            connection = Connection::open(scene.address).await?;
        }
        if number.is_multiple_of(32) {
            beside.resident = beside.resident.max(process::memory(process)?.resident);
        }
        number = number.wrapping_add(1);
        sleep(BEAT).await;
    }
    Ok(beside)
}

impl Beside {
    fn report(&self, options: &Options, (open, ended): (usize, u64), before: u64) -> bool {
        let (resident, refused) = (self.resident / MIB, self.refused);
        let micros = |quantile| self.times.value_at_quantile(quantile);
        println!(
            "{} slow clients, {open} connected at the end, {ended} connections ended by the server: {} MiB before, {resident} MiB at most \
             (limit {})",
            options.clients,
            before / MIB,
            options.memory,
        );
        println!(
            "another caller: {} requests, {refused} refused, p50 {} µs, p99 {} µs (limit {} ms), longest {} µs",
            self.times.len(),
            micros(0.5),
            micros(0.99),
            options.limit,
            self.times.max(),
        );
        resident < options.memory && refused == 0 && micros(0.99) < options.limit * 1000
    }
}
