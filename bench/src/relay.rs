//! `relay`: rate of signed envelopes on one core compared with that core's rate of signature checks, and latency and memory
//! of waiting long polls.

use std::net::SocketAddr;
use std::ops::Range;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use agora_envelope::{Envelope, Limits, Signer};
use anyhow::{Context, Result, ensure};
use chrono::{DateTime, SecondsFormat, Utc};
use hdrhistogram::Histogram;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::http::{Connection, request};
use crate::live::{open_files, read_until};
use crate::process;
use crate::server::{self, Site};

/// Number of signing keys; signing itself is not measured.
const SENDERS: usize = 64;
/// Requests of each connection before the measurement.
const WARM: usize = 4;
/// Duration of the reference measurement of signature checks.
const REFERENCE: Duration = Duration::from_secs(2);
/// Idle time before the server's memory is read.
const REST: Duration = Duration::from_secs(3);
/// Time limit until an envelope reaches the poll that waits for it.
const PATIENCE: Duration = Duration::from_secs(20);
/// Polls opened concurrently.
const OPENING: usize = 64;
const KIB: u64 = 1024;

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    /// Number of envelopes.
    #[arg(long, default_value_t = 40_000)]
    envelopes: usize,
    /// Number of posting connections.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1024))]
    connections: u16,
    /// Envelopes per request: 1 by `POST /events`, more by `POST /v1/messages/batch`.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    batch: u16,
    /// Concurrent long polls.
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u16).range(1..))]
    polls: u16,
    /// Number of polls that receive an envelope, one after the other.
    #[arg(long, default_value_t = 500)]
    wakes: usize,
    /// Maximum memory per waiting poll in KiB.
    #[arg(long, default_value_t = 20)]
    limit: u64,
}

/// Returns whether every envelope was accepted, a waiting poll stays within its limit, and every poll that was sent an
/// envelope was answered.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    open_files()?;
    let mut site = Site::prepare(&options.server)?;
    let streams = (u32::from(options.polls) + 100).to_string();
    site.set("BUILDTRACK_LIVE_STREAMS", &streams);
    site.set("BUILDTRACK_LIVE_STREAMS_PER_ADDRESS", &streams);
    let signers: Vec<_> = (0..SENDERS).map(|number| Signer::from_seed(&seed(number))).collect();
    let verified = verifying(&signers[0])?;
    println!("signatures    {verified:.0}/s checked by one core, envelopes read before");
    let server = site.start().await?;
    let process = server.process()?;
    // The first envelopes open all connections to the database.
    let some = WARM * usize::from(options.connections) * usize::from(options.batch);
    post_all(options, &site, process, &signers, 0..some).await?;
    let pinned = pin(process, &site.backends()?)?;
    let taken = post_all(options, &site, process, &signers, some..some + options.envelopes).await?;
    println!(
        "envelopes     {:.0}/s accepted, {} a request, {} connections, the server {pinned} · ratio {:.2} envelopes a signature",
        taken.a_second,
        options.batch,
        options.connections,
        taken.a_second / verified,
    );
    println!(
        "its core      {:.0}% the server's own · ratio {:.2} for a second of the server's processor time",
        taken.share * 100.0,
        taken.a_second / taken.share / verified,
    );
    let each = polls(options, &site, process, &signers[0]).await?;
    server.stop().await?;
    Ok(each < options.limit * KIB)
}

fn seed(number: usize) -> [u8; 32] {
    std::array::from_fn(|index| number.to_le_bytes().get(index).copied().unwrap_or(7))
}

/// A REQUEST with its own id and thread.
fn envelope(signer: &Signer, name: &str, recipient: Option<&str>) -> Result<String> {
    #[expect(clippy::disallowed_methods, reason = "a client has its own clock")]
    let now: DateTime<Utc> = SystemTime::now().into();
    let mut unsigned = json!({
        "version": "1.0",
        "id": format!("msg_{name}"),
        "ts": now.to_rfc3339_opts(SecondsFormat::Millis, true),
        "type": "REQUEST",
        "sender": { "id": signer.did(), "name": "Bench" },
        "thread": { "id": format!("thread_{name}") },
        "meta": { "ttl": 300, "hop": 0 },
        "payload": {
            "request_id": format!("req_{name}"),
            "intent": "translation.en_zh",
            "title": "Translate greeting",
            "params": { "text": "x".repeat(400), "source_lang": "en", "target_lang": "zh" },
            "constraints": { "max_cost_usd": 0.01, "max_latency_ms": 5000 },
        },
    });
    if let Some(recipient) = recipient {
        unsigned["recipient"] = json!({ "id": recipient });
    }
    Ok(signer.sign(unsigned)?.to_string())
}

/// Signature checks a second of one core.
fn verifying(signer: &Signer) -> Result<f64> {
    let text = envelope(signer, "reference", None)?;
    let envelope = Envelope::parse(text.as_bytes(), &Limits::default())?;
    let (begin, mut checked) = (Instant::now(), 0_u32);
    while begin.elapsed() < REFERENCE {
        for _ in 0..100 {
            std::hint::black_box(&envelope).verify()?;
        }
        checked += 100;
    }
    Ok(f64::from(checked) / begin.elapsed().as_secs_f64())
}

/// Pins the server to the first core, and this process and the database to the second, if there are two cores.
fn pin(server: u32, database: &[u32]) -> Result<&'static str> {
    if std::thread::available_parallelism()?.get() < 2 {
        return Ok("on the only core");
    }
    let taskset = |core: &str, process: u32| -> Result<bool> {
        let pinned = Command::new("taskset").args(["-a", "-c", "-p", core, &process.to_string()]).output();
        Ok(pinned.context("taskset is needed (util-linux)")?.status.success())
    };
    ensure!(taskset("0", server)? && taskset("1", std::process::id())?, "taskset refused");
    for process in database {
        if !taskset("1", *process)? {
            return Ok("on one core, possibly shared with the database");
        }
    }
    Ok("on one core")
}

