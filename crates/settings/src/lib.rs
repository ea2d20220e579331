//! Settings of every process: defaults, then a file, then the environment.
//!
//! The file is `buildtrack.toml` in the working directory, or the one that `BUILDTRACK_CONFIG` names. Its keys are the fields
//! of [`Settings`]. The environment variable of a key is its upper-case name with the prefix `BUILDTRACK_`, except for
//! `DATABASE_URL` and `AMQP_URL`. **Invariant:** an unknown key is an error, and no secret is ever printed.

mod arena;
mod budgets;
mod defaults;
mod error;
pub mod exit;
mod known;
mod log_format;
mod mail;
mod python;
mod rates;
mod reading;
mod registration;
mod retention;
mod secret;
mod targets;
mod tasks;
mod values;

use std::{
    net::{IpAddr, SocketAddr},
    num::{NonZeroU16, NonZeroU32},
    path::PathBuf,
};

use buildtrack_domain::{exchange::conversations::Timing, relay::Timeouts, webhooks::RetrySchedule};
use buildtrack_store::{Database, StorageLimits};
use chrono::TimeDelta;
use ipnet::IpNet;
use serde::Deserialize;
use url::Url;

pub use arena::{ArenaLimits, CostGuardMode, InvalidArenaLimit};
pub use budgets::{ByteSize, RelayBudgets};
pub use error::SettingsError;
pub use known::{KNOWN, Known, help};
pub use log_format::LogFormat;
pub use mail::SmtpUrl;
pub use python::python;
pub use rates::RateLimits;
pub use reading::{Fault, Faults};
pub use registration::Registration;
pub use retention::Retention;
pub use secret::{check_secret, secret};
pub use targets::TargetRate;
pub use tasks::{OwnTasks, TaskFolderFault, TaskFolderFaults, bank, bank_with, own_tasks};
use values::{networks, optional, parsed, switch};

