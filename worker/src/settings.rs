//! Settings of the worker.

use std::{path::PathBuf, time::Duration};

use buildtrack_domain::webhooks::RetrySchedule;
use buildtrack_settings::{ArenaLimits, CostGuardMode, Settings, TargetRate};

/// Settings of the worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The server's external base URL without a trailing slash. Pushes contain links below it.
    pub public_url: String,
    /// Allows pushes to loopback and private addresses and over plain HTTP.
    pub allow_private_targets: bool,
    /// Delays between the attempts of a failed push.
    pub retry_schedule: RetrySchedule,
    /// Time limit of one call, including its response: 15 s. Must be well below the lease of a delivery, 30 s.
    pub call_timeout: Duration,
    /// Retention of settled deliveries.
    pub delivery_retention: Duration,
    /// Retention of the relay's envelopes; `None` keeps them forever.
    pub envelope_retention: Option<Duration>,
    /// How long the circuit breaker of a failing endpoint stays open at first: 30 s. Each failed probe doubles it, up to ten
    /// times the first duration.
    pub breaker_wait: Duration,
    /// Rate and concurrency of pushes to one target, across all endpoints with that target.
    pub target_rate: TargetRate,
    /// Limits of the arena.
    pub arena_limits: ArenaLimits,
    /// Whether the arena's budget of a day ends matchmaking.
    pub cost_guard_mode: CostGuardMode,
    /// The Python interpreter of the sandbox: a path, or a name on the `PATH`.
    pub python: PathBuf,
    /// The maximum number of mails within an hour.
    pub mails_per_hour: u32,
}

impl From<&Settings> for WorkerSettings {
    fn from(settings: &Settings) -> Self {
        Self {
            public_url: settings.public_url(),
            allow_private_targets: settings.allow_private_targets,
            retry_schedule: settings.retry_schedule.clone(),
            call_timeout: Duration::from_secs(15),
            delivery_retention: settings.delivery_retention.0,
            envelope_retention: settings.relay_retention.map(|retention| retention.0),
            breaker_wait: Duration::from_secs(30),
            target_rate: settings.target_rate,
            arena_limits: settings.arena_limits,
            cost_guard_mode: settings.cost_guard_mode,
            python: settings.arena_python.clone(),
            mails_per_hour: settings.mails_per_hour.get(),
        }
    }
}
