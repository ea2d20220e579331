//! Reference measurement of the machine: `pgbench` with one insert of a 600-byte jsonb per transaction.
//!
//! The table has no index and the document is a constant of the prepared statement. This is the fastest form of such an
//! insert, so the ratio to it is a conservative figure.

use std::io::Write as _;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use tempfile::NamedTempFile;
use tokio::process::Command;

use crate::postgres::{self, Database};

const DOCUMENT_BYTES: usize = 600;
const CLIENTS: &str = "16";
const THREADS: &str = "2";

/// The reference for the measured rate.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Choice {
    /// `pgbench` before and after the load. Needs PostgreSQL. With SQLite it is skipped if PostgreSQL is missing.
    Pgbench,
    /// No reference.
    None,
}

impl Choice {
    /// With SQLite the reference is an `extra` and may be missing.
    pub(crate) fn prepare(self, seconds: u64, extra: bool) -> Result<Option<Reference>> {
        if self == Self::None {
            return Ok(None);
        }
        match Reference::prepare(seconds) {
            Err(error) if extra => {
                eprintln!("no reference: {error:#}");
                Ok(None)
            }
            reference => reference.map(Some),
        }
    }
}

/// Transactions a second before and after the load.
#[derive(Clone, Copy)]
pub(crate) struct Rates {
    pub(crate) before: f64,
    pub(crate) after: f64,
}

impl Rates {
    pub(crate) fn mean(self) -> f64 {
        f64::midpoint(self.before, self.after)
    }

    /// Whether both rates are similar; otherwise a ratio is not meaningful.
    pub(crate) fn is_steady(self) -> bool {
        (self.before - self.after).abs() < 0.15 * self.mean()
    }
}

/// `pgbench` with its script and its own database.
pub(crate) struct Reference {
    database: Database,
    script: NamedTempFile,
    seconds: u64,
}

impl Reference {
    fn prepare(seconds: u64) -> Result<Self> {
        postgres::program("pgbench")?;
        let mut script = NamedTempFile::new()?;
        writeln!(script, "INSERT INTO reference (document) VALUES ('{}');", document())?;
        Ok(Self { database: Database::create("bt_bench_ref")?, script, seconds })
    }

    /// Transactions a second into an empty table.
    pub(crate) async fn measure(&self) -> Result<f64> {
        let url = &self.database.url;
        postgres::query(url, "DROP TABLE IF EXISTS reference")?;
        postgres::query(url, "CREATE TABLE reference (document jsonb NOT NULL)")?;
        postgres::checkpoint();
        let mut command = Command::new(postgres::program("pgbench")?);
        command.args(["--no-vacuum", "--protocol=prepared", "--client", CLIENTS, "--jobs", THREADS]);
        command.args(["--time", &self.seconds.to_string(), "--file"]).arg(self.script.path()).arg(url);
        let output = command.stdin(Stdio::null()).kill_on_drop(true).output().await.context("running pgbench")?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "pgbench failed: {}", complaint.trim());
        rate(&String::from_utf8_lossy(&output.stdout)).context("pgbench printed no rate")
    }
}

/// A JSON document of exactly [`DOCUMENT_BYTES`].
fn document() -> String {
    let document =
        |content: &str| serde_json::json!({"authorId": "ag_1", "kind": "proposal", "content": content}).to_string();
    document(&"x".repeat(DOCUMENT_BYTES - document("").len()))
}

/// Parses `tps = 19712.4 (without initial connection time)`.
fn rate(output: &str) -> Option<f64> {
    output.lines().find_map(|line| line.strip_prefix("tps = "))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_600_bytes_and_the_rate_is_read() {
        assert_eq!(document().len(), DOCUMENT_BYTES);
        assert_eq!(rate("latency average = 0.9 ms\ntps = 18809.9 (without initial connection time)\n"), Some(18809.9));
    }
}
