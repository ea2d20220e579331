//! How it was: the events up to a position, projected once more into a database of its own, in memory, and read from
//! there. What a text said that was redacted since, nobody knows any more: it shows as redacted at any position.
//!
//! **Invariant:** the past is made by the projections and read by the queries that make and read the present.

use std::sync::{Arc, Mutex, PoisonError};

use buildtrack_domain::ids::WorkspaceId;
use chrono::{DateTime, Utc};
use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::Semaphore;

use crate::{
    Listed, MemberView, MessageFilter, MessageView, Recorded, ShipmentView, Store, StoreError, WorkspaceView,
    db::{Db, Tx, read},
    log::LoggedEvent,
    messages::{self, WorkspaceGrowth},
    postgres,
    projections::{READ_TABLES, project},
    shipments,
    sqlite::{self, Script},
    workspaces,
};

/// How many look back at once; the others wait.
const AT_ONCE: usize = 4;
/// Events in one step.
const STEP: i64 = 1000;

/// Databases in memory, kept for the next one who looks back. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Pasts {
    free: Arc<Mutex<Vec<Past>>>,
    turns: Arc<Semaphore>,
}

/// A database in memory, of one connection.
#[derive(Debug)]
struct Past {
    pool: SqlitePool,
    db: Db,
}

/// A workspace as it was, with its members.
#[derive(Debug, Clone)]
pub struct PastWorkspace {
    /// The workspace.
    pub workspace: WorkspaceView,
    /// Its first members, in the order in which they joined.
    pub members: Vec<MemberView>,
    /// How it was shipped, where it was.
    pub shipment: Option<ShipmentView>,
}

impl Pasts {
    pub(crate) fn new() -> Self {
        Self { free: Arc::default(), turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Runs it on an empty database.
    async fn within<T>(&self, look: impl AsyncFnOnce(&Past) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let _turn = self.turns.acquire().await.map_err(|_| StoreError::Closed)?;
        let free = self.free().pop();
        let past = match free {
            Some(past) => past,
            None => Past::open().await?,
        };
        let found = look(&past).await?;
        // One that failed, or whose caller went away, is given up: nobody knows what is in it.
        past.empty().await?;
        self.free().push(past);
        Ok(found)
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<Past>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Past {
    async fn open() -> Result<Self, StoreError> {
        let (pool, db) = sqlite::open_in_memory().await?;
        Ok(Self { pool, db })
    }

    /// Lets these events, which are in order, have happened.
    async fn happen(&self, logged: Vec<LoggedEvent>) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await?;
        let mut script = Script::new(&mut connection);
        sqlite::insert_logged(&mut script, &logged).await?;
        let recorded: Vec<_> = logged.into_iter().map(LoggedEvent::into_readable).collect();
        let mut tx = Tx::Sqlite(script);
        project(&mut tx, &recorded.iter().collect::<Vec<&Recorded>>()).await?;
        tx.flush().await
    }

    async fn empty(&self) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await?;
        let connection: &mut SqliteConnection = &mut connection;
        for table in READ_TABLES.iter().map(|(table, _)| *table).chain(["events"]) {
            sqlx::query(&format!("DELETE FROM {table}")).execute(&mut *connection).await?;
        }
        Ok(())
    }
}

impl Store {
    /// A workspace as it was when the log ended at `position`, with up to `members` of its members; none where it was
    /// not there yet.
    pub async fn workspace_as_of(
        &self,
        id: WorkspaceId,
        position: i64,
        members: i64,
    ) -> Result<Option<PastWorkspace>, StoreError> {
        let hidings = self.hidings().await?;
        self.pasts
            .within(async |past| {
                let mut done = 0;
                loop {
                    let step = self.nameless(self.own_events(id, (done, position)).await?).await?;
                    let Some(last) = step.last() else { break };
                    done = last.position;
                    past.happen(hidings.masked_all(step)).await?;
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

    /// A list of messages as they were when the log ended at `position`.
    pub async fn messages_as_of(
        &self,
        filter: &MessageFilter,
        position: i64,
    ) -> Result<Listed<MessageView>, StoreError> {
        let before = filter.before.unwrap_or(i64::MAX).min(position.saturating_add(1));
        let filter = MessageFilter { before: Some(before), ..filter.clone() };
        // Which ones they are is said once and for all when they are posted; what they are like is not.
        let Listed { rows: page, looked_to } = self.messages(&filter).await?;
        let ids: Vec<_> = page.iter().map(|message| message.id.to_string()).collect();
        if ids.is_empty() {
            return Ok(Listed { rows: page, looked_to });
        }
        let logged = match &self.db {
            Db::Postgres { reads: pool, .. } => postgres::logged_in(pool, &ids).await?,
            Db::Sqlite { readers, .. } => sqlite::logged_in(readers, &ids).await?,
        };
        let logged = self.nameless(until(logged, position)).await?;
        let logged = self.hidings().await?.masked_all(logged);
        let mut then = self
            .pasts
            .within(async |past| {
                past.happen(logged).await?;
                messages::messages(&past.db, &filter).await
            })
            .await?;
        // What operators hide now is hidden at any position.
        let hidden = |id| page.iter().any(|message| message.id == id && message.hidden);
        for message in then.iter_mut().filter(|message| hidden(message.id)) {
            (message.content, message.hidden) = (String::new(), true);
        }
        Ok(Listed { rows: then, looked_to })
    }

    /// A workspace's own events. What became of its messages changes nothing of it but their number.
    async fn own_events(&self, id: WorkspaceId, (after, until): (i64, i64)) -> Result<Vec<LoggedEvent>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
                 redacted_by FROM events WHERE stream = $1 AND position > $2 AND position <= $3 \
                 ORDER BY version LIMIT $4",
            )
            .bind(id.to_string())
            .bind(after)
            .bind(until)
            .bind(STEP)
            .fetch_all(pool)
            .await?
        }))
    }

    /// What all messages up to a position did to their workspace, as if they had been one batch.
    async fn growth(&self, id: WorkspaceId, until: i64) -> Result<Option<WorkspaceGrowth>, StoreError> {
        let workspace_id = id.to_string();
        let (messages, last): (i64, Option<i64>) = read!(&self.db, |pool| {
            sqlx::query_as("SELECT count(*), max(position) FROM messages WHERE workspace_id = $1 AND position <= $2")
                .bind(&workspace_id)
                .bind(until)
                .fetch_one(pool)
                .await?
        });
        let Some(position) = last else { return Ok(None) };
        let recorded_at: DateTime<Utc> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT recorded_at FROM events WHERE position = $1")
                .bind(position)
                .fetch_one(pool)
                .await?
        });
        Ok(Some(WorkspaceGrowth { workspace_id, messages, position, recorded_at }))
    }

    /// The last position that was recorded at this time or before it; 0 where that is nothing.
    pub async fn position_at(&self, time: DateTime<Utc>) -> Result<i64, StoreError> {
        let later = time.checked_add_signed(chrono::TimeDelta::microseconds(1)).unwrap_or(time);
        self.position_before(later).await
    }
}

/// What had happened at a position, and whatever took the text of it away since.
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
    fn a_redaction_counts_whenever_it_was() {
        let positions = |position| {
            let log = vec![logged(1, Some(5)), logged(2, None), logged(4, None), logged(5, None)];
            until(log, position).iter().map(|event| event.position).collect::<Vec<_>>()
        };
        assert_eq!(positions(2), [1, 2, 5]);
        assert_eq!(positions(0), [] as [i64; 0]);
        assert_eq!(positions(9), [1, 2, 4, 5]);
    }
}
