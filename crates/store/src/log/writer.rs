//! The appender: one task that collects what waits, writes it in one transaction, and answers every caller.
//!
//! It never lingers: a batch is whatever queued while the last one was committed. One caller's conflict never fails
//! another's append; if a statement fails, the batch is run again one by one, so that one bad write takes nobody down.

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
    head::{self, Found, Head},
    news::News,
    versions::Versions,
};
use crate::{
    Kept, StoreError,
    clock::Clock,
    consumers::Progress,
    db::{Db, Tx, Writing},
    kept, postgres, projections, sqlite,
};

/// How many writes one transaction takes.
const BATCH: usize = 1024;
/// How many writes may wait; more wait at the door.
const QUEUE: usize = 4096;

/// A batch that takes longer is worth a line in the log.
const SLOW: Duration = Duration::from_secs(1);
/// How long a batch may take on PostgreSQL, its turn at the head's lock included.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a write that was given up to end a deadlock stands back.
const AFTER_DEADLOCK: Duration = Duration::from_millis(100);

/// The door to the writing task.
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
    /// Starts the task; it ends, with all that was accepted written, on `closing` or when the last door is dropped.
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

    /// Writes, and comes back when it is committed; what somebody is to be answered for is durable then.
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
                // Nobody comes in any more; what is in already is written before the end.
                waiting.close();
                waiting.recv_many(&mut arrived, BATCH).await;
            }
            if arrived.is_empty() {
                break;
            }
            metrics::histogram!("buildtrack_log_batch_size").record(u32::try_from(arrived.len()).unwrap_or(0));
            self.settle(Batch::new(arrived.drain(..))).await;
        }
        if let Some(connection) = self.connection {
            connection.close().await;
        }
    }

    /// Writes a batch and answers its callers; if a statement fails, one by one.
    async fn settle(&mut self, mut batch: Batch) {
        match self.write(&mut batch).await {
            Ok(()) => batch.answer(),
            Err(Failure::Commit(error)) => self.unsaid(batch).fail(&error),
            Err(Failure::Statement(error)) if batch.entries.len() == 1 && !error.is_deadlock() => {
                self.unsaid(batch).fail_alone(&error);
            }
            Err(Failure::Statement(error)) => {
                tracing::warn!(%error, writes = batch.entries.len(), "a batch failed and is run one by one");
                std::mem::take(&mut batch.span).refused(error.kind());
                if error.is_deadlock() {
                    // Whoever was let through has to be through, or both would stand there again.
                    tokio::time::sleep(AFTER_DEADLOCK).await;
                }
                for entry in batch.entries {
                    let mut single = Batch::single(entry);
                    match self.write(&mut single).await {
                        Ok(()) => single.answer(),
                        Err(Failure::Commit(error)) => self.unsaid(single).fail(&error),
                        Err(Failure::Statement(error)) => self.unsaid(single).fail_alone(&error),
                    }
                }
            }
        }
    }

    /// What a failed batch was to say is no repeat of itself when it is tried again.
    fn unsaid(&self, batch: Batch) -> Batch {
        self.announcer.repeats.forget(batch.sayings());
        batch
    }

    /// Writes a batch in one transaction; on a failure nothing of it was written, or (`Commit`) nobody knows.
    async fn write(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        let begun = Instant::now();
        let needs_log = batch.needs_log();
        if needs_log {
            self.announcer.tail.writing(Some(begun));
        }
        let written = self.write_in_time(batch).await;
        if needs_log {
            self.announcer.tail.writing(None);
        }
        if begun.elapsed() > SLOW {
            tracing::warn!(elapsed = ?begun.elapsed(), writes = batch.entries.len(), "a batch was slow to be written");
        }
        if written.is_err() {
            self.versions.forget();
        }
        written
    }

    /// On PostgreSQL a connection may fall silent: it is given up, and the outcome of the batch is unknown.
    async fn write_in_time(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        if let Db::Sqlite { .. } = self.db {
            return self.try_to_write(batch).await;
        }
        let Ok(written) = timeout(PATIENCE, self.try_to_write(batch)).await else {
            self.announcer.recent.lost();
            let silent = std::io::Error::new(std::io::ErrorKind::TimedOut, "the database did not answer in time");
            return Err(Failure::Commit(sqlx::Error::Io(silent).into()));
        };
        written
    }

    async fn try_to_write(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        batch.span = buildtrack_traces::commit(self.db.system(), batch.entries.len(), batch.marks());
        let remembered = self.announcer.tail.head();
        let (mut connection, found) = self.begin(batch).await.map_err(Failure::Commit)?;
        let mut tx = connection.tx();
        if let Some((position, ..)) = found.head.as_ref().filter(|(position, ..)| *position < remembered) {
            // What was decided rests on events that the database has lost: it is decided anew.
            self.announcer.rewound(remembered, *position);
            return Err(Failure::Commit(StoreError::Conflict { stream: "log".to_owned() }));
        }
        let concluded = match self.transaction(&mut tx, batch, found).await {
            Ok(written) => self.conclude(&mut tx, batch, written).await,
            Err(error) => Err(Failure::Statement(error)),
        };
        // A connection whose state is not known is given up with the failure.
        let head = match concluded {
            Err(Failure::Statement(error)) if tx.rollback().await.is_ok() => Err(Failure::Statement(error)),
            Err(Failure::Statement(error) | Failure::Commit(error)) => return Err(Failure::Commit(error)),
            concluded => concluded,
        };
        self.connection = Some(connection);
        let head = head?;
        if batch.kept().into_iter().any(Kept::removes_words) {
            self.announcer.tail.words_removed();
        }
        if let Some(news) = head {
            metrics::counter!("buildtrack_log_events_total").increment(batch.recorded().count() as u64);
            self.announcer.wrote(&news, batch.recorded());
        }
        Ok(())
    }

    /// Commits; gives what there is to tell where events were written.
    async fn conclude(&mut self, tx: &mut Tx<'_>, batch: &Batch, written: Written) -> Result<Option<News>, Failure> {
        let Written { head, progress } = written;
        let news = head.as_ref().map(|head| batch.news(head.position));
        let committed = if let (Some(head), Some(news)) = (head, &news) {
            self.announcer.recent.committing(head.position);
            let committed = head::conclude(tx, &progress, Some((&head, news))).await;
            if committed.is_err() {
                self.announcer.recent.lost();
            }
            self.versions.left_at(&head.hash);
            committed
        } else {
            head::conclude(tx, &progress, None).await
        };
        committed.map(|()| news).map_err(|error| match tx {
            Tx::Postgres(_) => Failure::Commit(error),
            // Statements that waited may have failed; and a rollback succeeds only where nothing has been committed.
            Tx::Sqlite(_) => Failure::Statement(error),
        })
    }

    /// A connection with a transaction begun. One that was kept may have been lost since: that costs nobody a write.
    async fn begin(&mut self, batch: &Batch) -> Result<(Writing, Found), StoreError> {
        if let Some(mut connection) = self.connection.take() {
            match begin(&mut connection, batch, &mut self.versions).await {
                Ok(found) => return Ok((connection, found)),
                Err(error) => tracing::warn!(%error, "the writing connection is opened anew"),
            }
        }
        let mut connection = Writing::open(&self.db).await?;
        let found = begin(&mut connection, batch, &mut self.versions).await?;
        Ok((connection, found))
    }

    /// Everything between the beginning and the conclusion.
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
        batch.hand_out(&placed);
        batch.claim(tx, now).await?;
        Ok(Written { head, progress })
    }
}

/// Afterwards the versions of all streams that the batch rests on are known.
async fn begin(connection: &mut Writing, batch: &Batch, versions: &mut Versions) -> Result<Found, StoreError> {
    let (mut tx, consumers) = (connection.tx(), batch.consumers());
    if !batch.needs_log() {
        return head::begin(&mut tx, !batch.can_be_repeated(), None, &consumers).await;
    }
    let (known, unknown) = versions.divide(batch.streams());
    let mut found = head::begin(&mut tx, true, Some(&unknown), &consumers).await?;
    let stand = found.head.as_ref().is_none_or(|(_, hash, _)| versions.stand_at(hash));
    versions.learn(&unknown, std::mem::take(&mut found.versions));
    if !stand && !known.is_empty() {
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
    // Time never runs backwards along the log, whatever the machines' clocks do.
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

/// What is left to be done when all else is written.
struct Written {
    /// The new head, where events were written.
    head: Option<Head>,
    /// How far consumers have come that were moved.
    progress: HashMap<&'static str, Progress>,
}

enum Failure {
    /// A statement failed, and the transaction can be rolled back.
    Statement(StoreError),
    /// The connection or the commit failed; the outcome may not be known.
    Commit(StoreError),
}
