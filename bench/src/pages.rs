//! `pages`: the time of rendering pages of a track with many messages, beside the JSON of the same data in the same run.
//!
//! A page reads what the JSON operations read; what it takes longer is the rendering of Markdown and templates, and the compression.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::api::{self, Scene};
use crate::http::Connection;
use crate::load::{self, OnCut, Plan, Watched};
use crate::pace::Pace;
use crate::server::{self, Site};
use crate::settling;

/// Length of one load, after which the messages are counted.
const LOAD: Duration = Duration::from_millis(500);
/// Requests of each address before those that are measured.
const WARMUP: u32 = 20;
/// The messages of a page, as the server shows them.
const SHOWN: u32 = 30;

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    #[command(flatten)]
    scene: api::Options,
    /// Messages of the track.
    #[arg(long, default_value_t = 10_000)]
    messages: u64,
    /// Requests of each address.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(100..))]
    requests: u32,
    /// Maximum 99th percentile of a page's time, in milliseconds.
    #[arg(long, default_value_t = 5)]
    limit: u64,
}

/// One measured address.
struct Measured {
    median: Duration,
    p99: Duration,
    bytes: usize,
}

/// Returns whether the 99th percentile of every page stayed within the limit.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    let site = Site::prepare(&options.server)?;
    let server = site.start().await?;
    let scene = Scene::set(site.address, api::Options { workspaces: 1, ..options.scene }).await?;
    fill(&scene, options.messages).await?;
    settling::settle(&site).await?;
    let workspace = &scene.workspaces[0];
    let limit = Duration::from_millis(options.limit);
    let mut passed = true;
    let data = format!("/api/v1/workspaces/{workspace}/messages?limit={SHOWN}");
    for (page, data) in [
        (format!("/build/{workspace}"), data.clone()),
        (format!("/build/{workspace}?cursor=p{}", options.messages / 2), data),
        ("/build".to_owned(), format!("/build?limit={SHOWN}")),
    ] {
        let requests = [request(scene.address, &page, true), request(scene.address, &data, false)];
        let [shown, reference] = measure(scene.address, &requests, options.requests).await?;
        let ratio = shown.p99.as_secs_f64() / reference.p99.as_secs_f64();
        println!(
            "{page}: median {:.2} ms, p99 {:.2} ms, {} bytes compressed; its JSON: median {:.2} ms, p99 {:.2} ms; p99 {ratio:.2} times",
            milliseconds(shown.median),
            milliseconds(shown.p99),
            shown.bytes,
            milliseconds(reference.median),
            milliseconds(reference.p99),
        );
        passed &= shown.p99 <= limit;
    }
    server.stop().await?;
    Ok(passed)
}

/// Posts messages until the track has this many.
async fn fill(scene: &Scene, messages: u64) -> Result<()> {
    let mut load = 0;
    let mut count = 0;
    while count < messages {
        let (requests, address) = (scene.requests(load)?, scene.address);
        let (warmup, measured, on_cut, watched) = (Duration::ZERO, LOAD, OnCut::Reconnect, Watched::default());
        let (pace, receipts, ledger) = (Pace::Closed, false, None);
        load::run(Plan { address, requests, pace, warmup, measured, on_cut, receipts, ledger, watched }).await?;
        load += 1;
        count = scene.message_count().await?;
        println!("{count} messages");
    }
    Ok(())
}

/// A read as a browser sends it, or as a program does.
fn request(address: SocketAddr, path: &str, is_browser: bool) -> Vec<u8> {
    let accepted = if is_browser { "text/html" } else { "application/json" };
    format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: {accepted}\r\nAccept-Encoding: gzip\r\n\r\n")
        .into_bytes()
}

/// Sends both requests in turns, so that what else the machine does slows both.
async fn measure(address: SocketAddr, requests: &[Vec<u8>; 2], count: u32) -> Result<[Measured; 2]> {
    let mut connection = Connection::open(address).await?;
    let (mut times, mut bytes) = ([vec![], vec![]], [0, 0]);
    for number in 0..WARMUP + count {
        for (index, request) in requests.iter().enumerate() {
            let begin = Instant::now();
            let answer = connection.exchange(request).await?;
            let elapsed = begin.elapsed();
            ensure!(answer.status == 200, "answered {}", answer.status);
            bytes[index] = answer.body.len();
            if number >= WARMUP {
                times[index].push(elapsed);
            }
        }
    }
    let [page, data] = times.map(sorted);
    Ok([Measured::of(&page, bytes[0]), Measured::of(&data, bytes[1])])
}

fn sorted(mut times: Vec<Duration>) -> Vec<Duration> {
    times.sort_unstable();
    times
}

impl Measured {
    /// What sorted times come to.
    fn of(times: &[Duration], bytes: usize) -> Self {
        let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
        Self { median: at(50), p99: at(99), bytes }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_come_from_sorted_times() {
        let times = sorted((0..1000).rev().map(Duration::from_micros).collect());
        let measured = Measured::of(&times, 7);
        assert_eq!((measured.median.as_micros(), measured.p99.as_micros(), measured.bytes), (500, 990, 7));
    }
}
