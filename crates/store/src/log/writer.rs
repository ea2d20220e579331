//! The log's writer: one task that collects waiting commits, writes them in one transaction, and answers every caller.
//!
//! The writer does not wait for a batch to fill: a batch holds the commits that queued while the previous one was written. One
//! caller's conflict never fails another caller's commit. If a statement fails, the writer retries the batch's commits one by one,
//! so that one bad commit does not fail the others.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    announcer::Announcer,
    batch::{Batch, Commit, Committed, Reply},
    commit_notification::CommitNotification,
    head::{self, Found, Head},
    versions::Versions,
};
use super::{consumers::Progress, postgres, sqlite};
use crate::{
    StoreError,
    clock::Clock,
    database::{Db, Tx, Writing, postgres::silent},
    kept::{self, Kept},
    projections,
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
        announcer: Announcer,
        closing: CancellationToken,
    ) -> (Self, tokio::task::JoinHandle<()>) {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let task = tokio::spawn(
            Task { db, clock, announcer, connection: None, versions: Versions::default() }.run(waiting, closing),
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

struct Task {
    db: Db,
    clock: Clock,
    announcer: Announcer,
    connection: Option<Writing>,
    versions: Versions,
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
            Err(Failure::Commit(error)) => self.forget_texts(batch).fail(&error),
            Err(Failure::Statement(error)) if batch.entries.len() == 1 && !error.is_deadlock() => {
                self.forget_texts(batch).fail_alone(&error);
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
                        Err(Failure::Commit(error)) => self.forget_texts(single).fail(&error),
                        Err(Failure::Statement(error)) => self.forget_texts(single).fail_alone(&error),
                    }
                }
            }
        }
    }

    /// Removes a failed batch's texts from the near-duplicate check, so that a retry is not a duplicate of itself.
    fn forget_texts(&self, batch: Batch) -> Batch {
        self.announcer.repeats.forget(batch.texts());
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

    async fn try_to_write(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        batch.span = buildtrack_traces::commit(self.db.system(), batch.entries.len(), batch.marks());
        let remembered = self.announcer.tail.head();
        let (mut connection, found) = self.begin(batch).await.map_err(Failure::Commit)?;
        let mut tx = connection.tx();
        if let Some((position, ..)) = found.head.as_ref().filter(|(position, ..)| *position < remembered) {
            // The commits were decided on events that the database has lost: their callers must decide again.
            self.announcer.rewound(remembered, *position);
            return Err(Failure::Commit(StoreError::Conflict { stream: "log".to_owned() }));
        }
        let concluded = match self.transaction(&mut tx, batch, found).await {
            Ok(written) => self.conclude(&mut tx, batch, written).await,
            Err(error) => Err(Failure::Statement(error)),
        };
        // A connection in an unknown state is dropped with the error.
        let head = match concluded {
            Err(Failure::Statement(error)) if tx.rollback().await.is_ok() => Err(Failure::Statement(error)),
            Err(Failure::Statement(error) | Failure::Commit(error)) => return Err(Failure::Commit(error)),
            concluded => concluded,
        };
        self.connection = Some(connection);
        let head = head?;
        if batch.kept().into_iter().any(Kept::removes_texts) {
            self.announcer.tail.texts_removed();
        }
        if let Some(notification) = head {
            metrics::counter!("buildtrack_log_events_total").increment(batch.recorded().count() as u64);
            self.announcer.wrote(&notification, batch.recorded());
        }
        Ok(())
    }

    /// Commits. Returns the notification if events were written.
    async fn conclude(
        &mut self,
        tx: &mut Tx<'_>,
        batch: &Batch,
        written: Written,
    ) -> Result<Option<CommitNotification>, Failure> {
        let Written { head, progress } = written;
        let notification = head.as_ref().map(|head| batch.notification(head.position));
        let committed = if let (Some(head), Some(notification)) = (head, &notification) {
            self.announcer.recent.committing(head.position);
            let committed = head::conclude(tx, &progress, Some((&head, notification))).await;
            if committed.is_err() {
                self.announcer.recent.lost();
            }
            self.versions.set_head(&head.hash);
            committed
        } else {
            head::conclude(tx, &progress, None).await
        };
        committed.map(|()| notification).map_err(|error| match tx {
            Tx::Postgres(_) => Failure::Commit(error),
            // A pending statement may have failed. A rollback succeeds only if nothing was committed.
            Tx::Sqlite(_) => Failure::Statement(error),
        })
    }

    /// A connection with an open transaction. The kept connection may have been lost; a new one replaces it, so that no write
    /// fails.
    async fn begin(&mut self, batch: &Batch) -> Result<(Writing, Found), StoreError> {
        if let Some(mut connection) = self.connection.take() {
            match begin(&mut connection, batch, &mut self.versions).await {
                Ok(found) => return Ok((connection, found)),
                Err(error) => tracing::warn!(%error, "the writer's connection failed; a new one is opened"),
            }
        }
        let mut connection = Writing::open(&self.db).await?;
        let found = begin(&mut connection, batch, &mut self.versions).await?;
        Ok((connection, found))
    }

    /// The transaction's statements between its begin and its commit.
    async fn transaction(
        &mut self,
        tx: &mut Tx<'_>,
        batch: &mut Batch,
        mut found: Found,
    ) -> Result<Written, StoreError> {
        let head = found.head()?;
        let now = self.clock.now();
        let progress = batch.decide(tx, found, &mut self.versions, &self.announcer.repeats, now).await?;
        let head = match head {
            Some(head) => append(tx, batch, head, now).await?,
            None => None,
        };
        batch.render()?;
        // An answer is of the time of its events, which a clock that was set back does not move.
        let answered_at = head.as_ref().map_or(now, |head| head.recorded_at);
        batch.store_answers(tx, answered_at).await?;
        let kept = batch.kept();
        let placed = kept::write(tx, kept, now).await?;
        batch.assign_deliveries(&placed);
        batch.claim(tx, now).await?;
        Ok(Written { head, progress })
    }
}

