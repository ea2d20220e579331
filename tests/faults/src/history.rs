//! The history of a run: every request with its outcome, every push, every event of a stream, every fault, with times.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use serde::Serialize;
use tokio::time::Instant;

use crate::plan::{Fault, Plan};

/// What is known of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// A 2xx: it happened, and stays.
    Acknowledged,
    /// A 4xx: it did not happen.
    Refused,
    /// No answer, or a 5xx: it happened or not, now or later.
    Unknown,
}

/// What an operation claims, where it was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Claim {
    /// One event of this type whose data hold the marker.
    Event { event_type: String, marker: String },
    /// A register that this client alone writes has this value.
    Register { register: String, value: String },
    /// What was acknowledged before is read.
    Visible { what: String },
    /// A number that never falls, as long as one client reads it.
    Grows { series: String, value: i64 },
    /// A request that counts against an allowance of so many a minute.
    Limited { subject: String, quota: u32 },
}

/// A request, with its repeats under the same key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Operation {
    pub(crate) client: usize,
    pub(crate) kind: &'static str,
    /// Milliseconds from the beginning of the run.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) attempts: u32,
    pub(crate) status: u16,
    pub(crate) outcome: Outcome,
    pub(crate) claim: Claim,
    /// The position that the answer names.
    pub(crate) position: Option<i64>,
    /// Why it was refused or is unknown.
    pub(crate) reason: Option<String>,
}

/// A push as the receiver got it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Push {
    pub(crate) at: u64,
    pub(crate) endpoint: usize,
    pub(crate) delivery: String,
    pub(crate) event: String,
    pub(crate) sequence: i64,
    pub(crate) previous: Option<i64>,
    /// Whether the signature is right.
    pub(crate) genuine: bool,
    /// The answer's status; 0 where there is none.
    pub(crate) answered: u16,
}

/// A frame of a live stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Frame {
    pub(crate) at: u64,
    pub(crate) stream: usize,
    pub(crate) event: String,
    pub(crate) position: Option<i64>,
}

/// A process that ended although nothing was to end it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Exit {
    pub(crate) at: u64,
    pub(crate) process: String,
    /// None where a signal ended it.
    pub(crate) code: Option<i32>,
}

/// One line of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    Operation(Operation),
    Push(Push),
    Frame(Frame),
    FaultBegins { at: u64, fault: Fault },
    FaultEnds { at: u64, fault: Fault },
    Exit(Exit),
}

/// Everything that was seen so far. Entries are in the order in which they were completed.
#[derive(Debug)]
pub(crate) struct History {
    begin: Instant,
    entries: Mutex<Vec<Entry>>,
}

impl History {
    pub(crate) fn new() -> Self {
        Self { begin: Instant::now(), entries: Mutex::default() }
    }

    /// Milliseconds since the beginning.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn record(&self, entry: Entry) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Writes the plan and the history as JSON lines.
pub(crate) fn write(path: &Path, plan: &Plan, entries: &[Entry]) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "{}", serde_json::to_string(plan)?)?;
    for entry in entries {
        writeln!(file, "{}", serde_json::to_string(entry)?)?;
    }
    Ok(file.flush()?)
}
