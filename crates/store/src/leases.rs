//! Leases: one process at a time does what must be done once. They move when their holder is gone.

use std::time::Duration;

use chrono::TimeDelta;

use crate::{Store, StoreError, db::Db};

/// How far the clocks of two processes may be apart: each is held to the database's, a second away at most.
const SKEW: TimeDelta = TimeDelta::seconds(2);

impl Store {
    /// Takes or renews a lease; false where somebody else holds it.
    pub async fn lease(&self, name: &str, holder: &str, length: Duration) -> Result<bool, StoreError> {
        let (now, until) = (self.clock.now(), self.clock.after(length));
        let Db::Postgres { reads: pool, .. } = &self.db else {
            // One process owns a SQLite file's work.
            return Ok(true);
        };
        let taken = sqlx::query(
            "INSERT INTO leases (name, holder, until) VALUES ($1, $2, $3) ON CONFLICT (name) \
             DO UPDATE SET holder = excluded.holder, until = excluded.until \
             WHERE leases.holder = excluded.holder OR leases.until <= $4 OR leases.until > $5",
        )
        .bind(name)
        .bind(holder)
        .bind(until)
        .bind(now)
        // Later than any process could have set it by a right clock: it counts as over.
        .bind(until + SKEW)
        .execute(pool)
        .await?;
        Ok(taken.rows_affected() > 0)
    }

    /// Gives a lease back, so that somebody else can go on at once.
    pub async fn release(&self, name: &str, holder: &str) -> Result<(), StoreError> {
        if let Db::Postgres { reads: pool, .. } = &self.db {
            sqlx::query("DELETE FROM leases WHERE name = $1 AND holder = $2")
                .bind(name)
                .bind(holder)
                .execute(pool)
                .await?;
        }
        Ok(())
    }
}
