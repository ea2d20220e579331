//! Rate limits: how many requests a caller has left, across replicas.
//!
//! With SQLite there is one process, which counts in memory. On PostgreSQL an unlogged table decides. A process takes permits for a
//! fifth of a second at once, so that fast tiers do not need one round trip for each request. Permits that it does not use expire
//! after a second and are lost to the caller, so the sum never exceeds the tier.
//!
//! This process counts by [`Clock::steady`](crate::clock::Clock), which no step of the wall clock affects. The table is counted by
//! the database's time.

pub(crate) mod budgets;
mod subjects;

use std::{collections::HashMap, sync::Arc, time::Duration};

use buildtrack_domain::limits::Quota;
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use serde_json::json;

use self::{
    budgets::Budgets,
    subjects::{Subject, Subjects},
};
use crate::{StoreError, clock::Clock, database::Db, log::Log};
pub use budgets::{BudgetExceeded, Spent};

const LEASE: i64 = 1_000_000_000;
/// How long a row remains in the table after its allowance has recovered: replicas' clocks differ.
const GRACE: i64 = 60_000_000_000;

/// A caller's allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Whether the caller may make this request.
    pub allowed: bool,
    /// Requests left.
    pub remaining: u32,
    /// Time until the full allowance is available.
    pub reset: Duration,
    /// Time until the next request is allowed; zero if it is allowed now.
    pub retry_after: Duration,
}

impl Allowance {
    /// The allowance after the refund of one request.
    pub fn refunded(self, quota: Quota) -> Self {
        let interval = Duration::from_nanos(quota.interval().unsigned_abs());
        Self { remaining: self.remaining.saturating_add(1), reset: self.reset.saturating_sub(interval), ..self }
    }
}

impl Subject {
    /// Decides without the table, if possible.
    fn without_asking(&mut self, quota: Quota, now: i64) -> Option<Allowance> {
        if self.held > 0 && self.held_until > now {
            self.held -= 1;
            return Some(allowance(quota, true, self.tat, self.held, now));
        }
        self.held = 0;
        // The table would refuse too: its TAT never decreases.
        let refused = quota.retry_after(self.tat, now, 1) > 0;
        refused.then(|| allowance(quota, false, self.tat, 0, now))
    }
}

fn allowance(quota: Quota, allowed: bool, tat: i64, held: u32, now: i64) -> Allowance {
    let nanos = |nanos: i64| Duration::from_nanos(nanos.max(0).unsigned_abs());
    let retry_after = if allowed { Duration::ZERO } else { nanos(quota.retry_after(tat, now, 1)) };
    Allowance {
        allowed,
        remaining: quota.remaining(tat, now).saturating_add(held),
        reset: nanos(quota.reset(tat, now)),
        retry_after,
    }
}

/// The allowance at this TAT, without counting a request.
fn uncounted(quota: Quota, tat: i64, now: i64) -> Allowance {
    allowance(quota, quota.retry_after(tat, now, 1) == 0, tat, 0, now)
}

/// How many requests and how much work a caller has left. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Limits {
    db: Db,
    clock: Clock,
    subjects: Arc<Subjects>,
    budgets: Budgets,
}

/// One open resource of a caller. Dropping it releases the resource.
#[derive(Debug)]
pub struct Held {
    subjects: Arc<Subjects>,
    subject: Box<str>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.subjects.close(&self.subject);
    }
}

#[boxed]
impl Limits {
    pub(crate) fn new(log: &Log) -> Self {
        let subjects = Arc::new(Subjects::new());
        Self { db: log.db.clone(), clock: log.clock.clone(), subjects, budgets: Budgets::new() }
    }

    /// Counts one request of an agent or owner against its quota, across replicas.
    pub async fn admit(&self, subject: &str, quota: Quota) -> Result<Allowance, StoreError> {
        let Db::Postgres { reads: pool, .. } = &self.db else { return Ok(self.admit_here(subject, quota)) };
        let now = nanos(self.clock.now());
        if let Some(known) = self.subjects.with(subject, |caller| caller.without_asking(quota, now)) {
            return Ok(known);
        }
        let fifth_of_a_second = quota.requests() / 300;
        for wanted in [fifth_of_a_second, 1] {
            if wanted == 0 {
                continue;
            }
            if let Some(tat) = take(pool, subject, quota, now, wanted).await? {
                // Concurrent requests may have taken permits too: add theirs.
                return Ok(self.subjects.with(subject, |caller| {
                    let held = caller.held + wanted - 1;
                    *caller =
                        Subject { tat: tat.max(quota.counted_from(caller.tat, now)), held, held_until: now + LEASE };
                    allowance(quota, true, caller.tat, held, now)
                }));
            }
        }
        let tat: Option<i64> =
            sqlx::query_scalar("SELECT tat FROM limits WHERE subject = $1").bind(subject).fetch_optional(pool).await?;
        let tat = tat.unwrap_or(now);
        Ok(self.subjects.with(subject, |caller| {
            caller.tat = tat.max(quota.counted_from(caller.tat, now));
            // Concurrent requests may have left some of their permits.
            caller.without_asking(quota, now).unwrap_or_else(|| allowance(quota, false, tat, 0, now))
        }))
    }

