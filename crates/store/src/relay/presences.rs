//! Who is there: kept, and not on the log.

use buildtrack_domain::relay::{Did, directory::Availability};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    Kept, Store, StoreError,
    db::{Tx, execute, read},
};

/// What was said less than so long ago is not written once more, unless it is something else.
const REST: TimeDelta = TimeDelta::seconds(10);

/// An agent of the relay has said that it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPresence {
    /// Who.
    pub did: Did,
    /// How far.
    pub availability: Availability,
    /// When it was signed, as the agent says.
    pub signed_at: DateTime<Utc>,
}

impl Store {
    /// Notes that an agent is there, at most once in ten seconds unless it says something else. False where something as new,
    /// or newer, was said before: it may come from somebody who has listened.
    pub async fn seen(&self, presence: NewPresence) -> Result<bool, StoreError> {
        let last: Option<(String, DateTime<Utc>, DateTime<Utc>)> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT status, signed_at, seen_at FROM presences WHERE did = $1")
                .bind(presence.did.as_str())
                .fetch_optional(pool)
                .await?
        });
        if let Some((status, signed_at, seen_at)) = last {
            if presence.signed_at <= signed_at {
                return Ok(false);
            }
            if status == presence.availability.as_str() && self.clock.now() - seen_at < REST {
                return Ok(true);
            }
        }
        self.keep(vec![Kept::Seen(Box::new(presence))]).await?;
        Ok(true)
    }
}

/// What was signed later stays, in whichever order they come.
pub(crate) async fn write(tx: &mut Tx<'_>, presence: &NewPresence, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO presences (did, status, signed_at, seen_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (did) DO UPDATE SET status = excluded.status, signed_at = excluded.signed_at, \
         seen_at = excluded.seen_at WHERE presences.signed_at < excluded.signed_at",
        presence.did.as_str(),
        presence.availability.as_str(),
        presence.signed_at,
        now,
    );
    Ok(())
}
