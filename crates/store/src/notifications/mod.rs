//! Side table of the channels by which owners are notified, and the digests of what they are told.
//!
//! **Invariant:** the address of a chat is sealed. **Invariant:** the outcome of an attempt counts only for the address that the
//! attempt was made with.

mod digests;
mod side_tables;

use buildtrack_domain::{
    ids::OwnerId,
    notifications::{Channel, Setting, StopReason},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    clock::Clock,
    database::{Db, FromRow, columns::parse, values},
    log::{Log, context::Context},
};

pub use side_tables::{Change, NewChannel, Notified};

/// What the context declares to the log.
pub(crate) const CONTEXT: Context = Context::EMPTY;

/// How owners are notified. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Notifications {
    db: Db,
    clock: Clock,
}

impl Notifications {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), clock: log.clock.clone() }
    }
}

/// A channel, as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelView {
    /// The channel with its setting.
    pub setting: Setting,
    /// The address of a chat, sealed; empty for mail, and once the server has turned the channel off.
    pub address_sealed: String,
    /// When the owner was last told something.
    pub notified_at: Option<DateTime<Utc>>,
    /// Failed attempts since the last success.
    pub failures: i64,
    /// Why the last attempt failed.
    pub failure: Option<String>,
    /// Why the server has turned the channel off, if it has.
    pub stopped: Option<StopReason>,
}

/// A channel by which something may have to be told now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueChannel {
    /// The owner.
    pub owner_id: OwnerId,
    /// The channel with its setting.
    pub setting: Setting,
    /// The address of a chat, sealed; empty for mail.
    pub address_sealed: String,
    /// The position up to which the owner was told.
    pub notified_to: i64,
    /// Failed attempts since the last success.
    pub failures: i64,
}

#[derive(FromRow)]
struct ChannelRow {
    channel: String,
    setting: String,
    address_sealed: String,
    #[column(name = "told_at")]
    notified_at: Option<DateTime<Utc>>,
    failures: i64,
    failure: Option<String>,
    stopped: Option<String>,
}

impl ChannelRow {
    fn view(self) -> Result<ChannelView, StoreError> {
        let Self { channel, setting, address_sealed, notified_at, failures, failure, stopped } = self;
        let stopped = stopped.map(|reason| parse(&reason)).transpose()?;
        Ok(ChannelView {
            setting: read_setting(&channel, &setting)?,
            address_sealed,
            notified_at,
            failures,
            failure,
            stopped,
        })
    }
}

fn read_setting(channel: &str, setting: &str) -> Result<Setting, StoreError> {
    let channel: Channel = parse(channel)?;
    let damaged = |_| StoreError::Damaged(format!("{setting:?} is not a setting of notifications"));
    Setting::of(channel, setting).map_err(damaged)
}

/// Unread items of the owner and the owner's agents beyond the position up to which the owner was told.
const HAS_NEWS: &str = "EXISTS (SELECT 1 FROM inbox WHERE recipient_id = due.owner_id AND inbox.position > due.told_to \
     AND NOT read UNION ALL SELECT 1 FROM agents CROSS JOIN inbox WHERE agents.owner_id = due.owner_id \
     AND recipient_id = agents.id AND inbox.position > due.told_to AND NOT read)";

#[boxed]
impl Notifications {
    /// The channels that an owner has set, at most one of each kind.
    pub async fn channels(&self, owner_id: OwnerId) -> Result<Vec<ChannelView>, StoreError> {
        let rows: Vec<ChannelRow> = self
            .db
            .all(
                "SELECT channel, setting, address_sealed, told_at, failures, failure, stopped FROM notification_channels \
                 WHERE owner_id = $1 ORDER BY channel",
                values![owner_id.to_string()],
            )
            .await?;
        rows.into_iter().map(ChannelRow::view).collect()
    }

    /// Channels of one kind that are due and have something new, the longest waiting first. Those of suspended and deleted owners
    /// are left out.
    pub async fn due(&self, channel: Channel, limit: i64) -> Result<Vec<DueChannel>, StoreError> {
        let statement = format!(
            "SELECT owner_id, channel, setting, address_sealed, told_to, failures FROM notification_channels AS due \
             WHERE channel = $1 AND next_at <= $2 AND EXISTS (SELECT 1 FROM owners WHERE owners.id = due.owner_id \
             AND NOT suspended AND NOT deleted) AND {HAS_NEWS} ORDER BY next_at, owner_id LIMIT $3"
        );
        let rows: Vec<(String, String, String, String, i64, i64)> =
            self.db.all(&statement, values![channel.as_str(), self.clock.now(), limit]).await?;
        let due =
            |(owner_id, channel, setting, address_sealed, notified_to, failures): (String, String, String, _, _, _)| {
                let setting = read_setting(&channel, &setting)?;
                Ok(DueChannel { owner_id: parse(&owner_id)?, setting, address_sealed, notified_to, failures })
            };
        rows.into_iter().map(due).collect()
    }
}
