//! Side table of the configs by which the updates of tasks are pushed. A config lasts until its task has ended.

use buildtrack_domain::{
    actors::ActorId,
    ids::{ExchangeId, SessionId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Db, FromRow, Tx, values},
    exchange::Exchange,
    log::Cap,
};

/// The maximum number of configs of a task, and of a requester's tasks that have not ended.
pub const PUSHES_OF_TASK: u8 = 5;
/// See [`PUSHES_OF_TASK`].
pub const PUSHES_OF_REQUESTER: u8 = 100;

/// A config, and how far its updates were pushed.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct TaskPush {
    /// The exchange that is the task.
    #[column(from = String)]
    pub exchange_id: ExchangeId,
    /// The config's id within the task.
    pub id: String,
    /// The config, sealed.
    pub config_sealed: String,
    /// The position up to which updates were pushed.
    #[column(name = "told_to")]
    pub pushed_to: i64,
    /// Failed attempts since the last success.
    pub failures: i64,
}

/// A config with updates that are due.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct DueTaskPush {
    /// The requester, or the owner of the agent that is the requester.
    pub owner_id: String,
    /// The config.
    #[column(flat)]
    pub push: TaskPush,
}

/// A config as the requester sets it. It replaces one with the same id.
#[derive(Debug, Clone)]
pub struct NewTaskPush {
    /// The config's id within the task.
    pub id: String,
    /// The requester of the exchange.
    pub requester_id: ActorId,
    /// The requester's session that sets it.
    pub session_id: SessionId,
    /// The config, sealed.
    pub config_sealed: String,
    /// The position beyond which updates are pushed; none for that of the request that is recorded in the same commit.
    pub pushed_to: Option<i64>,
    /// When the first update may be pushed; none if the task has ended.
    pub next_at: Option<DateTime<Utc>>,
    /// When the row may be deleted, if the task has ended.
    pub expires_at: DateTime<Utc>,
}

/// The outcome of an attempt. It counts only for the config that the attempt was made with.
#[derive(Debug, Clone)]
pub struct TaskPushOutcome {
    /// The config before the attempt.
    pub push: TaskPush,
    /// The position up to which updates were pushed or given up.
    pub pushed_to: i64,
    /// Failed attempts since the last success.
    pub failures: i64,
    /// When the next attempt may be made; none if the task has ended and nothing is left to push, or the receiver is gone.
    pub next_at: Option<DateTime<Utc>>,
    /// When the row may be deleted, if the task has ended.
    pub expires_at: DateTime<Utc>,
}

const TASK_PUSH: &str =
    "SELECT task_pushes.exchange_id, task_pushes.id, config_sealed, told_to, failures FROM task_pushes";

/// The exchange of a row has ended: $1 is the time now.
const HAS_ENDED: &str = "EXISTS (SELECT 1 FROM exchanges WHERE exchanges.id = task_pushes.exchange_id \
     AND (phase NOT IN ('waiting', 'open') OR (phase = 'open' AND exchanges.expires_at <= $1)))";

impl NewTaskPush {
    /// The maximum number of configs of the task, for the commit that sets this one.
    pub fn cap_of_task(&self, exchange_id: ExchangeId) -> Cap {
        let count = "SELECT count(*) FROM task_pushes WHERE exchange_id = $1 AND id <> $2";
        Cap::of(count, exchange_id, PUSHES_OF_TASK.into()).replacing(self.id.clone())
    }

    /// The maximum number of configs of the requester's tasks that have not ended, for the commit that sets this one.
    pub fn cap_of_requester(&self, exchange_id: ExchangeId) -> Cap {
        let count = "SELECT count(*) FROM task_pushes WHERE requester_id = $1 AND exchange_id || '/' || id <> $2 \
             AND next_at IS NOT NULL";
        let row = format!("{exchange_id}/{}", self.id);
        Cap::of(count, self.requester_id, PUSHES_OF_REQUESTER.into()).replacing(row)
    }
}

pub(crate) async fn set(tx: &mut Tx<'_>, exchange_id: ExchangeId, push: &NewTaskPush) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO task_pushes (exchange_id, id, requester_id, config_sealed, told_to, failures, next_at, expires_at) \
         VALUES ($1, $2, $3, $4, coalesce($5, (SELECT active_position FROM exchanges WHERE exchanges.id = $1)), 0, $6, $7) \
         ON CONFLICT (exchange_id, id) DO UPDATE SET \
         config_sealed = excluded.config_sealed, told_to = excluded.told_to, failures = 0, next_at = excluded.next_at, \
         expires_at = excluded.expires_at",
        values![
            exchange_id.to_string(),
            &push.id,
            push.requester_id.to_string(),
            &push.config_sealed,
            push.pushed_to,
            push.next_at,
            push.expires_at,
        ],
    )
    .await?;
    Ok(())
}

