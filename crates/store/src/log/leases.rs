//! Leases: claims that let one process at a time run a task. They move to another process when their holder is gone.

use std::time::Duration;

use buildtrack_macros::boxed;
use chrono::TimeDelta;

use crate::{StoreError, database::Db, log::Log};

/// The largest difference between two processes' clocks: each differs from the database's by at most a second.
const SKEW: TimeDelta = TimeDelta::seconds(2);

#[boxed]
impl Log {
    /// Acquires or renews a lease. Returns `false` if another process holds it.
    pub async fn lease(&self, name: &str, holder: &str, length: Duration) -> Result<bool, StoreError> {
        let (now, until) = (self.clock.now(), self.clock.after(length));
        let Db::Postgres { reads: pool, .. } = &self.db else {
            // Only one process works on a SQLite file.
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
        // A lease that ends later than a correct clock allows counts as expired.
        .bind(until + SKEW)
        .execute(pool)
        .await?;
        Ok(taken.rows_affected() > 0)
    }

    /// Releases a lease, so that another process can acquire it at once.
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
