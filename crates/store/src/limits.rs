//! How many requests a caller has left, across replicas.
//!
//! With SQLite there is one process, and memory is enough. On PostgreSQL a table that is not logged decides; a process
//! takes a fifth of a second's worth of requests at once, so that fast tiers do not cost a round trip each. What it
//! does not use is lost to the caller after a second: the sum never exceeds the tier.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use buildtrack_domain::limits::Quota;

use crate::{Store, StoreError, db::Db};

const LEASE: i64 = 1_000_000_000;
/// Beyond so many callers, those whose allowance is whole again are forgotten.
const CALLERS: usize = 10_000;

/// What a caller may still do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Whether this request may go on.
    pub allowed: bool,
    /// Requests left.
    pub remaining: u32,
    /// Until all of them are there again.
    pub reset: Duration,
    /// Until one more is there; zero where one is.
    pub retry_after: Duration,
}

#[derive(Debug, Clone, Copy, Default)]
struct Caller {
    tat: i64,
    /// Requests taken from the table and not used yet.
    held: u32,
    held_until: i64,
    /// What it holds open, see [`Store::hold_here`].
    open: u32,
}

impl Caller {
    /// What can be said without the table, if anything.
    fn without_asking(&mut self, quota: Quota, now: i64) -> Option<Allowance> {
        if self.held > 0 && self.held_until > now {
            self.held -= 1;
            return Some(allowance(quota, true, self.tat, self.held, now));
        }
        self.held = 0;
        // The table would refuse too: its TAT never goes back.
        let refused = quota.retry_after(self.tat, now, 1) > 0;
        refused.then(|| allowance(quota, false, self.tat, 0, now))
    }
}

/// What this process remembers of callers.
#[derive(Debug)]
pub(crate) struct Limits(Mutex<HashMap<String, Caller>>);

impl Limits {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(HashMap::new()))
    }

    fn with<T>(&self, subject: &str, now: i64, change: impl FnOnce(&mut Caller) -> T) -> T {
        let mut callers = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if callers.len() >= CALLERS && !callers.contains_key(subject) {
            callers.retain(|_, caller| caller.tat > now || caller.held_until > now || caller.open > 0);
        }
        if let Some(caller) = callers.get_mut(subject) {
            return change(caller);
        }
        change(callers.entry(subject.to_owned()).or_default())
    }
}

fn allowance(quota: Quota, allowed: bool, tat: i64, held: u32, now: i64) -> Allowance {
    let nanos = |nanos: i64| Duration::from_nanos(nanos.max(0).unsigned_abs());
    let retry_after = if allowed { Duration::ZERO } else { nanos(quota.retry_after(tat, now, 1)) };
    Allowance {
        allowed,
        remaining: quota.remaining(tat, now).saturating_add(held),
        reset: nanos(tat - now),
        retry_after,
    }
}

/// One of the things that a caller holds open; it holds one less when this ends.
#[derive(Debug)]
pub struct Held {
    limits: Arc<Limits>,
    subject: Box<str>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.limits.with(&self.subject, 0, |caller| caller.open = caller.open.saturating_sub(1));
    }
}

impl Store {
    /// Counts one request of an agent or owner against its quota, across replicas.
    pub async fn admit(&self, subject: &str, quota: Quota) -> Result<Allowance, StoreError> {
        let Db::Postgres(pool) = &self.db else { return Ok(self.admit_here(subject, quota)) };
        let now = self.nanos();
        if let Some(known) = self.limits.with(subject, now, |caller| caller.without_asking(quota, now)) {
            return Ok(known);
        }
        let fifth_of_a_second = quota.requests() / 300;
        for wanted in [fifth_of_a_second, 1] {
            if wanted == 0 {
                continue;
            }
            if let Some(tat) = take(pool, subject, quota, now, wanted).await? {
                // Others may have taken some at the same moment: theirs are not lost.
                return Ok(self.limits.with(subject, now, |caller| {
                    let held = caller.held + wanted - 1;
                    *caller = Caller { tat: tat.max(caller.tat), held, held_until: now + LEASE, ..*caller };
                    allowance(quota, true, caller.tat, held, now)
                }));
            }
        }
        let tat: i64 =
            sqlx::query_scalar("SELECT tat FROM limits WHERE subject = $1").bind(subject).fetch_one(pool).await?;
        Ok(self.limits.with(subject, now, |caller| {
            caller.tat = tat.max(caller.tat);
            // Those who asked before this one may have left some of theirs.
            caller.without_asking(quota, now).unwrap_or_else(|| allowance(quota, false, tat, 0, now))
        }))
    }

    /// Counts one request in this process only: for addresses, and where there is only one process.
    pub fn admit_here(&self, subject: &str, quota: Quota) -> Allowance {
        let now = self.nanos();
        self.limits.with(subject, now, |caller| {
            let verdict = quota.check(caller.tat, now, 1);
            caller.tat = verdict.tat;
            allowance(quota, verdict.allowed, verdict.tat, 0, now)
        })
    }

    /// Lets a caller hold one thing more open in this process; none where it holds as many as it may.
    pub fn hold_here(&self, subject: &str, most: u32) -> Option<Held> {
        let allowed = self.limits.with(subject, self.nanos(), |caller| {
            let allowed = caller.open < most;
            caller.open += u32::from(allowed);
            allowed
        });
        allowed.then(|| Held { limits: Arc::clone(&self.limits), subject: subject.into() })
    }

    fn nanos(&self) -> i64 {
        self.clock.now().timestamp_nanos_opt().unwrap_or(i64::MAX)
    }
}

/// [`Quota::check`] as one statement; none where the caller has to wait.
async fn take(
    pool: &sqlx::PgPool,
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
