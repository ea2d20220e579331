//! Snapshots (`asOf`): the events up to a position, projected into an in-memory SQLite database and read from there. The original
//! text of a redacted event is lost, so its text shows as redacted at every position.
//!
//! **Invariant:** snapshots use the same projections and queries as the current read tables.

use std::sync::{Arc, Mutex, PoisonError};

use buildtrack_domain::ids::WorkspaceId;
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::Semaphore;

use super::{
    MemberView, WorkspaceView,
    messages::{self, MessageFilter, MessageView, WorkspaceGrowth},
    postgres,
    shipments::{self, ShipmentView},
    sqlite, totals,
};
use crate::{
    StoreError,
    database::{
        Db, Listed, Tx,
        sqlite::{Script, open_in_memory},
        values,
    },
    log::context::Contexts,
    log::{LoggedEvent, Recorded},
    workspaces,
    workspaces::Workspaces,
};

/// How many snapshots are built at once; further requests wait.
const CONCURRENCY: usize = 4;
/// Events loaded in one step.
const STEP: i64 = 1000;

/// Pool of in-memory databases, reused by later snapshots. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Pasts {
    free: Arc<Mutex<Vec<Past>>>,
    permits: Arc<Semaphore>,
    contexts: Contexts,
}

/// An in-memory database with one connection.
#[derive(Debug)]
struct Past {
    contexts: Contexts,
    pool: SqlitePool,
    db: Db,
}

/// A workspace at a position, with its members.
#[derive(Debug, Clone)]
pub struct PastWorkspace {
    /// The workspace.
    pub workspace: WorkspaceView,
    /// Its first members, in the order in which they joined.
    pub members: Vec<MemberView>,
    /// Its shipment, where it had been shipped.
    pub shipment: Option<ShipmentView>,
}

impl Pasts {
    pub(crate) fn new(contexts: Contexts) -> Self {
        Self { free: Arc::default(), permits: Arc::new(Semaphore::new(CONCURRENCY)), contexts }
    }

    /// Runs a query on an empty database.
    async fn within<T>(&self, query: impl AsyncFnOnce(&Past) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let _permit = self.permits.acquire().await.map_err(|_| StoreError::Closed)?;
        let free = self.free().pop();
        let past = match free {
            Some(past) => past,
            None => Past::open(self.contexts).await?,
        };
        let found = query(&past).await?;
        // A database whose query failed, or whose caller was cancelled, is dropped, because its contents are unknown.
        past.empty().await?;
        self.free().push(past);
        Ok(found)
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<Past>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Past {
    async fn open(contexts: Contexts) -> Result<Self, StoreError> {
        let (pool, db) = open_in_memory().await?;
        Ok(Self { contexts, pool, db })
    }

    /// Inserts and projects these events, which are in log order.
    async fn replay(&self, logged: Vec<LoggedEvent>) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await?;
        let mut script = Script::new(&mut connection);
        sqlite::insert_logged(&mut script, &logged).await?;
        let recorded: Vec<_> = logged.into_iter().map(LoggedEvent::into_readable).collect();
        let mut tx = Tx::Sqlite(script);
        self.contexts.project(&mut tx, &recorded.iter().collect::<Vec<&Recorded>>()).await?;
        tx.flush().await
    }

    async fn empty(&self) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await?;
        let connection: &mut SqliteConnection = &mut connection;
        for table in self.contexts.read_tables().map(|table| table.name).chain(["events"]) {
            sqlx::query(&format!("DELETE FROM {table}")).execute(&mut *connection).await?;
        }
        Ok(())
    }
}

#[boxed]
impl Workspaces {
    /// A workspace as it was at `position`, with up to `members` of its members; none where it did not exist yet.
    pub async fn as_of(
        &self,
        id: WorkspaceId,
        position: i64,
        members: i64,
    ) -> Result<Option<PastWorkspace>, StoreError> {
        let hidings = self.log.hidings().await?;
        self.pasts
            .within(async |past| {
                let mut done = 0;
                loop {
                    let step = self.log.without_deleted_names(self.own_events(id, (done, position)).await?).await?;
                    let Some(last) = step.last() else { break };
                    done = last.position;
                    past.replay(hidings.masked_all(step)).await?;
                }
                if let Some(growth) = self.growth(id, position).await? {
                    let mut connection = past.pool.acquire().await?;
                    let mut script = Script::new(&mut connection);
                    sqlite::grow_workspaces(&mut script, &[growth]).await?;
                    script.flush().await?;
                }
                let Some(workspace) = workspaces::workspace(&past.db, id).await? else { return Ok(None) };
                let members = workspaces::members(&past.db, id, 0, members).await?;
                let shipment = shipments::shipment(&past.db, id).await?;
                Ok(Some(PastWorkspace { workspace, members, shipment }))
            })
            .await
    }

