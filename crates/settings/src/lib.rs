//! Settings of every process: defaults, then a file, then the environment.
//!
//! The file is `buildtrack.toml` in the working directory, or the one that `BUILDTRACK_CONFIG` names. Its keys are the fields
//! of [`Settings`]. The environment variable of a key is its upper-case name with the prefix `BUILDTRACK_`, except for
//! `DATABASE_URL` and `AMQP_URL`. **Invariant:** an unknown key is an error, and no secret is ever printed.

mod budgets;
pub mod exit;
mod known;
mod mail;
mod rates;
mod reading;
mod registration;
mod retention;
mod secret;
mod targets;

use std::{
    fmt::Display,
    net::{IpAddr, SocketAddr},
    num::{NonZeroU16, NonZeroU32},
    path::PathBuf,
    str::FromStr,
};

use buildtrack_domain::{exchange::conversations::Timing, relay::Timeouts, webhooks::RetrySchedule};
use buildtrack_store::{Database, StorageLimits};
use chrono::TimeDelta;
use ipnet::IpNet;
use serde::{Deserialize, Deserializer, de};
use url::Url;

pub use budgets::{ByteSize, RelayBudgets};
pub use known::{KNOWN, Known, help};
pub use mail::SmtpUrl;
pub use rates::RateLimits;
pub use reading::{Fault, Faults};
pub use registration::Registration;
pub use retention::Retention;
pub use secret::{secret, secret_is_kept};
pub use targets::TargetRate;

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
    /// External base URL of the server; by default `http://` and [`Settings::bind`].
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
    /// `concurrency=128,unverified_concurrency=4` at a time. Omitted limits keep their defaults.
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

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// Human-readable text.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

impl FromStr for LogFormat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("expected text or json"),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            bind: SocketAddr::from(([127, 0, 0, 1], 8080)),
            public_url: None,
            data_dir: PathBuf::from("./data"),
            database_url: None,
            amqp_url: None,
            secret: None,
            rate_limits: RateLimits::default(),
            trusted_proxies: vec![],
            registration: Registration::Open,
            agents_per_owner: NonZeroU32::MIN.saturating_add(99),
            agents_per_day: NonZeroU32::MIN.saturating_add(199),
            smtp_url: None,
            mail_from: None,
            mails_per_hour: NonZeroU32::MIN.saturating_add(999),
            allow_private_targets: false,
            retry_schedule: RetrySchedule::default(),
            target_rate: TargetRate::default(),
            delivery_retention: Retention::MONTH,
            worker: true,
            live_streams: 10_000,
            live_streams_per_address: 200,
            live_streams_per_owner: 400,
            live_streams_per_agent: 100,
            waiting: 256,
            waiting_per_network: 64,
            waiting_per_owner: 32,
            waiting_per_agent: 8,
            password_hashes: NonZeroU16::MIN.saturating_add(1),
            password_queue: 128,
            password_queue_per_network: 32,
            live_age: NonZeroU32::MIN.saturating_add(3599),
            live_reach: 100_000,
            live_keep_alive: NonZeroU16::MIN.saturating_add(14),
            relay_offer_timeout: NonZeroU32::MIN.saturating_add(299),
            relay_result_timeout: NonZeroU32::MIN.saturating_add(3599),
            relay_budgets: RelayBudgets::default(),
            relay_retention: None,
            disk_floor: ByteSize(256 << 20),
            database_ceiling: None,
            exchange_lifetime: NonZeroU32::MIN.saturating_add(299),
            exchange_deadline: NonZeroU16::MIN.saturating_add(19),
            exchange_insecure: false,
            demo: false,
            metrics_bind: None,
            log: "info,lapin=off,sqlx::postgres::notice=warn".into(),
            log_format: LogFormat::Text,
        }
    }
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// Unknown keys, invalid values, or conflicting settings: all of them at once.
    #[error("settings: {0}")]
    Invalid(Faults),
    /// The file cannot be read.
    #[error("settings file {path}: {reason}")]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The reason of the operating system or the parser.
        reason: String,
    },
    /// The database exists, but the secret stored beside it is missing.
    #[error(
        "the secret is missing: {} is gone, and the database beside it was made with it. Restore the file from a backup of \
         the data directory, or set BUILDTRACK_SECRET to what it held. A new secret could not read what the old one sealed",
        path.display()
    )]
    SecretLost {
        /// The path of the missing file.
        path: PathBuf,
    },
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

    /// The server's external base URL without a trailing slash.
    pub fn public_url(&self) -> String {
        match &self.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", self.bind),
        }
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

