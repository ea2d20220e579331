//! The log's writer: one task that collects waiting commits, writes them in one transaction, and answers every caller.
//!
//! The writer does not wait for a batch to fill: a batch holds the commits that queued while the previous one was written. One
//! caller's conflict never fails another caller's commit. If a statement fails, the writer retries the batch's commits one by one,
//! so that one bad commit does not fail the others.

use std::time::{Duration, Instant};

use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    announcer::Announcer,
    batch::Batch,
    commit::{Commit, Committed, Reply},
    context::Contexts,
    transaction::Failure,
    versions::Versions,
};
use crate::{
    StoreError,
    clock::Clock,
    database::{Db, Writing, postgres::silent},
};

/// The most commits in one transaction.
const BATCH: usize = 1024;
/// The most commits in the queue. Further callers wait to enqueue (backpressure).
const QUEUE: usize = 4096;

/// The writer logs a warning for a batch that takes longer.
const SLOW: Duration = Duration::from_secs(1);
/// How long a batch may take on PostgreSQL, including the wait for the head's lock.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the writer waits before it retries a batch that PostgreSQL aborted to resolve a deadlock.
const AFTER_DEADLOCK: Duration = Duration::from_millis(100);

/// A handle to the writer task.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<(Commit, Reply)>,
}

impl std::fmt::Debug for Commit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Commit").field("events", &self.drafts.len()).finish_non_exhaustive()
    }
}

impl Writer {
    /// Starts the task. It writes all accepted commits and ends when `closing` is cancelled or the last handle is dropped.
    pub(crate) fn start(
        db: Db,
        clock: Clock,
        contexts: Contexts,
        announcer: Announcer,
        closing: CancellationToken,
    ) -> (Self, tokio::task::JoinHandle<()>) {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let task = tokio::spawn(
            Task { db, clock, contexts, announcer, connection: None, versions: Versions::default() }
                .run(waiting, closing),
        );
        (Self { queue }, task)
    }

    /// Commits, and returns once the transaction is committed. The result is durable unless the server repeats the commit's work
    /// after a loss.
    pub(crate) async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.queue.send((commit, reply)).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

pub(super) struct Task {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) contexts: Contexts,
    pub(super) announcer: Announcer,
    pub(super) connection: Option<Writing>,
    pub(super) versions: Versions,
}

impl Task {
    async fn run(mut self, mut waiting: mpsc::Receiver<(Commit, Reply)>, closing: CancellationToken) {
        let mut arrived = Vec::with_capacity(BATCH);
        loop {
            if closing.run_until_cancelled(waiting.recv_many(&mut arrived, BATCH)).await.is_none() {
                // Accept no further commits, and write those that are queued.
                waiting.close();
                waiting.recv_many(&mut arrived, BATCH).await;
            }
            if arrived.is_empty() {
                break;
            }
            metrics::histogram!("buildtrack_log_batch_size").record(u32::try_from(arrived.len()).unwrap_or(0));
            self.write_and_answer(Batch::new(arrived.drain(..))).await;
        }
        if let Some(connection) = self.connection {
            connection.close().await;
        }
    }

    /// Writes a batch and answers its callers. If a statement fails, retries the commits one by one.
    async fn write_and_answer(&mut self, mut batch: Batch) {
        match self.write(&mut batch).await {
            Ok(()) => batch.answer(),
            Err(Failure::Commit(error)) => self.remove_texts(batch).fail(&error),
            Err(Failure::Statement(error)) if batch.entries.len() == 1 && !error.is_deadlock() => {
                self.remove_texts(batch).fail_alone(&error);
            }
            Err(Failure::Statement(error)) => {
                tracing::warn!(%error, writes = batch.entries.len(), "a batch failed; its commits are retried one by one");
                std::mem::take(&mut batch.span).refused(error.kind());
                if error.is_deadlock() {
                    // Let the other transaction finish first, or both would deadlock again.
                    tokio::time::sleep(AFTER_DEADLOCK).await;
                }
                for entry in batch.entries {
                    let mut single = Batch::single(entry);
                    match self.write(&mut single).await {
                        Ok(()) => single.answer(),
                        Err(Failure::Commit(error)) => self.remove_texts(single).fail(&error),
                        Err(Failure::Statement(error)) => self.remove_texts(single).fail_alone(&error),
                    }
                }
            }
        }
    }

    /// Removes a failed batch's texts from the near-duplicate check, so that a retry is not a duplicate of itself.
    fn remove_texts(&self, batch: Batch) -> Batch {
        self.announcer.near_duplicates.remove(batch.texts());
        batch
    }

    /// Writes a batch in one transaction. After an error nothing of it was written, or (`Failure::Commit`) the outcome is unknown.
    async fn write(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        let begun = Instant::now();
        let needs_log = batch.needs_log();
        if needs_log {
            self.announcer.tail.writer().begin(begun);
        }
        let written = self.write_in_time(batch).await;
        if needs_log {
            let mut health = self.announcer.tail.writer();
            match &written {
                Err(Failure::Commit(error)) if !matches!(error, StoreError::Conflict { .. }) => {
                    health.fail(Instant::now());
                }
                _ => health.succeed(),
            }
        }
        if begun.elapsed() > SLOW {
            tracing::warn!(elapsed = ?begun.elapsed(), writes = batch.entries.len(), "writing a batch was slow");
        }
        if written.is_err() {
            self.versions.clear();
        }
        written
    }

    /// On PostgreSQL a connection may stop responding. The writer then gives it up, and the batch's outcome is unknown.
    async fn write_in_time(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        if let Db::Sqlite { .. } = self.db {
            return self.try_to_write(batch).await;
        }
        let Ok(written) = timeout(WRITE_TIMEOUT, self.try_to_write(batch)).await else {
            self.announcer.recent.lost();
            return Err(Failure::Commit(silent().into()));
        };
        written
    }
}
