//! The appender: one task that collects what waits, writes it in one transaction, and answers every caller.
//!
//! It never lingers: a batch is whatever queued while the last one was committed. One caller's conflict never fails
//! another's append; if a statement fails, the batch is run again one by one, so that one bad write takes nobody down.

use std::{
    collections::{HashMap, HashSet},
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};

use buildtrack_domain::{
    event::Event,
    log::{Hash, Header, Salt, chain, data_hash},
};
use chrono::{DateTime, Utc};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::EventRow;
use crate::{
    Answer, Kept, Recorded, StoreError, StoredAnswer, Ticket, answers,
    clock::{Clock, random},
    db::{Db, Tx, Writing, execute},
    deliveries::{self, Claim, DeliveryRow},
    kept, postgres, projections, sqlite,
    store::Announcer,
};

/// How many writes one transaction takes.
const BATCH: usize = 1024;
/// How many writes may wait; more wait at the door.
const QUEUE: usize = 4096;

/// How long a write that was given up to end a deadlock stands back.
const AFTER_DEADLOCK: Duration = Duration::from_millis(100);

/// One event on its way, encoded by its caller.
pub(crate) struct Draft {
    pub(crate) stream: Arc<str>,
    pub(crate) version: i64,
    pub(crate) event: Event,
    event_type: &'static str,
    data: String,
    salt: Salt,
    data_hash: Hash,
}

impl Draft {
    pub(crate) fn new(stream: Arc<str>, version: i64, event: Event) -> Self {
        let (data, salt) = (event.encode(), random());
        let data_hash = data_hash(&salt, &data);
        Self { stream, version, event_type: event.event_type(), event, data, salt, data_hash }
    }
}

/// Puts the answer to a request into words, once positions and time are known.
pub(crate) type Render = Box<dyn Fn(&[Recorded]) -> Answer + Send + Sync>;

/// All that one caller wants to happen at once, or not at all.
#[derive(Default)]
pub(crate) struct Commit {
    /// Streams that were looked at, with the version they had.
    pub(crate) reads: HashMap<Arc<str>, i64>,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) kept: Vec<Kept>,
    pub(crate) metadata: Option<Arc<str>>,
    pub(crate) render: Option<Render>,
    pub(crate) ticket: Option<Ticket>,
    pub(crate) claim: Option<Claim>,
}

/// What a commit led to.
#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) recorded: Vec<Recorded>,
    pub(crate) answer: Option<Answer>,
    pub(crate) claimed: Vec<DeliveryRow>,
}

