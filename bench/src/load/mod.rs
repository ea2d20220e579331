//! Load on the server: many connections, each with one prepared request, at a given pace.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout_at};

use crate::http::Connection;
use crate::ledger::Ledger;
use crate::pace::{Pace, Pacer, Schedule};
use crate::process;
use crate::tally::{Sent, Tally, Totals};

/// Time limit for the last responses after the end of a load.
const GRACE: Duration = Duration::from_secs(30);

/// The bytes of one request, sent repeatedly with a new number and new words in its content, because the server refuses
/// near-duplicates.
pub(crate) struct Request {
    bytes: Vec<u8>,
    number: Range<usize>,
    words: Range<usize>,
    load: u16,
    connection: u16,
    sent: u32,
}

impl Request {
    /// `number` occurs once in `bytes`, at the place of the number: sixteen hexadecimal digits, four for the `load` and four
    /// for the `connection`. The text up to the next quotation mark is replaced by words.
    pub(crate) fn new(bytes: Vec<u8>, number: &str, (load, connection): (u16, u16)) -> Result<Self> {
        let found = bytes.windows(number.len()).position(|window| window == number.as_bytes());
        let start = found.context("a request without a placeholder for its number")?;
        let number = start..start + number.len();
        let rest = bytes[number.end..].iter().position(|byte| *byte == b'"');
        let words = number.end..number.end + rest.context("a number outside a JSON text")?;
        Ok(Self { bytes, number, words, load, connection, sent: 0 })
    }

    /// The current request.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the next number, unique across all loads.
    pub(crate) fn advance(&mut self) {
        self.sent += 1;
        let number = u64::from(self.load) << 48 | u64::from(self.connection) << 32 | u64::from(self.sent);
        let mut rest = number;
        for digit in self.bytes[self.number.clone()].iter_mut().rev() {
            *digit = b"0123456789abcdef"[(rest % 16) as usize];
            rest /= 16;
        }
        write_words(&mut self.bytes[self.words.clone()], number);
    }
}

/// Writes words of five letters, each after a space, that differ for each number.
fn write_words(bytes: &mut [u8], number: u64) {
    let mut random = number;
    for (index, byte) in bytes.iter_mut().enumerate() {
        // The constants of Knuth's MMIX.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = if index % 6 == 0 { b' ' } else { b'a' + (random >> 59) as u8 % 26 };
    }
}

/// One load.
pub(crate) struct Plan {
    pub(crate) address: SocketAddr,
    /// One request per connection.
    pub(crate) requests: Vec<Request>,
    pub(crate) pace: Pace,
    pub(crate) warmup: Duration,
    pub(crate) measured: Duration,
    pub(crate) on_cut: OnCut,
    /// Whether to keep the id of every accepted message.
    pub(crate) receipts: bool,
    /// The ledger that records every accepted message, if any.
    pub(crate) ledger: Option<Arc<Ledger>>,
    pub(crate) watched: Watched,
}

/// Behaviour of a connection that is closed by the server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnCut {
    Reconnect,
    Stop,
}

/// The processes whose processor time is measured, if they run on this machine.
#[derive(Clone, Copy, Default)]
pub(crate) struct Watched {
    pub(crate) server: Option<u32>,
    pub(crate) worker: Option<u32>,
    pub(crate) postmaster: Option<u32>,
}

/// The outcome of a load.
pub(crate) struct Outcome {
    pub(crate) pace: Pace,
    /// Start of the measured part.
    pub(crate) from: Instant,
    pub(crate) totals: Totals,
    /// The measured part; `None` if the load ended before it.
    pub(crate) window: Option<Window>,
    /// Messages that an open loop could not start.
    pub(crate) untaken: u64,
}

impl Outcome {
    /// Messages that were sent and not answered.
    pub(crate) fn unknown(&self) -> u64 {
        self.totals.sent - self.totals.answered
    }
}

/// Rate and cost of the measured part.
pub(crate) struct Window {
    pub(crate) took: Duration,
    pub(crate) accepted: u64,
    pub(crate) cpu: Cpu,
}

/// Processor time of each measured party.
#[derive(Clone, Copy)]
pub(crate) struct Cpu {
    pub(crate) server: Option<Duration>,
    pub(crate) worker: Option<Duration>,
    pub(crate) generator: Option<Duration>,
    pub(crate) postgres: Option<Duration>,
    pub(crate) machine: Option<Duration>,
}