/// Converts a text, a number or a boolean to the text that the environment would contain.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match toml::Value::deserialize(deserializer)? {
        toml::Value::String(text) => Ok(text),
        toml::Value::Array(values) => {
            let texts = values.iter().map(|value| value.as_str().ok_or_else(|| de::Error::custom("expected texts")));
            Ok(texts.collect::<Result<Vec<_>, _>>()?.join(","))
        }
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Float(number) => Ok(number.to_string()),
        toml::Value::Boolean(switch) => Ok(switch.to_string()),
        _ => Err(de::Error::custom("expected a text, a number or a boolean")),
    }
}

fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<T, D::Error> {
    text(deserializer)?.trim().parse().map_err(de::Error::custom)
}

fn optional<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<Option<T>, D::Error> {
    parsed(deserializer).map(Some)
}

fn switch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match text(deserializer)?.trim() {
        "true" | "on" | "1" | "yes" => Ok(true),
        "false" | "off" | "0" | "no" => Ok(false),
        _ => Err(de::Error::custom("expected on or off")),
    }
}

fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let network = |part: &str| part.parse().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
    let text = text(deserializer)?;
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(network).collect::<Result<_, _>>().map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(environment: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        Settings::read(environment.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn storage_limits_apply_to_the_selected_database() {
        let embedded = read(&[("BUILDTRACK_DISK_FLOOR", "1GiB")]).unwrap().storage_limits();
        assert_eq!((embedded.floor.map(|(_, bytes)| bytes), embedded.ceiling), (Some(1 << 30), None));
        assert!(read(&[("BUILDTRACK_DISK_FLOOR", "0")]).unwrap().storage_limits().floor.is_none());
        let url = ("DATABASE_URL", "postgres://localhost/x");
        let secret = ("BUILDTRACK_SECRET", "a secret of at least 32 characters");
        let served = read(&[url, secret, ("BUILDTRACK_DATABASE_CEILING", "10GiB")]).unwrap().storage_limits();
        assert_eq!((served.floor, served.ceiling), (None, Some(10 << 30)));
    }

    #[test]
    fn the_defaults_are_sqlite_on_the_loopback_address() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.public_url(), "http://127.0.0.1:8080");
        assert!(matches!(settings.database(), Database::Sqlite(path) if path.ends_with("buildtrack.sqlite")));
    }

    #[test]
    fn the_environment_overrides_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.toml");
        std::fs::write(&file, "worker = false\nlog = \"debug\"\ntrusted_proxies = [\"10.0.0.0/8\", \"::1\"]").unwrap();
        let settings = read(&[("BUILDTRACK_CONFIG", file.to_str().unwrap()), ("BUILDTRACK_LOG", "warn")]).unwrap();
        assert!(!settings.worker);
        assert_eq!(settings.log, "warn");
        assert!(settings.trusts("10.1.2.3".parse().unwrap()) && settings.trusts("::1".parse().unwrap()));
        assert!(!settings.trusts("11.1.2.3".parse().unwrap()));
    }

    #[test]
    fn queues_and_their_shares_have_defaults() {
        let settings = read(&[("BUILDTRACK_WAITING_PER_OWNER", "5"), ("BUILDTRACK_PASSWORD_HASHES", "4")]).unwrap();
        assert_eq!((settings.waiting, settings.waiting_per_network), (256, 64));
        assert_eq!((settings.waiting_per_owner, settings.waiting_per_agent), (5, 8));
        assert_eq!((settings.live_streams_per_owner, settings.live_streams_per_agent), (400, 100));
        assert_eq!((settings.password_hashes.get(), settings.password_queue), (4, 128));
        assert!(read(&[("BUILDTRACK_PASSWORD_HASHES", "0")]).is_err());
    }

    #[test]
    fn a_secret_of_digits_is_read_as_text() {
        let digits = "12345678901234567890123456789012";
        assert_eq!(read(&[("BUILDTRACK_SECRET", digits)]).unwrap().secret.as_deref(), Some(digits));
    }

    #[test]
    fn a_fault_names_the_variable_its_value_and_the_expected_form() {
        for (key, value, named) in [
            ("BUILDTRACK_TARGET_RATE", "rate=none", "BUILDTRACK_TARGET_RATE is \"rate=none\": expected"),
            ("BUILDTRACK_BINDD", "x", "BUILDTRACK_BINDD is not a setting; did you mean BUILDTRACK_BIND?"),
            ("BUILDTRACK_QWERTYUIOP", "x", "BUILDTRACK_QWERTYUIOP is not a setting"),
            (
                "BUILDTRACK_BIND",
                "x",
                "BUILDTRACK_BIND is \"x\": expected an address and a port, such as 127.0.0.1:8080",
            ),
            ("BUILDTRACK_WORKER", "perhaps", "BUILDTRACK_WORKER is \"perhaps\": expected on or off"),
            ("BUILDTRACK_RATE_LIMITS", "free=0", "BUILDTRACK_RATE_LIMITS is \"free=0\": expected such as free=15"),
            ("BUILDTRACK_RATE_LIMITS", "login=1,gratis=1", "(\"gratis=1\" is not a limit; expected free, pro"),
            ("BUILDTRACK_DELIVERY_RETENTION", "1w", "expected a length of time such as 30d"),
            (
                "BUILDTRACK_REGISTRATION",
                "maybe",
                "BUILDTRACK_REGISTRATION is \"maybe\": expected open, invite or closed",
            ),
            ("BUILDTRACK_AGENTS_PER_OWNER", "0", "BUILDTRACK_AGENTS_PER_OWNER is \"0\""),
            ("BUILDTRACK_SMTP_URL", "mail.example", "expected smtps://user:password@host:port"),
            ("BUILDTRACK_SMTP_URL", "smtps://mail.example", "BUILDTRACK_MAIL_FROM"),
            ("BUILDTRACK_LIVE_AGE", "0", "BUILDTRACK_LIVE_AGE is \"0\": expected whole seconds, from 1 to 4294967295"),
            ("BUILDTRACK_TRUSTED_PROXIES", "10.0.0.0/64", "expected addresses or networks"),
            ("BUILDTRACK_LOG", "=info=", "BUILDTRACK_LOG is \"=info=\": expected levels"),
            ("BUILDTRACK_SECRET", "hunter2", "BUILDTRACK_SECRET has a value that cannot be used"),
            (
                "DATABASE_URL",
                "mysql://hunter2@x",
                "DATABASE_URL has a value that cannot be used (it is not shown): expected postgres://",
            ),
            (
                "AMQP_URL",
                "http://hunter2@x",
                "AMQP_URL has a value that cannot be used (it is not shown): expected amqp://",
            ),
            ("AMQP_URL", "amqp://x", "AMQP_URL needs DATABASE_URL"),
            ("DATABASE_URL", "postgres://x", "BUILDTRACK_SECRET is required with PostgreSQL"),
            ("BUILDTRACK_CONFIG", "/nonexistent/settings.toml", "/nonexistent/settings.toml"),
        ] {
            let error = read(&[(key, value)]).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(named) && !error.contains("hunter2"), "{key}={value}: {error}");
        }
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let wrong = [
            ("BUILDTRACK_BIND", "x"),
            ("BUILDTRACK_WORKR", "on"),
            ("BUILDTRACK_LOG_FORMAT", "xml"),
            ("AMQP_URL", "amqp://x"),
        ];
        let Err(SettingsError::Invalid(Faults(faults))) = read(&wrong) else { panic!("the settings are accepted") };
        let message = Faults(faults).to_string();
        let lines: Vec<_> = message.lines().map(str::trim).collect();
        assert_eq!(lines.len(), 4, "{message}");
        for (name, _) in wrong {
            assert!(lines.iter().any(|line| line.starts_with(name)), "{name} is not in:\n{message}");
        }
    }

    #[test]
    fn the_table_lists_every_setting_and_its_default() {
        let known: std::collections::BTreeSet<_> = KNOWN.iter().map(|known| known.key).collect();
        assert_eq!(known, reading::fields().iter().copied().collect(), "KNOWN in known.rs and the fields of Settings");
        let defaults = KNOWN.iter().filter_map(|known| Some((known.variable(), known.default?.to_owned())));
        assert_eq!(format!("{:#?}", Settings::read(defaults).unwrap()), format!("{:#?}", Settings::default()));
    }

    #[test]
    fn values_in_force_are_shown_without_secrets() {
        let given = [
            ("BUILDTRACK_SECRET", "hunter2"),
            ("DATABASE_URL", "postgres://bt:hunter2@x/y"),
            ("BUILDTRACK_LIVE_AGE", "60"),
        ];
        let given = reading::given(given.map(|(key, value)| (key.to_owned(), value.to_owned()))).unwrap();
        let shown = reading::in_force(&given);
        assert!(shown.contains(&("BUILDTRACK_LIVE_AGE".into(), "60".into())), "{shown:?}");
        assert!(shown.contains(&("BUILDTRACK_BIND".into(), "127.0.0.1:8080".into())), "{shown:?}");
        assert!(!format!("{shown:?}").contains("hunter2"), "{shown:?}");
    }
}