    /// A list of messages as they were at `position`.
    pub async fn messages_as_of(
        &self,
        filter: &MessageFilter,
        position: i64,
    ) -> Result<Listed<MessageView>, StoreError> {
        let before = filter.before.unwrap_or(i64::MAX).min(position.saturating_add(1));
        let filter = MessageFilter { before: Some(before), ..filter.clone() };
        // The columns that select a page never change, so the current table selects it. The snapshot supplies the other columns.
        let Listed { rows: page, scanned_to } = self.messages(&filter).await?;
        let ids: Vec<_> = page.iter().map(|message| message.id.to_string()).collect();
        if ids.is_empty() {
            return Ok(Listed { rows: page, scanned_to });
        }
        let logged = match &self.db {
            Db::Postgres { reads: pool, .. } => postgres::logged_in(pool, &ids).await?,
            Db::Sqlite { readers, .. } => sqlite::logged_in(readers, &ids).await?,
        };
        let logged = self.log.without_deleted_names(until(logged, position)).await?;
        let logged = self.log.hidings().await?.masked_all(logged);
        let mut then = self
            .pasts
            .within(async |past| {
                past.replay(logged).await?;
                messages::messages(&past.db, &filter).await
            })
            .await?;
        // A text that operators hide now is hidden at any position.
        let hidden = |id| page.iter().any(|message| message.id == id && message.hidden);
        for message in then.iter_mut().filter(|message| hidden(message.id)) {
            (message.content, message.hidden) = (String::new(), true);
        }
        Ok(Listed { rows: then, scanned_to })
    }

    /// A workspace's own events. Of its messages, a workspace depends only on their number.
    async fn own_events(&self, id: WorkspaceId, (after, until): (i64, i64)) -> Result<Vec<LoggedEvent>, StoreError> {
        self.db
            .all(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
                 redacted_by FROM events WHERE stream = $1 AND position > $2 AND position <= $3 \
                 ORDER BY version LIMIT $4",
                values![id.to_string(), after, until, STEP],
            )
            .await
    }

    /// The effect of all messages up to a position on their workspace, as if they were one batch.
    async fn growth(&self, id: WorkspaceId, until: i64) -> Result<Option<WorkspaceGrowth>, StoreError> {
        let workspace_id = id.to_string();
        let last: Option<(i64, DateTime<Utc>)> = self
            .db
            .optional(
                "SELECT position, created_at FROM messages WHERE workspace_id = $1 AND position <= $2 \
                 ORDER BY position DESC LIMIT 1",
                values![&workspace_id, until],
            )
            .await?;
        let Some((position, recorded_at)) = last else { return Ok(None) };
        let messages = totals::messages_until(&self.db, &workspace_id, until).await?;
        Ok(Some(WorkspaceGrowth { workspace_id, messages, position, recorded_at }))
    }

    /// The last position recorded at or before this time; 0 where there is none.
    pub async fn position_at(&self, time: DateTime<Utc>) -> Result<i64, StoreError> {
        let later = time.checked_add_signed(chrono::TimeDelta::microseconds(1)).unwrap_or(time);
        self.log.position_before(later).await
    }
}

/// The events up to a position, and later events that redact one of them.
fn until(logged: Vec<LoggedEvent>, position: i64) -> Vec<LoggedEvent> {
    let gone: Vec<_> =
        logged.iter().filter(|event| event.position <= position).filter_map(|event| event.redacted_by).collect();
    logged.into_iter().filter(|event| event.position <= position || gone.contains(&event.position)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(position: i64, redacted_by: Option<i64>) -> LoggedEvent {
        LoggedEvent {
            position,
            stream: "msg_x".into(),
            version: position,
            event_type: "message.posted".into(),
            data: None,
            salt: None,
            data_hash: vec![],
            metadata: "{}".into(),
            recorded_at: DateTime::UNIX_EPOCH,
            hash: vec![],
            redacted_by,
            sealed: false,
        }
    }

    #[test]
    fn a_redaction_after_the_position_is_applied_to_events_before_it() {
        let positions = |position| {
            let log = vec![logged(1, Some(5)), logged(2, None), logged(4, None), logged(5, None)];
            until(log, position).iter().map(|event| event.position).collect::<Vec<_>>()
        };
        assert_eq!(positions(2), [1, 2, 5]);
        assert_eq!(positions(0), [] as [i64; 0]);
        assert_eq!(positions(9), [1, 2, 4, 5]);
    }
}