/// All settings. Every value can be given as text, as in the environment; the file may also use numbers and booleans.
#[derive(Clone, Deserialize)]
// Only for tests: settings contain secrets.
#[cfg_attr(test, derive(Debug))]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent switch")]
pub struct Settings {
    /// Address and port to listen on: `127.0.0.1:8080`.
    #[serde(deserialize_with = "parsed")]
    pub bind: SocketAddr,
    /// External base URL of the server, without a path; by default `http://` and [`Settings::bind`].
    #[serde(deserialize_with = "optional")]
    pub public_url: Option<Url>,
    /// Folder of the SQLite database and the server's secret: `./data`.
    pub data_dir: PathBuf,
    /// A `postgres://` URL. Without it, SQLite in [`Settings::data_dir`] is used.
    pub database_url: Option<String>,
    /// An `amqp://` URL of RabbitMQ, which transports event notices to the workers. Requires [`Settings::database_url`].
    pub amqp_url: Option<String>,
    /// The secret: at least 32 characters, the same for all processes. Required with PostgreSQL; otherwise created in
    /// [`Settings::data_dir`].
    pub secret: Option<String>,
    /// Rate limits in requests a minute:
    /// `free=15,pro=60,enterprise=300,anonymous=60,login=10,login_account=30,relay=60,relay_address=1200,exchange=60`.
    /// Omitted limits keep their defaults.
    #[serde(deserialize_with = "parsed")]
    pub rate_limits: RateLimits,
    /// Proxies (addresses or networks, separated by commas) whose `X-Forwarded-For` header is trusted for the caller's
    /// address.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// Who may create an account: `open`, `invite` or `closed`.
    #[serde(deserialize_with = "parsed")]
    pub registration: Registration,
    /// Maximum number of active agents of an owner, unless `buildtrack admin set-agent-limit` sets another.
    #[serde(deserialize_with = "parsed")]
    pub agents_per_owner: NonZeroU32,
    /// Maximum number of agents that an owner registers within 24 hours, including deactivated ones. Never less than the
    /// owner's limit of active agents.
    #[serde(deserialize_with = "parsed")]
    pub agents_per_day: NonZeroU32,
    /// The SMTP server for outgoing mail. Without it, no mail is sent or required.
    #[serde(deserialize_with = "optional")]
    pub smtp_url: Option<SmtpUrl>,
    /// The sender address of mail: `Buildtrack <build@example.org>`. Required with [`Settings::smtp_url`].
    pub mail_from: Option<String>,
    /// Maximum number of messages an hour, to all recipients together.
    #[serde(deserialize_with = "parsed")]
    pub mails_per_hour: NonZeroU32,
    /// Allows pushes to loopback and private addresses and over plain HTTP. For development and tests.
    #[serde(deserialize_with = "switch")]
    pub allow_private_targets: bool,
    /// Seconds between the attempts of a push, separated by commas.
    #[serde(deserialize_with = "parsed")]
    pub retry_schedule: RetrySchedule,
    /// Limits of pushes to one target, across all its endpoints: `rate=200,unverified=2` a second and
    /// `concurrency=128,unverified_concurrency=4` at a time; `growth=10` is how far the rate grows. Omitted limits keep their
    /// defaults.
    #[serde(deserialize_with = "parsed")]
    pub target_rate: TargetRate,
    /// Retention of a settled delivery with its attempts: `30d`.
    #[serde(deserialize_with = "parsed")]
    pub delivery_retention: Retention,
    /// Whether `buildtrack` runs the background worker: `on`, or `off` if `buildtrack-worker` runs.
    #[serde(deserialize_with = "switch")]
    pub worker: bool,
    /// Maximum number of live streams of a server.
    #[serde(deserialize_with = "parsed")]
    pub live_streams: usize,
    /// Maximum number of live streams of one IPv4 address or /64 IPv6 network. A /48 network may hold eight times as many.
    #[serde(deserialize_with = "parsed")]
    pub live_streams_per_address: u32,
    /// Maximum number of live streams of one owner with all agents.
    #[serde(deserialize_with = "parsed")]
    pub live_streams_per_owner: u32,
    /// Maximum number of live streams of one agent.
    #[serde(deserialize_with = "parsed")]
    pub live_streams_per_agent: u32,
    /// Maximum number of long polls (requests with `wait`) of a server.
    #[serde(deserialize_with = "parsed")]
    pub waiting: usize,
    /// Maximum number of long polls of one IPv4 address or /64 IPv6 network. A /48 network may hold twice as many.
    #[serde(deserialize_with = "parsed")]
    pub waiting_per_network: u32,
    /// Maximum number of long polls of one owner with all agents.
    #[serde(deserialize_with = "parsed")]
    pub waiting_per_owner: u32,
    /// Maximum number of long polls of one agent.
    #[serde(deserialize_with = "parsed")]
    pub waiting_per_agent: u32,
    /// Number of passwords hashed at the same time; each takes a core and 19 MiB.
    #[serde(deserialize_with = "parsed")]
    pub password_hashes: NonZeroU16,
    /// Maximum number of passwords waiting to be hashed.
    #[serde(deserialize_with = "parsed")]
    pub password_queue: u16,
    /// Maximum number of waiting passwords of one IPv4 address or /64 IPv6 network.
    #[serde(deserialize_with = "parsed")]
    pub password_queue_per_network: u16,
    /// Seconds after which the server ends a live stream, so that its client reconnects.
    #[serde(deserialize_with = "parsed")]
    pub live_age: NonZeroU32,
    /// Maximum number of positions behind the head of the log at which a live stream may start.
    #[serde(deserialize_with = "parsed")]
    pub live_reach: u32,
    /// Seconds without an event after which a live stream sends a keep-alive comment.
    #[serde(deserialize_with = "parsed")]
    pub live_keep_alive: NonZeroU16,
    /// Seconds that a REQUEST at the relay waits for an OFFER, unless the REQUEST sets another time.
    #[serde(deserialize_with = "parsed")]
    pub relay_offer_timeout: NonZeroU32,
    /// Seconds that an ACCEPT at the relay waits for the RESULT, unless both sides agreed on a deadline.
    #[serde(deserialize_with = "parsed")]
    pub relay_result_timeout: NonZeroU32,
    /// Budgets of the relay in bytes a day and registrations an hour:
    /// `sender=64MiB,network=256MiB,server=8GiB,registrations=100`. Omitted budgets keep their defaults.
    #[serde(deserialize_with = "parsed")]
    pub relay_budgets: RelayBudgets,
    /// Retention of envelopes, such as `90d`; without it they are kept forever. Their headers and hashes always stay.
    #[serde(deserialize_with = "optional")]
    pub relay_retention: Option<Retention>,
    /// Limits of the arena: matches of a day (UTC), of an agent, of an owner's agents and of a pair in 24 hours, seconds of rest, and
    /// seconds between matches with the sparring bot:
    /// `matches=5000,agent_matches=200,owner_matches=500,pair_matches=5,rest=300,sparring=600`. Omitted limits keep their
    /// defaults.
    #[serde(deserialize_with = "parsed")]
    pub arena_limits: ArenaLimits,
    /// Whether the arena's budget of a day ends matchmaking: `enforce`, or `observe`.
    #[serde(deserialize_with = "parsed")]
    pub cost_guard_mode: CostGuardMode,
    /// The Python interpreter of the sandbox for answers: a path, or a name on the `PATH`.
    pub arena_python: PathBuf,
    /// Folder of the operator's own tasks; by default `tasks` in [`Settings::data_dir`].
    pub arena_tasks_dir: Option<PathBuf>,
    /// Free bytes on the data directory's file system below which writes are refused: `256MiB`. `0` disables the check.
    #[serde(deserialize_with = "parsed")]
    pub disk_floor: ByteSize,
    /// Size of the PostgreSQL database in bytes above which writes are refused; without it there is no limit.
    #[serde(deserialize_with = "optional")]
    pub database_ceiling: Option<ByteSize>,
    /// Seconds that a conversation of the two-party exchange waits for its next request.
    #[serde(deserialize_with = "parsed")]
    pub exchange_lifetime: NonZeroU32,
    /// Seconds that a request of the two-party exchange waits for its response.
    #[serde(deserialize_with = "parsed")]
    pub exchange_deadline: NonZeroU16,
    /// Allows the two-party exchange over plain HTTP from other machines.
    #[serde(deserialize_with = "switch")]
    pub exchange_insecure: bool,
    /// Enables `POST /seed`, which fills the relay with demonstration data.
    #[serde(deserialize_with = "switch")]
    pub demo: bool,
    /// Address and port of `/metrics` of `buildtrack-worker`; without it there are no metrics.
    #[serde(deserialize_with = "optional")]
    pub metrics_bind: Option<SocketAddr>,
    /// The log filter, in the syntax of `tracing`'s `EnvFilter`: by default `info`, but only warnings for PostgreSQL's
    /// notices.
    pub log: String,
    /// The format of log lines: `text` or `json`.
    #[serde(deserialize_with = "parsed")]
    pub log_format: LogFormat,
}