type Reply = oneshot::Sender<Result<Committed, StoreError>>;

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
        let task = tokio::spawn(Task { db, clock, announcer, connection: None }.run(waiting, closing));
        (Self { queue }, task)
    }

    /// Writes, and comes back when it is durable.
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
            Err(Failure::Commit(error)) => batch.fail(&error),
            Err(Failure::Statement(error)) if batch.entries.len() == 1 && !error.is_deadlock() => {
                batch.fail_alone(&error);
            }
            Err(Failure::Statement(error)) => {
                tracing::warn!(%error, writes = batch.entries.len(), "a batch failed and is run one by one");
                if error.is_deadlock() {
                    // Whoever was let through has to be through, or both would stand there again.
                    tokio::time::sleep(AFTER_DEADLOCK).await;
                }
                for entry in batch.entries {
                    let mut single = Batch { entries: vec![entry.anew()] };
                    match self.write(&mut single).await {
                        Ok(()) => single.answer(),
                        Err(Failure::Commit(error)) => single.fail(&error),
                        Err(Failure::Statement(error)) => single.fail_alone(&error),
                    }
                }
            }
        }
    }

    /// Writes a batch in one transaction; on a failure nothing of it was written, or (`Commit`) nobody knows.
    async fn write(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        let mut connection = self.begin().await.map_err(Failure::Commit)?;
        let mut tx = connection.tx();
        // A connection whose state is not known is given up with the failure.
        let head = match self.transaction(&mut tx, batch).await {
            Ok(head) => tx.commit().await.map(|()| Ok(head)).map_err(Failure::Commit)?,
            Err(error) if tx.rollback().await.is_ok() => Err(Failure::Statement(error)),
            Err(error) => return Err(Failure::Commit(error)),
        };
        self.connection = Some(connection);
        if let Some(position) = head? {
            self.announcer.recent.remember(batch.winners().flat_map(|entry| &entry.recorded));
            self.announcer.committed(position, batch.touched());
        }
        Ok(())
    }

    /// A connection with a transaction begun. One that was kept may have been lost since: that costs nobody a write.
    async fn begin(&mut self) -> Result<Writing, StoreError> {
        if let Some(mut connection) = self.connection.take() {
            match connection.tx().begin().await {
                Ok(()) => return Ok(connection),
                Err(error) => tracing::warn!(%error, "the writing connection is opened anew"),
            }
        }
        let mut connection = Writing::open(&self.db).await?;
        connection.tx().begin().await?;
        Ok(connection)
    }

    /// Everything between BEGIN and COMMIT; gives the new head where events were written.
    async fn transaction(&self, tx: &mut Tx<'_>, batch: &mut Batch) -> Result<Option<i64>, StoreError> {
        let needs_log = batch.entries.iter().any(|entry| entry.commit.needs_log());
        let head = if needs_log { Some(lock_head(tx).await?) } else { None };
        let now = self.clock.now();
        batch.decide(tx, now).await?;
        let new_head = match head {
            Some(head) => self.append(tx, batch, head, now).await?,
            None => None,
        };
        batch.render()?;
        batch.store_answers(tx, now).await?;
        kept::write(tx, batch.winners().flat_map(|entry| &entry.commit.kept).collect(), now).await?;
        batch.claim(tx, now).await?;
        Ok(new_head)
    }

    async fn append(
        &self,
        tx: &mut Tx<'_>,
        batch: &mut Batch,
        mut head: Head,
        now: DateTime<Utc>,
    ) -> Result<Option<i64>, StoreError> {
        // Time never runs backwards along the log, whatever the machines' clocks do.
        let recorded_at = now.max(head.recorded_at);
        let rows: Vec<_> = batch.winners().flat_map(|entry| entry.chain(&mut head, recorded_at)).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        match tx {
            Tx::Postgres(connection) => postgres::insert_events(connection, &rows).await?,
            Tx::Sqlite(connection) => sqlite::insert_events(connection, &rows).await?,
        }
        let recorded: Vec<_> = batch.winners().flat_map(|entry| entry.recorded.iter()).collect();
        projections::project(tx, &recorded).await?;
        execute!(
            tx,
            "UPDATE log_head SET position = $1, hash = $2, recorded_at = $3",
            head.position,
            &head.hash[..],
            recorded_at,
        );
        if let Tx::Postgres(connection) = tx {
            let notice = batch.notice(head.position);
            sqlx::query("SELECT pg_notify($1, $2)")
                .bind(postgres::CHANNEL)
                .bind(notice)
                .execute(&mut **connection)
                .await?;
        }
        metrics::counter!("buildtrack_log_events_total").increment(rows.len() as u64);
        Ok(Some(head.position))
    }
}

enum Failure {
    /// A statement failed and the transaction was rolled back.
    Statement(StoreError),
    /// The connection or the commit failed; the outcome may not be known.
    Commit(StoreError),
}

struct Head {
    position: i64,
    hash: Hash,
    recorded_at: DateTime<Utc>,
}

async fn lock_head(tx: &mut Tx<'_>) -> Result<Head, StoreError> {
    let (position, hash, recorded_at) = match tx {
        Tx::Postgres(connection) => postgres::lock_head(connection).await?,
        Tx::Sqlite(connection) => sqlite::lock_head(connection).await?,
    };
    let hash = hash.try_into().map_err(|_| StoreError::Damaged("the head's hash has not 32 bytes".into()))?;
    Ok(Head { position, hash, recorded_at })
}

