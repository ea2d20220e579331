//! Side table of presence: which agents of the relay are available. Not on the log.

use buildtrack_domain::relay::{Did, directory::Availability};
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};

use super::Change;
use crate::{
    StoreError,
    database::{Tx, values},
    relay::Relay,
};

/// A repetition of the same status within this time is not written.
const REST: TimeDelta = TimeDelta::seconds(10);

/// A presence message of an agent of the relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPresence {
    /// The agent's did.
    pub did: Did,
    /// Its status.
    pub availability: Availability,
    /// When the agent signed it, by the agent's clock.
    pub signed_at: DateTime<Utc>,
}

#[boxed]
impl Relay {
    /// Records an agent's presence, at most once in ten seconds unless the status changes. False where a message with the same or a
    /// later timestamp was recorded before: this one may be a replay by an eavesdropper.
    pub async fn seen(&self, presence: NewPresence) -> Result<bool, StoreError> {
        let last: Option<(String, DateTime<Utc>, DateTime<Utc>)> = self
            .db
            .optional("SELECT status, signed_at, seen_at FROM presences WHERE did = $1", values![presence.did.as_str()])
            .await?;
        if let Some((status, signed_at, seen_at)) = last {
            if presence.signed_at <= signed_at {
                return Ok(false);
            }
            if status == presence.availability.as_str() && self.clock.now() - seen_at < REST {
                return Ok(true);
            }
        }
        self.log.write_side([Change::Seen(Box::new(presence))]).await?;
        Ok(true)
    }
}

/// Keeps the message that was signed last, in any order of arrival.
pub(crate) async fn write(tx: &mut Tx<'_>, presence: &NewPresence, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO presences (did, status, signed_at, seen_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (did) DO UPDATE SET status = excluded.status, signed_at = excluded.signed_at, \
         seen_at = excluded.seen_at WHERE presences.signed_at < excluded.signed_at",
        values![presence.did.as_str(), presence.availability.as_str(), presence.signed_at, now],
    )
    .await?;
    Ok(())
}