impl Settings {
    /// Reads the file, if there is one, and the environment of this process.
    pub fn load() -> Result<Self, SettingsError> {
        Self::read(std::env::vars())
    }

    /// Reads the file, if there is one, and the given environment.
    pub fn read(environment: impl IntoIterator<Item = (String, String)>) -> Result<Self, SettingsError> {
        reading::read(reading::given(environment)?).map_err(SettingsError::Invalid)
    }

    /// Every environment variable with its value in force in this process, without secrets.
    pub fn in_force() -> Result<Vec<(String, String)>, SettingsError> {
        reading::given(std::env::vars()).map(|given| reading::in_force(&given))
    }

    /// The database that the settings select.
    pub fn database(&self) -> Database {
        match &self.database_url {
            Some(url) => Database::Postgres(url.clone()),
            None => Database::Sqlite(self.data_dir.join("buildtrack.sqlite")),
        }
    }

    /// The folder of the operator's own tasks.
    pub fn tasks_dir(&self) -> PathBuf {
        self.arena_tasks_dir.clone().unwrap_or_else(|| self.data_dir.join("tasks"))
    }

    /// The server's external base URL without a trailing slash.
    pub fn public_url(&self) -> String {
        match &self.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", self.bind),
        }
    }

    /// The path of the base URL without a trailing slash: empty for a server that has its host for itself.
    pub fn base_path(&self) -> &str {
        self.public_url.as_ref().map_or("", |url| url.path().trim_end_matches('/'))
    }

    /// The default time limits of threads at the relay.
    pub fn relay_timeouts(&self) -> Timeouts {
        let seconds = |number: NonZeroU32| TimeDelta::seconds(number.get().into());
        Timeouts { offer: seconds(self.relay_offer_timeout), result: seconds(self.relay_result_timeout) }
    }

    /// The storage limits at which writes are refused.
    pub fn storage_limits(&self) -> StorageLimits {
        let is_embedded = self.database_url.is_none();
        let floor = (is_embedded && self.disk_floor.0 > 0).then(|| (self.data_dir.clone(), self.disk_floor.0));
        StorageLimits { floor, ceiling: self.database_ceiling.map(|ByteSize(bytes)| bytes) }
    }

    /// The time limits of the two-party exchange.
    pub fn exchange_timing(&self) -> Timing {
        let (deadline, lifetime) = (self.exchange_deadline.get().into(), self.exchange_lifetime.get().into());
        Timing { deadline: TimeDelta::seconds(deadline), lifetime: TimeDelta::seconds(lifetime) }
    }

    /// Whether this peer is a trusted proxy.
    pub fn trusts(&self, peer: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|network| network.contains(&peer))
    }
}

#[cfg(test)]
mod tests;
