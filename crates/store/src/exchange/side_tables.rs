//! Changes to the side tables of the exchange: open conversations, and where the updates of tasks are pushed.

use buildtrack_domain::ids::ExchangeId;
use chrono::{DateTime, Utc};

use super::conversations::{
    NewTaskPush, TaskPushOutcome, has_expired_holds, has_expired_task_pushes, hold, prune_holds, prune_task_pushes,
    record, release, remove, set,
};
use crate::{
    StoreError,
    database::{Db, Tx},
    log::context::{Enqueued, Expiry, Rule, SideTable},
};

/// One change to a side table of the exchange.
#[derive(Debug, Clone)]
pub enum Change {
    /// Record that a conversation is open.
    Conversation {
        /// The exchange's id.
        exchange_id: ExchangeId,
        /// The id of an agent or owner, or the keyed hash of an IP address.
        holder: String,
        /// When the conversation expires, unless it continues.
        expires_at: DateTime<Utc>,
    },
    /// End a conversation before it expires.
    ConversationEnded {
        /// The exchange's id.
        exchange_id: ExchangeId,
    },
    /// Set where the updates of a task are pushed.
    TaskPushSet {
        /// The exchange that is the task.
        exchange_id: ExchangeId,
        /// The config.
        push: Box<NewTaskPush>,
    },
    /// Push the updates of a task no more.
    TaskPushRemoved {
        /// The exchange that is the task.
        exchange_id: ExchangeId,
        /// The config's id within the task.
        id: String,
    },
    /// Record the outcome of an attempt to push updates.
    TaskPushAttempted(Box<TaskPushOutcome>),
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::Conversation { .. } | Self::TaskPushSet { .. } => Rule::ROW,
            Self::ConversationEnded { .. } | Self::TaskPushRemoved { .. } => Rule::ROW.essential(),
            // After a crash, the updates are pushed again.
            Self::TaskPushAttempted(_) => Rule::ROW.essential().repeatable(),
        }
    }

    async fn write(tx: &mut Tx<'_>, changes: &[&Self], _: DateTime<Utc>, _: &mut Enqueued) -> Result<(), StoreError> {
        for change in changes {
            match change {
                Self::Conversation { exchange_id, holder, expires_at } => {
                    hold(tx, *exchange_id, holder, *expires_at).await?;
                }
                Self::ConversationEnded { exchange_id } => release(tx, *exchange_id).await?,
                Self::TaskPushSet { exchange_id, push } => set(tx, *exchange_id, push).await?,
                Self::TaskPushRemoved { exchange_id, id } => remove(tx, *exchange_id, id).await?,
                Self::TaskPushAttempted(outcome) => record(tx, outcome).await?,
            }
        }
        Ok(())
    }
}

pub(crate) async fn prune(tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
    prune_holds(tx, now, expiry.limit).await?;
    prune_task_pushes(tx, now, expiry.limit).await
}

pub(crate) async fn has_expired(db: &Db, _: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
    Ok(has_expired_holds(db, now).await? || has_expired_task_pushes(db, now).await?)
}