/// Begins the transaction and loads the versions of all streams that the batch depends on.
async fn begin(connection: &mut Writing, batch: &Batch, versions: &mut Versions) -> Result<Found, StoreError> {
    let (mut tx, consumers) = (connection.tx(), batch.consumers());
    if !batch.needs_log() {
        return head::begin(&mut tx, !batch.can_be_repeated(), None, &consumers).await;
    }
    let (known, unknown) = versions.divide(batch.streams());
    let mut found = head::begin(&mut tx, true, Some(&unknown), &consumers).await?;
    let are_valid = found.head.as_ref().is_none_or(|(_, hash, _)| versions.validate(hash));
    versions.learn(&unknown, std::mem::take(&mut found.versions));
    if !are_valid && !known.is_empty() {
        let read = head::versions(&mut tx, &known).await?;
        versions.learn(&known, read);
    }
    Ok(found)
}

async fn append(
    tx: &mut Tx<'_>,
    batch: &mut Batch,
    mut head: Head,
    now: DateTime<Utc>,
) -> Result<Option<Head>, StoreError> {
    // Times on the log never decrease, even if the machines' clocks do.
    head.recorded_at = now.max(head.recorded_at);
    let rows = batch.chain(&mut head);
    if rows.is_empty() {
        return Ok(None);
    }
    match tx {
        Tx::Postgres(connection) => postgres::insert_events(connection, &rows).await?,
        Tx::Sqlite(script) => sqlite::insert_events(script, &rows).await?,
    }
    let recorded: Vec<_> = batch.recorded().collect();
    projections::project(tx, &recorded).await?;
    Ok(Some(head))
}

/// The parts of a batch that are written last, with the commit.
struct Written {
    /// The new head, if events were written.
    head: Option<Head>,
    /// The new offsets of consumers.
    progress: HashMap<&'static str, Progress>,
}

enum Failure {
    /// A statement failed, and the transaction can be rolled back.
    Statement(StoreError),
    /// The connection or the commit failed. The outcome may be unknown.
    Commit(StoreError),
}