    /// Counts one request in this process only: for IP addresses, and for servers with a single process.
    pub fn admit_here(&self, subject: &str, quota: Quota) -> Allowance {
        let now = nanos(self.clock.steady());
        self.subjects.with(subject, |caller| {
            let verdict = quota.check(caller.tat, now, 1);
            caller.tat = verdict.tat;
            allowance(quota, verdict.allowed, verdict.tat, 0, now)
        })
    }

    /// The allowance of each of these agents or owners, without counting a request.
    pub async fn allowances(&self, subjects: &[(String, Quota)]) -> Result<Vec<Allowance>, StoreError> {
        let Db::Postgres { reads: pool, .. } = &self.db else {
            let now = nanos(self.clock.steady());
            let left = |(subject, quota): &(String, Quota)| {
                self.subjects.with(subject, |caller| uncounted(*quota, caller.tat, now))
            };
            return Ok(subjects.iter().map(left).collect());
        };
        let names: Vec<_> = subjects.iter().map(|(subject, _)| subject).collect();
        let listed = self.db.dialect().listed(1);
        let statement = format!("SELECT subject, tat FROM limits WHERE subject IN (SELECT value FROM {listed})");
        let rows: Vec<(String, i64)> =
            sqlx::query_as(&statement).bind(json!(names).to_string()).fetch_all(pool).await?;
        let (tats, now): (HashMap<_, _>, _) = (rows.into_iter().collect(), nanos(self.clock.now()));
        let left =
            |(subject, quota): &(String, Quota)| uncounted(*quota, tats.get(subject).copied().unwrap_or_default(), now);
        Ok(subjects.iter().map(left).collect())
    }

    /// Refunds a request that [`Self::admit`] counted.
    pub async fn refund(&self, subject: &str, quota: Quota) -> Result<(), StoreError> {
        if let Db::Postgres { reads: pool, .. } = &self.db {
            give_back(pool, subject, quota.interval()).await?;
        }
        self.refund_here(subject, quota);
        Ok(())
    }

    /// Refunds a request that [`Self::admit_here`] counted.
    pub fn refund_here(&self, subject: &str, quota: Quota) {
        self.subjects.with(subject, |caller| caller.tat = quota.refund(caller.tat, 1));
    }

    /// The number of subjects that this process counts.
    pub fn counted_here(&self) -> usize {
        self.subjects.len()
    }

    /// Counts one more open resource of a caller in this process; `None` if it already holds `most`.
    pub fn hold_here(&self, subject: &str, most: u32) -> Option<Held> {
        let allowed = self.subjects.open(subject, most);
        allowed.then(|| Held { subjects: Arc::clone(&self.subjects), subject: subject.into() })
    }

    /// Deletes up to `limit` rows of subjects whose allowance has recovered. Returns whether more may remain.
    pub async fn prune(&self, limit: i64) -> Result<bool, StoreError> {
        let Db::Postgres { reads: pool, .. } = &self.db else { return Ok(false) };
        // The outer condition makes PostgreSQL check a row again that another request changes at this moment.
        let pruned = sqlx::query(
            "DELETE FROM limits WHERE tat <= $1 AND subject IN (SELECT subject FROM limits WHERE tat <= $1 LIMIT $2)",
        )
        .bind(nanos(self.clock.now()) - GRACE)
        .bind(limit)
        .execute(pool)
        .await?;
        Ok(i64::try_from(pruned.rows_affected()).unwrap_or(limit) >= limit)
    }
}

fn nanos(time: DateTime<Utc>) -> i64 {
    time.timestamp_nanos_opt().unwrap_or(i64::MAX)
}

/// [`Quota::refund`] of one request as one statement.
async fn give_back(pool: &crate::database::postgres::Pool, subject: &str, interval: i64) -> Result<(), StoreError> {
    let statement = "UPDATE limits SET tat = tat - $2 WHERE subject = $1";
    sqlx::query(statement).bind(subject).bind(interval).execute(pool).await?;
    Ok(())
}

/// [`Quota::check`] as one statement; `None` if the caller has to wait.
async fn take(
    pool: &crate::database::postgres::Pool,
    subject: &str,
    quota: Quota,
    now: i64,
    cost: u32,
) -> Result<Option<i64>, StoreError> {
    Ok(sqlx::query_scalar(
        "INSERT INTO limits (subject, tat) VALUES ($1, $2 + $3) ON CONFLICT (subject) \
         DO UPDATE SET tat = CASE WHEN limits.tat > $2 + $5 THEN $2 ELSE greatest(limits.tat, $2) END + $3 \
         WHERE limits.tat > $2 + $5 OR greatest(limits.tat, $2) + $3 - $2 <= $4 RETURNING tat",
    )
    .bind(subject)
    .bind(now)
    .bind(quota.interval() * i64::from(cost))
    .bind(quota.tolerance())
    .bind(quota.latest())
    .fetch_optional(pool)
    .await?)
}
