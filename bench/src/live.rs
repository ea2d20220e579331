//! `live`: memory cost of idle live streams, and whether all of them receive the next message.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::api::{self, Scene};
use crate::http::Connection;
use crate::process;
use crate::server::{self, Site};

/// Streams opened concurrently.
const OPENING: usize = 64;
/// Idle time before the server's memory is read.
const REST: Duration = Duration::from_secs(3);
/// Time limit until a message reaches the last stream.
const PATIENCE: Duration = Duration::from_secs(20);
const KIB: u64 = 1024;

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    /// Concurrent streams, distributed over the workspaces.
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u16).range(1..))]
    streams: u16,
    /// Workspaces with streams.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    workspaces: u16,
    /// Maximum memory per stream in KiB.
    #[arg(long, default_value_t = 20)]
    limit: u64,
}

/// Returns whether a stream stays within its limit, and every stream of a workspace received the message.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    open_files()?;
    let mut site = Site::prepare(&options.server)?;
    site.set("BUILDTRACK_LIVE_STREAMS", &options.streams.to_string());
    site.set("BUILDTRACK_LIVE_STREAMS_PER_ADDRESS", &options.streams.to_string());
    let server = site.start().await?;
    let few = api::Options { connections: 1, agents: 1, workspaces: options.workspaces, content_bytes: 350 };
    let scene = Scene::set(site.address, few).await?;
    sleep(REST).await;
    let before = process::memory(server.process()?)?.resident;
    let begin = Instant::now();
    let mut streams = open_all(&scene, options.streams.into()).await?;
    let opened = begin.elapsed();
    sleep(REST).await;
    let after = process::memory(server.process()?)?.resident;
    let each = after.saturating_sub(before) / u64::from(options.streams);
    println!(
        "{} idle streams, opened in {:.1} s: {} MiB before, {} MiB with them, {each} bytes each",
        options.streams,
        opened.as_secs_f64(),
        before / KIB / KIB,
        after / KIB / KIB,
    );
    let received = message(&scene, &mut streams).await?;
    println!("a message reached all {} streams of its workspace after {} ms", received.0, received.1.as_millis());
    drop(streams);
    server.stop().await?;
    Ok(each < options.limit * KIB)
}

async fn open_all(scene: &Scene, count: usize) -> Result<Vec<(usize, TcpStream)>> {
    let (mut opening, mut streams) = (JoinSet::new(), Vec::with_capacity(count));
    for number in 0..count {
        if opening.len() == OPENING {
            streams.extend(opening.join_next().await.transpose()?.transpose()?);
        }
        let workspace_index = number % scene.workspaces.len();
        let path = format!("/api/v1/workspaces/{}/live", scene.workspaces[workspace_index]);
        let address = scene.address;
        opening.spawn(async move { anyhow::Ok((workspace_index, open(address, &path).await?)) });
    }
    while let Some(opened) = opening.join_next().await {
        streams.push(opened??);
    }
    Ok(streams)
}

/// Opens a stream and reads its initial output.
async fn open(address: SocketAddr, path: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await.with_context(|| format!("connecting to {address}"))?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await?;
    let begun = read_until(&mut stream, b": following").await?;
    ensure!(begun.starts_with(b"HTTP/1.1 200"), "no stream: {}", String::from_utf8_lossy(&begun));
    Ok(stream)
}

/// Posts one message and waits until every stream of its workspace has received it. Returns their number and the time of the
/// last one.
async fn message(scene: &Scene, streams: &mut [(usize, TcpStream)]) -> Result<(usize, Duration)> {
    // The only agent posts in the first workspace.
    let request = scene.requests(0)?.into_iter().next().context("a scene without an agent")?;
    let begin = Instant::now();
    let status = Connection::open(scene.address).await?.exchange(request.bytes()).await?.status;
    ensure!(status == 201, "the message was answered {status}");
    let mut received = 0;
    for (_, stream) in streams.iter_mut().filter(|(workspace_index, _)| *workspace_index == 0) {
        let read = timeout(PATIENCE, read_until(stream, b"event: message.posted"));
        read.await.context("a stream did not receive the message")??;
        received += 1;
    }
    Ok((received, begin.elapsed()))
}

pub(crate) async fn read_until(stream: &mut TcpStream, sign: &[u8]) -> Result<Vec<u8>> {
    let mut read = Vec::with_capacity(1024);
    while !read.windows(sign.len()).any(|bytes| bytes == sign) {
        ensure!(stream.read_buf(&mut read).await? > 0, "the stream has ended: {}", String::from_utf8_lossy(&read));
    }
    Ok(read)
}

/// Raises the limit of open files, because each stream is an open file in this process too.
pub(crate) fn open_files() -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?)
}