pub(crate) async fn remove(tx: &mut Tx<'_>, exchange_id: ExchangeId, id: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM task_pushes WHERE exchange_id = $1 AND id = $2", values![exchange_id.to_string(), id])
        .await?;
    tx.execute(
        "DELETE FROM origins WHERE kind = 'push_config' AND subject = $1",
        values![format!("{exchange_id}:{id}")],
    )
    .await?;
    Ok(())
}

pub(crate) async fn record(tx: &mut Tx<'_>, outcome: &TaskPushOutcome) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE task_pushes SET told_to = $4, failures = $5, next_at = $6, expires_at = $7 \
         WHERE exchange_id = $1 AND id = $2 AND config_sealed = $3 AND told_to <= $4",
        values![
            outcome.push.exchange_id.to_string(),
            &outcome.push.id,
            &outcome.push.config_sealed,
            outcome.pushed_to,
            outcome.failures,
            outcome.next_at,
            outcome.expires_at
        ],
    )
    .await?;
    Ok(())
}

/// Deletes up to `limit` rows that have expired.
pub(crate) async fn prune_task_pushes(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    let expired = format!(
        "FROM task_pushes WHERE expires_at <= $1 AND {HAS_ENDED} ORDER BY expires_at, task_pushes.exchange_id, task_pushes.id LIMIT $2"
    );
    let origins = format!(
        "DELETE FROM origins WHERE kind = 'push_config' AND subject IN (SELECT exchange_id || ':' || task_pushes.id {expired})"
    );
    tx.execute(&origins, values![now, limit]).await?;
    let rows = format!("DELETE FROM task_pushes WHERE (exchange_id, id) IN (SELECT exchange_id, id {expired})");
    tx.execute(&rows, values![now, limit]).await?;
    Ok(())
}

pub(crate) async fn has_expired_task_pushes(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let statement = format!("SELECT EXISTS (SELECT 1 FROM task_pushes WHERE expires_at <= $1 AND {HAS_ENDED})");
    db.one(&statement, values![now]).await
}

#[boxed]
impl Exchange {
    /// The configs of a requester's tasks that have not ended, by task and id.
    pub async fn task_pushes_of(&self, requester_id: ActorId) -> Result<Vec<TaskPush>, StoreError> {
        let statement =
            format!("{TASK_PUSH} WHERE requester_id = $1 AND next_at IS NOT NULL ORDER BY exchange_id, id LIMIT $2");
        self.db.all(&statement, values![requester_id.to_string(), i64::from(PUSHES_OF_REQUESTER)]).await
    }

    /// The configs of a task, by id.
    pub async fn task_pushes(&self, exchange_id: ExchangeId) -> Result<Vec<TaskPush>, StoreError> {
        let statement = format!("{TASK_PUSH} WHERE exchange_id = $1 ORDER BY id");
        self.db.all(&statement, values![exchange_id.to_string()]).await
    }

    /// Configs with updates that are due, the longest waiting first; at most `share` of each owner with all agents. Those of inactive
    /// agents and of suspended or deleted owners are left out.
    pub async fn task_pushes_due(&self, limit: i64, share: i64) -> Result<Vec<DueTaskPush>, StoreError> {
        let statement = "SELECT owner_id, exchange_id, id, config_sealed, told_to, failures FROM \
             (SELECT coalesce(asker.owner_id, requester_id) AS owner_id, task_pushes.exchange_id, task_pushes.id, config_sealed, \
             told_to, failures, next_at, row_number() OVER (PARTITION BY coalesce(asker.owner_id, requester_id) \
             ORDER BY next_at, task_pushes.exchange_id, task_pushes.id) AS place \
             FROM task_pushes JOIN exchanges ON exchanges.id = task_pushes.exchange_id \
             LEFT JOIN agents AS asker ON asker.id = requester_id WHERE next_at <= $1 \
             AND (active_position > told_to OR (phase = 'open' AND exchanges.expires_at <= $1)) \
             AND (EXISTS (SELECT 1 FROM agents WHERE agents.id = requester_id AND active) OR EXISTS \
             (SELECT 1 FROM owners WHERE owners.id = requester_id AND NOT suspended AND NOT deleted))) AS due \
             WHERE place <= $3 ORDER BY next_at, exchange_id, id LIMIT $2";
        self.db.all(statement, values![self.clock.now(), limit, share]).await
    }
}
