//! Side table of refused envelopes with their reasons, for senders that ask about an envelope. Retention: one day.

use buildtrack_domain::relay::EnvelopeId;
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Db, FromRow, Tx, values},
    relay::Relay,
};

/// How long a refusal is stored.
pub(crate) const RETENTION: chrono::TimeDelta = chrono::TimeDelta::days(1);

/// A refused envelope, to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRefusal {
    /// The id that the envelope names.
    pub envelope_id: EnvelopeId,
    /// The problem's kind, for programs.
    pub reason: String,
    /// The protocol's error code.
    pub error: String,
    /// The problem's description, for people.
    pub message: String,
}

/// A recorded refusal.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct RefusalView {
    /// The problem's kind, for programs.
    pub reason: String,
    /// The protocol's error code.
    pub error: String,
    /// The problem's description, for people.
    pub message: String,
    /// When the envelope was last refused for this reason.
    pub refused_at: DateTime<Utc>,
}

#[boxed]
impl Relay {
    /// The refusals of envelopes with this id within the last day, latest first.
    pub async fn refusals(&self, id: &EnvelopeId) -> Result<Vec<RefusalView>, StoreError> {
        self.db
            .all(
                "SELECT reason, error, message, refused_at FROM refusals WHERE envelope_id = $1 AND refused_at > $2 \
                 ORDER BY refused_at DESC, reason",
                values![id.as_str(), self.clock.now() - RETENTION],
            )
            .await
    }
}

pub(crate) async fn write(tx: &mut Tx<'_>, refusal: &NewRefusal, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO refusals (envelope_id, reason, error, message, refused_at) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (envelope_id, reason) DO UPDATE SET error = excluded.error, message = excluded.message, \
         refused_at = excluded.refused_at",
        values![refusal.envelope_id.as_str(), &refusal.reason, &refusal.error, &refusal.message, now],
    )
    .await?;
    Ok(())
}

/// Deletes up to `limit` refusals older than the retention.
pub(crate) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM refusals WHERE (envelope_id, reason) IN \
         (SELECT envelope_id, reason FROM refusals WHERE refused_at <= $1 ORDER BY refused_at LIMIT $2)",
        values![now - RETENTION, limit],
    )
    .await?;
    Ok(())
}

pub(super) async fn has_expired(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let statement = "SELECT EXISTS (SELECT 1 FROM refusals WHERE refused_at <= $1)";
    db.one(statement, values![now - RETENTION]).await
}
