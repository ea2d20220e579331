//! Changes to the side table of the exchange: open conversations.

use buildtrack_domain::ids::ExchangeId;
use chrono::{DateTime, Utc};

use super::conversations::{has_expired_holds, hold, prune_holds, release};
use crate::{
    StoreError,
    database::{Db, Tx},
    side_tables::{Enqueued, Expiry, Rule, SideTable},
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
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::Conversation { .. } => Rule::ROW,
            Self::ConversationEnded { .. } => Rule::ROW.essential(),
        }
    }

    async fn write(tx: &mut Tx<'_>, changes: &[&Self], _: DateTime<Utc>, _: &mut Enqueued) -> Result<(), StoreError> {
        for change in changes {
            match change {
                Self::Conversation { exchange_id, holder, expires_at } => {
                    hold(tx, *exchange_id, holder, *expires_at).await?;
                }
                Self::ConversationEnded { exchange_id } => release(tx, *exchange_id).await?,
            }
        }
        Ok(())
    }
}

pub(crate) async fn prune(tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
    prune_holds(tx, now, expiry.limit).await
}

pub(crate) async fn has_expired(db: &Db, _: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
    has_expired_holds(db, now).await
}
