//! The transaction in which the writer writes a batch: its begin, its statements and its commit.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::{
    batch::Batch,
    commit_notification::CommitNotification,
    consumers::Progress,
    context::Contexts,
    head::{self, Found, Head},
    versions::Versions,
    writer::Task,
};
use super::{postgres, sqlite};
use crate::{
    StoreError,
    database::{Tx, Writing},
};

impl Task {
    /// Writes a batch in one transaction. After `Failure::Statement` nothing of it was written.
    pub(super) async fn try_to_write(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        batch.span = buildtrack_traces::commit(self.db.system(), batch.entries.len(), batch.marks());
        let known_head = self.announcer.tail.head();
        let (mut connection, found) = self.begin(batch).await.map_err(Failure::Commit)?;
        let mut tx = connection.tx();
        if let Some((position, ..)) = found.head.as_ref().filter(|(position, ..)| *position < known_head) {
            // The commits were decided on events that the database has lost: their callers must decide again.
            self.announcer.rewound(known_head, *position);
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
        if batch.side_changes().into_iter().any(|change| change.rule().removes_texts) {
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
        let progress = batch.decide(tx, found, &mut self.versions, &self.announcer.near_duplicates, now).await?;
        let head = match head {
            Some(head) => append(tx, batch, head, now, self.contexts).await?,
            None => None,
        };
        batch.render()?;
        // An answer is of the time of its events, which a clock that was set back does not move.
        let answered_at = head.as_ref().map_or(now, |head| head.recorded_at);
        batch.store_answers(tx, answered_at).await?;
        batch.enqueued = self.contexts.write(tx, &batch.side_changes(), now).await?.into();
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
    contexts: Contexts,
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
    contexts.project(tx, &recorded).await?;
    Ok(Some(head))
}

/// The parts of a batch that are written last, with the commit.
struct Written {
    /// The new head, if events were written.
    head: Option<Head>,
    /// The new offsets of consumers.
    progress: HashMap<&'static str, Progress>,
}

pub(super) enum Failure {
    /// A statement failed, and the transaction can be rolled back.
    Statement(StoreError),
    /// The connection or the commit failed. The outcome may be unknown.
    Commit(StoreError),
}