/// The rate of accepted envelopes.
struct Taken {
    a_second: f64,
    /// The server's share of a core's time: the database may run on the same core.
    share: f64,
}

/// Posts all envelopes.
async fn post_all(
    options: &Options,
    site: &Site,
    server: u32,
    signers: &[Signer],
    numbers: Range<usize>,
) -> Result<Taken> {
    let count = numbers.len();
    let (connections, address) = (usize::from(options.connections), site.address);
    let mut shares: Vec<Vec<Vec<u8>>> = vec![vec![]; connections];
    let numbers: Vec<usize> = numbers.collect();
    for (index, numbers) in numbers.chunks(usize::from(options.batch)).enumerate() {
        let texts = numbers
            .iter()
            .map(|number| envelope(&signers[number % signers.len()], &format!("{number:016x}"), None))
            .collect::<Result<Vec<_>>>()?;
        shares[index % connections].push(post(address, options.batch, &texts));
    }
    let mut posting = JoinSet::new();
    let cpu_time = || process::cpu_time(server).context("the server has exited");
    let (begin, before) = (Instant::now(), cpu_time()?);
    for share in shares {
        posting.spawn(async move {
            let mut connection = Connection::open(address).await?;
            let mut accepted = 0;
            for bytes in share {
                let answer = connection.exchange(&bytes).await?;
                ensure!(answer.status == 200, "{}: {}", answer.status, String::from_utf8_lossy(answer.body));
                accepted += accepted_of(answer.body)?;
            }
            anyhow::Ok(accepted)
        });
    }
    let mut accepted = 0;
    while let Some(posted) = posting.join_next().await {
        accepted += posted??;
    }
    ensure!(accepted == count, "{accepted} of {count} were accepted");
    let (seconds, used) = (begin.elapsed().as_secs_f64(), cpu_time()?.saturating_sub(before).as_secs_f64());
    Ok(Taken { a_second: f64::from(u32::try_from(accepted)?) / seconds, share: used / seconds })
}

fn post(address: SocketAddr, batch: u16, texts: &[String]) -> Vec<u8> {
    if batch == 1 {
        return request("POST", "/events", address, None, Some(&texts.concat()));
    }
    let body = format!("{{\"envelopes\":[{}]}}", texts.join(","));
    request("POST", "/v1/messages/batch", address, None, Some(&body))
}

/// Number of accepted envelopes, from the response to one or to a batch.
fn accepted_of(body: &[u8]) -> Result<usize> {
    let answer: serde_json::Value = serde_json::from_slice(body)?;
    let accepted = answer["accepted"].as_u64().unwrap_or_else(|| u64::from(answer["ok"] == true));
    Ok(usize::try_from(accepted)?)
}

/// Holds polls and sends some of them an envelope. Returns the memory per poll in bytes.
async fn polls(options: &Options, site: &Site, server: u32, sender: &Signer) -> Result<u64> {
    let count = usize::from(options.polls);
    let waiting: Vec<String> =
        (0..count).map(|number| Signer::from_seed(&seed(1_000_000 + number)).did().to_string()).collect();
    sleep(REST).await;
    let before = process::memory(server)?.resident;
    let mut streams = open_all(site.address, &waiting).await?;
    sleep(REST).await;
    let after = process::memory(server)?.resident;
    let each = after.saturating_sub(before) / u64::from(options.polls);
    println!("polls         {count} waiting, {each} bytes each ({} MiB with them)", after / KIB / KIB);
    let mut woken = Histogram::<u64>::new(3)?;
    let mut posting = Connection::open(site.address).await?;
    for number in 0..options.wakes.min(count) {
        // Distributed over all polls.
        let index = number * count / options.wakes.min(count);
        let text = envelope(sender, &format!("wake_{number:08x}"), Some(&waiting[index]))?;
        let bytes = request("POST", "/events", site.address, None, Some(&text));
        let (begin, stream) = (Instant::now(), &mut streams[index]);
        let read =
            async { timeout(PATIENCE, read_until(stream, b"\"ok\":true")).await.context("a poll was not answered")? };
        let (posted, read) = tokio::join!(posting.exchange(&bytes), read);
        ensure!(posted?.status == 200 && read?.starts_with(b"HTTP/1.1 200"), "an envelope or a poll was refused");
        woken.record(u64::try_from(begin.elapsed().as_micros())?)?;
    }
    let at = |quantile| Duration::from_micros(woken.value_at_quantile(quantile)).as_secs_f64() * 1000.0;
    println!(
        "woken         p50 {:.1} ms · p99 {:.1} ms, from before the POST ({} of them)",
        at(0.5),
        at(0.99),
        woken.len()
    );
    Ok(each)
}

async fn open_all(address: SocketAddr, waiting: &[String]) -> Result<Vec<TcpStream>> {
    let (mut opening, mut streams) = (JoinSet::new(), Vec::with_capacity(waiting.len()));
    for (number, did) in waiting.iter().enumerate() {
        if opening.len() == OPENING {
            streams.extend(opening.join_next().await.transpose()?.transpose()?);
        }
        let bytes = request("GET", &format!("/events?cursor=0&timeout=60&recipient={did}"), address, None, None);
        opening.spawn(async move {
            let mut stream = TcpStream::connect(address).await?;
            stream.write_all(&bytes).await?;
            anyhow::Ok((number, stream))
        });
    }
    while let Some(opened) = opening.join_next().await {
        streams.push(opened??);
    }
    streams.sort_by_key(|(number, _)| *number);
    Ok(streams.into_iter().map(|(_, stream)| stream).collect())
}