async fn versions(tx: &mut Tx<'_>, streams: &[&str]) -> Result<HashMap<String, i64>, StoreError> {
    if streams.is_empty() {
        return Ok(HashMap::new());
    }
    let versions = match tx {
        Tx::Postgres(connection) => postgres::versions(connection, streams).await?,
        Tx::Sqlite(connection) => sqlite::versions(connection, streams).await?,
    };
    Ok(versions.into_iter().collect())
}

impl Commit {
    /// Whether it must hold the head's lock: it appends, or rests on what streams say or on there being no answer yet.
    pub(crate) fn needs_log(&self) -> bool {
        !self.drafts.is_empty() || !self.reads.is_empty() || self.ticket.is_some()
    }
}

struct Batch {
    entries: Vec<Entry>,
}

struct Entry {
    commit: Commit,
    reply: Reply,
    recorded: Vec<Recorded>,
    answer: Option<Answer>,
    claimed: Vec<DeliveryRow>,
    refused: Option<StoreError>,
}

impl Entry {
    fn chain(&mut self, head: &mut Head, recorded_at: DateTime<Utc>) -> Vec<EventRow> {
        let metadata = self.commit.metadata.clone().unwrap_or_else(|| "{}".into());
        let drafts = std::mem::take(&mut self.commit.drafts);
        let mut rows = Vec::with_capacity(drafts.len());
        for draft in drafts {
            head.position += 1;
            let Draft { stream, version, event, event_type, data, salt, data_hash } = draft;
            let header = Header {
                position: head.position,
                stream: &stream,
                version,
                event_type,
                metadata: &metadata,
                recorded_at,
            };
            head.hash = chain(&head.hash, &header, &data_hash);
            rows.push(EventRow {
                position: head.position,
                stream: stream.clone(),
                version,
                event_type,
                data,
                salt,
                data_hash,
                metadata: metadata.clone(),
                recorded_at,
                hash: head.hash,
            });
            let position = head.position;
            self.recorded.push(Recorded { position, stream, version, event: Some(event), recorded_at });
        }
        rows
    }

    /// The entry as it came, for another try.
    fn anew(mut self) -> Self {
        for recorded in self.recorded.drain(..) {
            if let Some(event) = recorded.event {
                self.commit.drafts.push(Draft::new(recorded.stream, recorded.version, event));
            }
        }
        self.refused = None;
        self
    }
}

impl Batch {
    fn new(arrived: impl Iterator<Item = (Commit, Reply)>) -> Self {
        let entry = |(commit, reply)| {
            let (recorded, answer, claimed, refused) = (vec![], None, vec![], None);
            Entry { commit, reply, recorded, answer, claimed, refused }
        };
        Self { entries: arrived.map(entry).collect() }
    }

    fn winners(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut().filter(|entry| entry.refused.is_none())
    }

