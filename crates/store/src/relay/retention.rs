//! Retention of envelopes: expired envelopes are removed from the log except for header and hashes.

use std::time::Duration;

use buildtrack_domain::{
    decide::Command,
    relay::retention::{EnvelopesExpired, ExpireEnvelopes, Retention, STREAM},
};
use chrono::{DateTime, TimeDelta, Utc};

use super::Change;
use crate::{
    StoreError,
    database::{Tx, values},
    relay::Relay,
};

impl Relay {
    /// Expires up to `limit` envelopes older than the retention: clears their data and salts on the log, and deletes them from the
    /// read table. Returns whether there may be more.
    pub async fn expire_envelopes(&self, retention: Duration, limit: i64) -> Result<bool, StoreError> {
        let retention = TimeDelta::from_std(retention).unwrap_or(TimeDelta::MAX);
        let recorded_until = self.clock.now().checked_sub_signed(retention).unwrap_or(DateTime::UNIX_EPOCH);
        let positions = self.envelopes_until(recorded_until, limit).await?;
        let Some(up_to) = positions.last().copied() else { return Ok(false) };
        let expired = self
            .log
            .transact::<(), StoreError>(None, async |unit| {
                let state = unit.load::<Retention>(STREAM).await?;
                let Ok(events) = ExpireEnvelopes { up_to, recorded_until }.decide(&state.state);
                if !events.is_empty() {
                    unit.write_side(Change::EnvelopesExpired { positions: positions.clone() });
                }
                unit.append(STREAM, &state, events);
                Ok(())
            })
            .await;
        match expired {
            // Another process expired them at the same time.
            Err(StoreError::Conflict { .. }) => Ok(false),
            expired => expired.map(|_| i64::try_from(positions.len()).is_ok_and(|found| found >= limit)),
        }
    }

    async fn envelopes_until(&self, recorded_until: DateTime<Utc>, limit: i64) -> Result<Vec<i64>, StoreError> {
        self.db
            .all(
                "SELECT position FROM envelopes WHERE recorded_at <= $1 ORDER BY recorded_at, position LIMIT $2",
                values![recorded_until, limit],
            )
            .await
    }
}

/// Clears the envelopes' data on the log. The last event of [`STREAM`] accounts for it.
pub(crate) async fn clear(tx: &mut Tx<'_>, positions: &[i64]) -> Result<(), StoreError> {
    let positions: Vec<_> = positions.iter().map(ToString::to_string).collect();
    let statement = format!(
        "UPDATE events SET data = NULL, salt = NULL, redacted_by = (SELECT max(position) FROM events WHERE stream = $1) \
         WHERE position IN ({}) AND type = 'envelope.accepted' AND data IS NOT NULL",
        positions.join(", ")
    );
    tx.execute(&statement, values![STREAM]).await?;
    Ok(())
}

pub(super) async fn expire(tx: &mut Tx<'_>, expired: &EnvelopesExpired) -> Result<(), StoreError> {
    tx.execute("DELETE FROM envelopes WHERE position <= $1", values![expired.up_to]).await?;
    Ok(())
}
