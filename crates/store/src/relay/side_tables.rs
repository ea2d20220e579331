//! Changes to the side tables of the relay: presences and refusals.

use chrono::{DateTime, Utc};

use super::{NewPresence, NewRefusal, presences, refusals, retention};
use crate::{
    StoreError,
    database::{Db, Tx},
    log::context::{Enqueued, Expiry, Rule, SideTable},
};

/// One change to a side table of the relay.
#[derive(Debug, Clone)]
pub enum Change {
    /// Record that an agent of the relay was seen.
    Seen(Box<NewPresence>),
    /// Store why an envelope was refused.
    Refused(Box<NewRefusal>),
    /// Delete data and salts of these envelopes from the log. An event of the same commit accounts for them.
    EnvelopesExpired {
        /// The envelopes' positions.
        positions: Vec<i64>,
    },
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::Seen(_) | Self::Refused(_) => Rule::ROW,
            Self::EnvelopesExpired { .. } => Rule::ROW.removing_texts(),
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
            Self::Seen(presence) => presences::write(tx, presence, now).await,
            Self::Refused(refusal) => refusals::write(tx, refusal, now).await,
            Self::EnvelopesExpired { positions } => retention::clear(tx, positions).await,
        }
    }
}

pub(crate) async fn prune(tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
    refusals::prune(tx, now, expiry.limit).await
}

pub(crate) async fn has_expired(db: &Db, _: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
    refusals::has_expired(db, now).await
}