pub(crate) async fn run(mut plan: Plan) -> Result<Outcome> {
    let lines = connect(&mut plan).await?;
    let schedule = Schedule::from_now(plan.warmup, plan.measured);
    let pacer = Arc::new(Pacer::new(plan.pace, schedule, lines.len()));
    let tally = Arc::new(Tally::new(schedule, plan.receipts, plan.ledger)?);
    let window = tokio::spawn(observe(plan.watched, schedule, Arc::clone(&tally)));
    let mut driving = JoinSet::new();
    for line in lines {
        driving.spawn(drive(line, Arc::clone(&pacer), Arc::clone(&tally)));
    }
    if timeout_at((schedule.end + GRACE).into(), all(&mut driving)).await.is_err() {
        driving.shutdown().await;
    }
    let window = if Instant::now() < schedule.end { None } else { Some(window.await??) };
    let (from, untaken) = (schedule.from, pacer.untaken());
    Ok(Outcome { pace: plan.pace, from, totals: tally.totals(), window, untaken })
}

async fn all(driving: &mut JoinSet<()>) {
    while driving.join_next().await.is_some() {}
}

/// A connection and its request.
struct Channel {
    address: SocketAddr,
    connection: Connection,
    request: Request,
    on_cut: OnCut,
}

async fn connect(plan: &mut Plan) -> Result<Vec<Channel>> {
    let mut lines = Vec::new();
    for request in plan.requests.drain(..) {
        let connection = Connection::open(plan.address).await?;
        lines.push(Channel { address: plan.address, connection, request, on_cut: plan.on_cut });
    }
    Ok(lines)
}

async fn drive(mut line: Channel, pacer: Arc<Pacer>, tally: Arc<Tally>) {
    while let Some(intended) = pacer.next().await {
        match line.send(intended, &tally).await {
            Ok(true) => {}
            Err(_) if line.on_cut == OnCut::Stop => return,
            Ok(false) | Err(_) => line.reconnect().await,
        }
    }
}

impl Channel {
    /// Sends the next message. Returns whether the connection can continue.
    async fn send(&mut self, intended: Instant, tally: &Tally) -> Result<bool> {
        self.request.advance();
        let Request { bytes, number, connection, .. } = &self.request;
        let sent = Sent { intended, started: Instant::now(), connection: *connection, number: &bytes[number.clone()] };
        tally.sending();
        let answer = self.connection.exchange(bytes).await?;
        tally.answered(&sent, &answer);
        Ok(answer.keeps_alive)
    }

    /// Retries until the load ends, which cancels the task.
    async fn reconnect(&mut self) {
        loop {
            match Connection::open(self.address).await {
                Ok(connection) => return self.connection = connection,
                Err(_) => sleep(Duration::from_millis(20)).await,
            }
        }
    }
}

/// Counts and costs at one moment.
struct Sample {
    at: Instant,
    accepted: u64,
    cpu: Cpu,
}

async fn observe(watched: Watched, schedule: Schedule, tally: Arc<Tally>) -> Result<Window> {
    sleep_until(schedule.from.into()).await;
    let first = sample(watched, &tally).await?;
    sleep_until(schedule.end.into()).await;
    let last = sample(watched, &tally).await?;
    Ok(Window { took: last.at - first.at, accepted: last.accepted - first.accepted, cpu: last.cpu.since(first.cpu) })
}

/// Reading `/proc` takes milliseconds, so it runs outside the threads that drive the load.
async fn sample(watched: Watched, tally: &Arc<Tally>) -> Result<Sample> {
    let tally = Arc::clone(tally);
    let sample = move || Sample { at: Instant::now(), accepted: tally.accepted(), cpu: Cpu::read(watched) };
    Ok(tokio::task::spawn_blocking(sample).await?)
}

impl Cpu {
    /// Takes milliseconds.
    pub(crate) fn read(watched: Watched) -> Self {
        Self {
            server: watched.server.and_then(process::cpu_time),
            worker: watched.worker.and_then(process::cpu_time),
            generator: process::cpu_time(std::process::id()),
            postgres: watched.postmaster.and_then(process::cpu_time_of_family),
            machine: process::cpu_time_of_machine(),
        }
    }

    pub(crate) fn since(self, earlier: Self) -> Self {
        let since = |now: Option<Duration>, then: Option<Duration>| Some(now?.saturating_sub(then?));
        Self {
            server: since(self.server, earlier.server),
            worker: since(self.worker, earlier.worker),
            generator: since(self.generator, earlier.generator),
            postgres: since(self.postgres, earlier.postgres),
            machine: since(self.machine, earlier.machine),
        }
    }
}

#[cfg(test)]
mod tests;
