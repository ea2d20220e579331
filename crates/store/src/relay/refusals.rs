//! Side table of refused envelopes with their reasons, for senders that ask about an envelope. Retention: one day.

use buildtrack_macros::boxed;
use buildtrack_domain::relay::EnvelopeId;
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    database::{Db, Tx, execute, read},
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
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
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
impl Store {
    /// The refusals of envelopes with this id within the last day, latest first.
    pub async fn refusals(&self, id: &EnvelopeId) -> Result<Vec<RefusalView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT reason, error, message, refused_at FROM refusals WHERE envelope_id = $1 AND refused_at > $2 \
                 ORDER BY refused_at DESC, reason",
            )
            .bind(id.as_str())
            .bind(self.clock.now() - RETENTION)
            .fetch_all(pool)
            .await?
        }))
    }
}

pub(crate) async fn write(tx: &mut Tx<'_>, refusal: &NewRefusal, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO refusals (envelope_id, reason, error, message, refused_at) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (envelope_id, reason) DO UPDATE SET error = excluded.error, message = excluded.message, \
         refused_at = excluded.refused_at",
        refusal.envelope_id.as_str(),
        &refusal.reason,
        &refusal.error,
        &refusal.message,
        now,
    );
    Ok(())
}

/// Deletes up to `limit` refusals older than the retention.
pub(crate) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    execute!(
        tx,
        "DELETE FROM refusals WHERE (envelope_id, reason) IN \
         (SELECT envelope_id, reason FROM refusals WHERE refused_at <= $1 ORDER BY refused_at LIMIT $2)",
        now - RETENTION,
        limit,
    );
    Ok(())
}

pub(super) async fn has_expired(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let statement = "SELECT EXISTS (SELECT 1 FROM refusals WHERE refused_at <= $1)";
    Ok(read!(db, |pool| sqlx::query_scalar(statement).bind(now - RETENTION).fetch_one(pool).await?))
}
