//! Leased tasks: background work that one process at a time does, in steps. When the process that holds the lease is gone,
//! another takes over.
//!
//! A task is a type that implements [`LeasedTask`], and one line in the worker's list of parts. [`run`] acquires the lease,
//! renews it while the steps run, logs and counts failures, and releases it at the stop. **Invariant:** a step ends when its
//! lease is lost or cannot be renewed before it expires. A step that runs on a thread of its own runs to its end there, so
//! what a task writes must be refused, or harmless, if another process has written the same.

use std::{fmt::Display, time::Duration};

use buildtrack_store::{Store, StoreError};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::pause::{BACK_OFF, pause};

/// Renewals within the length of a lease.
const RENEWALS: u32 = 5;

/// The lease of a task, and the pauses between its steps.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Name of the lease, by which logs and metrics name the task.
    pub lease: &'static str,
    /// Length of the lease: how long after the death of its holder another process takes over.
    pub length: Duration,
    /// Pause after a step that left nothing to do, and after a failure.
    pub period: Duration,
    /// How often a process without the lease asks for it.
    pub poll: Duration,
}

impl Schedule {
    /// Polls for work once in each `period`.
    pub const fn every(period: Duration, lease: &'static str, length: Duration) -> Self {
        Self { lease, length, period, poll: period }
    }

    /// Follows the log: the steps themselves wait for work. A process without the lease asks for it once in each `poll`.
    pub const fn following(lease: &'static str, length: Duration, poll: Duration) -> Self {
        Self { lease, length, period: BACK_OFF, poll }
    }
}

/// When the next step of a task begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// At once: there is more to do.
    Now,
    /// After a pause in which other writers get their turn.
    After(Duration),
    /// After the task's period: nothing is left to do.
    Idle,
}

impl Next {
    /// At once if there is more to do.
    pub fn now_if(more: bool) -> Self {
        if more { Self::Now } else { Self::Idle }
    }
}

/// Background work in steps.
pub trait LeasedTask: Send {
    /// Why a step fails.
    type Error: Display + Send;

    /// The task's lease and pauses.
    const SCHEDULE: Schedule;

    /// Does a part of the work. It may be dropped at any `await` when the lease is lost. At the stop it is awaited, so a step
    /// that takes long ends itself when `stop` is cancelled.
    fn step(&mut self, stop: &CancellationToken) -> impl Future<Output = Result<Next, Self::Error>> + Send;
}

/// Runs a task until `stop`, whenever this process holds its lease.
pub async fn run<T: LeasedTask>(store: Store, mut task: T, stop: CancellationToken) {
    let lease = Lease { holder: store.log().clock().uuid().to_string(), store, schedule: T::SCHEDULE };
    let Schedule { lease: task_name, period, poll, .. } = T::SCHEDULE;
    while !stop.is_cancelled() {
        let asked_at = Instant::now();
        match lease.acquire().await {
            Ok(true) => tokio::select! {
                () = run_steps(&mut task, &lease, &stop) => {}
                () = lease.keep(asked_at) => tracing::info!(task = task_name, "this process has lost the lease of a background task"),
            },
            Ok(false) => pause(poll, &stop).await,
            Err(error) => {
                lease.report(&error);
                pause(period, &stop).await;
            }
        }
    }
    lease.release().await;
}

async fn run_steps<T: LeasedTask>(task: &mut T, lease: &Lease, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        let wait = match task.step(stop).await {
            Ok(Next::Now) => continue,
            Ok(Next::After(wait)) => wait,
            Ok(Next::Idle) => T::SCHEDULE.period,
            Err(error) => {
                lease.report(&error);
                T::SCHEDULE.period
            }
        };
        pause(wait, stop).await;
    }
}

/// The lease of a task, for one holder.
struct Lease {
    store: Store,
    holder: String,
    schedule: Schedule,
}

impl Lease {
    /// Acquires or renews the lease. False if another process holds it.
    async fn acquire(&self) -> Result<bool, StoreError> {
        self.store.log().lease(self.schedule.lease, &self.holder, self.schedule.length).await
    }

    /// Renews the lease, which was acquired at `renewed_at` or later. Returns when it is lost or has expired.
    async fn keep(&self, mut renewed_at: Instant) {
        while let Ok(Some(asked_at)) = timeout_at(renewed_at + self.schedule.length, self.renew()).await {
            renewed_at = asked_at;
        }
    }

    /// Renews the lease after a part of its length, retrying until the database answers. Returns when it was asked; `None` if
    /// another process holds the lease.
    async fn renew(&self) -> Option<Instant> {
        loop {
            sleep(self.schedule.length / RENEWALS).await;
            let asked_at = Instant::now();
            match self.acquire().await {
                Ok(is_held) => return is_held.then_some(asked_at),
                Err(error) => self.report(&error),
            }
        }
    }

    /// Logs and counts a failure of the task or of the database.
    fn report(&self, error: &impl Display) {
        let task = self.schedule.lease;
        tracing::warn!(task, %error, "a background task failed; the worker retries");
        metrics::counter!("buildtrack_task_failures_total", "task" => task).increment(1);
    }

    async fn release(&self) {
        if let Err(error) = self.store.log().release(self.schedule.lease, &self.holder).await {
            tracing::debug!(task = self.schedule.lease, %error, "a lease could not be released; it expires");
        }
    }
}
