//! Changes to the side table of notifications.

use buildtrack_domain::{
    ids::OwnerId,
    notifications::{Channel, Setting, StopReason},
};
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Tx, values},
    log::context::{Enqueued, Rule, SideTable},
};

/// One change to the side table of notifications.
#[derive(Debug, Clone)]
pub enum Change {
    /// Set a channel.
    Set(Box<NewChannel>),
    /// Delete a channel.
    Removed {
        /// The owner.
        owner_id: OwnerId,
        /// The channel.
        channel: Channel,
    },
    /// Turn a channel off, and erase its address.
    Stopped {
        /// The owner.
        owner_id: OwnerId,
        /// The channel.
        channel: Channel,
        /// The reason.
        reason: StopReason,
    },
    /// Record that an owner was told, or that there was nothing to tell.
    Notified(Box<Notified>),
    /// Record that an attempt failed.
    Failed {
        /// The owner.
        owner_id: OwnerId,
        /// The channel.
        channel: Channel,
        /// The address of the attempt, sealed.
        address_sealed: String,
        /// The reason, without the address.
        failure: String,
        /// When the next attempt may be made.
        next_at: DateTime<Utc>,
    },
    /// Postpone a channel without an attempt.
    Postponed {
        /// The owner.
        owner_id: OwnerId,
        /// The channel.
        channel: Channel,
        /// When the next attempt may be made.
        next_at: DateTime<Utc>,
    },
}

/// A channel as its owner sets it. If it is set again, what was told stays told.
#[derive(Debug, Clone)]
pub struct NewChannel {
    /// The owner.
    pub owner_id: OwnerId,
    /// The channel with its setting.
    pub setting: Setting,
    /// The address of a chat, sealed; empty for mail.
    pub address_sealed: String,
    /// The position of the log beyond which a new channel tells of items.
    pub notified_to: i64,
    /// When the first message may be sent.
    pub next_at: DateTime<Utc>,
}

/// What an owner was told.
#[derive(Debug, Clone)]
pub struct Notified {
    /// The owner.
    pub owner_id: OwnerId,
    /// The channel.
    pub channel: Channel,
    /// The address of the attempt, sealed; empty for mail.
    pub address_sealed: String,
    /// The position up to which the owner was told.
    pub notified_to: i64,
    /// Whether a message was sent.
    pub is_sent: bool,
    /// When the next message may be sent.
    pub next_at: DateTime<Utc>,
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::Set(_) => Rule::ROW,
            Self::Removed { .. } | Self::Stopped { .. } => Rule::ROW.essential(),
            // After a crash, the owner is told again.
            Self::Notified(_) | Self::Failed { .. } | Self::Postponed { .. } => Rule::ROW.essential().repeatable(),
        }
    }

    async fn write(tx: &mut Tx<'_>, changes: &[&Self], now: DateTime<Utc>, _: &mut Enqueued) -> Result<(), StoreError> {
        for change in changes {
            change.write_one(tx, now).await?;
        }
        Ok(())
    }
}

impl Change {
    async fn write_one(&self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        match self {
            Self::Set(channel) => set(tx, channel).await?,
            Self::Removed { owner_id, channel } => {
                tx.execute(
                    "DELETE FROM notification_channels WHERE owner_id = $1 AND channel = $2",
                    values![owner_id.to_string(), channel.as_str()],
                )
                .await?
            }
            Self::Stopped { owner_id, channel, reason } => {
                tx.execute(
                    "UPDATE notification_channels SET address_sealed = '', next_at = NULL, stopped = $3 \
                 WHERE owner_id = $1 AND channel = $2",
                    values![owner_id.to_string(), channel.as_str(), reason.as_str()],
                )
                .await?
            }
            Self::Notified(notified) => record_notified(tx, notified, now).await?,
            Self::Failed { owner_id, channel, address_sealed, failure, next_at } => {
                tx.execute(
                    "UPDATE notification_channels SET failures = failures + 1, failure = $4, next_at = $5 \
                 WHERE owner_id = $1 AND channel = $2 AND address_sealed = $3 AND next_at IS NOT NULL",
                    values![owner_id.to_string(), channel.as_str(), address_sealed, failure, *next_at],
                )
                .await?
            }
            Self::Postponed { owner_id, channel, next_at } => {
                tx.execute(
                    "UPDATE notification_channels SET next_at = $3 \
                 WHERE owner_id = $1 AND channel = $2 AND next_at IS NOT NULL",
                    values![owner_id.to_string(), channel.as_str(), *next_at],
                )
                .await?
            }
        };
        Ok(())
    }
}

async fn set(tx: &mut Tx<'_>, channel: &NewChannel) -> Result<u64, StoreError> {
    tx.execute(
        "INSERT INTO notification_channels (owner_id, channel, setting, address_sealed, told_to, next_at, failures) \
         VALUES ($1, $2, $3, $4, $5, $6, 0) ON CONFLICT (owner_id, channel) DO UPDATE SET setting = excluded.setting, \
         address_sealed = excluded.address_sealed, next_at = excluded.next_at, failures = 0, failure = NULL, stopped = NULL",
        values![
            channel.owner_id.to_string(),
            channel.setting.channel().as_str(),
            channel.setting.as_str(),
            &channel.address_sealed,
            channel.notified_to,
            channel.next_at,
        ],
    )
    .await
}

async fn record_notified(tx: &mut Tx<'_>, notified: &Notified, now: DateTime<Utc>) -> Result<u64, StoreError> {
    tx.execute(
        "UPDATE notification_channels SET told_to = $4, next_at = $5, failures = 0, failure = NULL, \
         told_at = COALESCE($6, told_at) WHERE owner_id = $1 AND channel = $2 AND address_sealed = $3 AND told_to < $4 \
         AND next_at IS NOT NULL",
        values![
            notified.owner_id.to_string(),
            notified.channel.as_str(),
            &notified.address_sealed,
            notified.notified_to,
            notified.next_at,
            notified.is_sent.then_some(now)
        ],
    )
    .await
}