    /// Refuses every entry that saw something else than what is there now, earlier winners of the batch included.
    async fn decide(&mut self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        let streams: HashSet<_> = self.entries.iter().flat_map(|entry| entry.commit.reads.keys()).collect();
        let streams: Vec<_> = streams.into_iter().map(|stream| &**stream).collect();
        let mut current = versions(tx, &streams).await?;
        let mut positions =
            kept::consumer_positions(tx, self.entries.iter().flat_map(|entry| &entry.commit.kept)).await?;
        let tickets: Vec<_> = self.entries.iter().filter_map(|entry| entry.commit.ticket.as_ref()).collect();
        let mut answered = answers::stored(tx, &tickets, now).await?;
        for entry in &mut self.entries {
            let commit = &entry.commit;
            let changed =
                commit.reads.iter().find(|(stream, seen)| current.get(&***stream).copied().unwrap_or(0) != **seen);
            if let Some(known) = commit.ticket.as_ref().and_then(|ticket| answered.get(&ticket.scope)) {
                entry.refused = Some(StoreError::Answered(Box::new(known.clone())));
            } else if let Some((stream, _)) = changed {
                entry.refused = Some(StoreError::Conflict { stream: stream.to_string() });
            } else if let Some(stream) = kept::overtaken(&commit.kept, &mut positions) {
                entry.refused = Some(StoreError::Conflict { stream });
            } else {
                for draft in &commit.drafts {
                    current.insert(draft.stream.to_string(), draft.version);
                }
                if let Some(ticket) = &commit.ticket {
                    answered.insert(ticket.scope.clone(), StoredAnswer::running(ticket));
                }
            }
        }
        Ok(())
    }

    fn render(&mut self) -> Result<(), StoreError> {
        for entry in self.winners() {
            let Some(render) = &entry.commit.render else { continue };
            // The words are the caller's code: if it panics, that is one caller's failure and not the end of writing.
            let answer = std::panic::catch_unwind(AssertUnwindSafe(|| render(&entry.recorded)));
            entry.answer = Some(answer.map_err(|_| StoreError::Damaged("the answer has no words".into()))?);
        }
        Ok(())
    }

    async fn store_answers(&mut self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        let rows: Vec<_> =
            self.winners().filter_map(|entry| Some((entry.commit.ticket.as_ref()?, entry.answer.as_ref()?))).collect();
        answers::store(tx, &rows, now).await
    }

    async fn claim(&mut self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        for entry in self.winners() {
            if let Some(claim) = entry.commit.claim {
                entry.claimed = deliveries::claim(tx, claim, now).await?;
            }
        }
        Ok(())
    }

    /// Streams of identities and sessions that changed: whoever caches them must look again.
    fn touched(&self) -> Vec<Arc<str>> {
        let streams = self.entries.iter().filter(|entry| entry.refused.is_none()).flat_map(|entry| &entry.recorded);
        let mut seen = HashSet::new();
        streams
            .filter(|recorded| matches!(recorded.event, Some(Event::Agent(_) | Event::Owner(_) | Event::Session(_))))
            .map(|recorded| recorded.stream.clone())
            .filter(|stream| seen.insert(stream.clone()))
            .collect()
    }

    /// What other processes are told: the head, and what their caches must forget (`*` where that would be too long).
    fn notice(&self, position: i64) -> String {
        let touched = self.touched();
        if touched.len() > 100 { format!("{position} *") } else { format!("{position} {}", touched.join(" ")) }
    }

    fn answer(self) {
        for Entry { reply, recorded, answer, claimed, refused, .. } in self.entries {
            let result = refused.map_or(Ok(Committed { recorded, answer, claimed }), Err);
            // A caller that has gone away has lost interest, not the write.
            drop(reply.send(result));
        }
    }

    /// Fails the only entry; a stream that somebody else has begun is a conflict.
    fn fail_alone(self, error: &StoreError) {
        let begun = self.entries.first().and_then(|entry| entry.recorded.first()).map(|first| first.stream.to_string());
        match begun {
            Some(stream) if error.is_second_beginning() => {
                for entry in self.entries {
                    drop(entry.reply.send(Err(StoreError::Conflict { stream: stream.clone() })));
                }
            }
            _ => self.fail(error),
        }
    }

    fn fail(self, error: &StoreError) {
        tracing::error!(%error, writes = self.entries.len(), "writing failed");
        for entry in self.entries {
            let error = match error {
                StoreError::Damaged(text) => StoreError::Damaged(text.clone()),
                StoreError::Closed => StoreError::Closed,
                other => StoreError::Database(sqlx::Error::Protocol(other.to_string())),
            };
            drop(entry.reply.send(Err(error)));
        }
    }
}
