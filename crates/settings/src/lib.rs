//! Settings of every process: defaults, then a file, then the environment.
//!
//! The file is `buildtrack.toml` in the working directory, or what `BUILDTRACK_CONFIG` names; its keys are those of
//! [`Settings`]. In the environment a key is upper case behind `BUILDTRACK_`; `DATABASE_URL` and `AMQP_URL` go by
//! their usual names. **Invariant:** an unknown key is an error, and no secret is ever printed.

mod mail;
mod rates;
mod registration;
mod retention;
mod secret;

use std::{
    fmt::Display,
    net::{IpAddr, SocketAddr},
    num::{NonZeroU16, NonZeroU32},
    path::{Path, PathBuf},
    str::FromStr,
};

use buildtrack_domain::{exchange::conversations::Timing, relay::Timeouts, webhooks::RetrySchedule};
use buildtrack_store::Database;
use chrono::TimeDelta;
use ipnet::IpNet;
use serde::{Deserialize, Deserializer, de};
use url::Url;

pub use mail::SmtpUrl;
pub use rates::RateLimits;
pub use registration::Registration;
pub use retention::Retention;
pub use secret::secret;

/// What can be set. A text stands for every value, as in the environment; the file may also use numbers and booleans.
#[derive(Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Settings {
    /// Where the server listens: `127.0.0.1:8080`.
    #[serde(deserialize_with = "parsed")]
    pub bind: SocketAddr,
    /// How the server is reached from outside; `http://` and [`Settings::bind`] where it is not set.
    #[serde(deserialize_with = "optional")]
    pub public_url: Option<Url>,
    /// Where the SQLite file and the server's own secret are kept: `./data`.
    pub data_dir: PathBuf,
    /// A `postgres://` address; without one, SQLite in [`Settings::data_dir`] is used.
    pub database_url: Option<String>,
    /// An `amqp://` address of RabbitMQ, over which events reach the workers; needs [`Settings::database_url`].
    pub amqp_url: Option<String>,
    /// At least 32 characters, the same for all processes. Required with PostgreSQL; otherwise made and kept.
    pub secret: Option<String>,
    /// Requests a minute: `free=15,pro=60,enterprise=300,anonymous=60,login=10,relay=60,relay_address=1200,exchange=60`, each of which can be left out.
    #[serde(deserialize_with = "parsed")]
    pub rate_limits: RateLimits,
    /// Proxies (addresses or networks, separated by commas) whose `X-Forwarded-For` tells the caller's address.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// Who may open an account: `open`, `invite` or `closed`.
    #[serde(deserialize_with = "parsed")]
    pub registration: Registration,
    /// How many active agents an owner has, unless `buildtrack admin set-agent-limit` says otherwise.
    #[serde(deserialize_with = "parsed")]
    pub agents_per_owner: NonZeroU32,
    /// How many agents an owner registers within 24 hours, deactivated ones included; never less than the owner's limit of active
    /// agents.
    #[serde(deserialize_with = "parsed")]
    pub agents_per_day: NonZeroU32,
    /// The SMTP server that mail is handed to; without one, no mail is sent and none is needed.
    #[serde(deserialize_with = "optional")]
    pub smtp_url: Option<SmtpUrl>,
    /// The sender of mail: `Buildtrack <build@example.org>`. Required with [`Settings::smtp_url`].
    pub mail_from: Option<String>,
    /// How many messages are sent within an hour, to all addresses together.
    #[serde(deserialize_with = "parsed")]
    pub mails_per_hour: NonZeroU32,
    /// Lets pushes go to loopback and private addresses and over plain HTTP; for development and tests.
    #[serde(deserialize_with = "switch")]
    pub allow_private_targets: bool,
    /// Seconds between the attempts of a push, separated by commas.
    #[serde(deserialize_with = "parsed")]
    pub retry_schedule: RetrySchedule,
    /// How long a delivery is kept after it was settled, with its attempts: `30d`.
    #[serde(deserialize_with = "parsed")]
    pub delivery_retention: Retention,
    /// Whether `buildtrack` does the worker's work too: `on`, or `off` where `buildtrack-worker` runs.
    #[serde(deserialize_with = "switch")]
    pub worker: bool,
    /// How many live streams a server holds at once.
    #[serde(deserialize_with = "parsed")]
    pub live_streams: usize,
    /// How many of them one address holds.
    #[serde(deserialize_with = "parsed")]
    pub live_streams_per_address: u32,
    /// Seconds after which a live stream ends, and its reader comes back.
    #[serde(deserialize_with = "parsed")]
    pub live_age: NonZeroU32,
    /// How many positions behind the log's end a live stream may begin.
    #[serde(deserialize_with = "parsed")]
    pub live_reach: u32,
    /// Seconds without an event after which a live stream says that it is still there.
    #[serde(deserialize_with = "parsed")]
    pub live_keep_alive: NonZeroU16,
    /// Seconds that a REQUEST at the relay waits for an OFFER, unless it says otherwise.
    #[serde(deserialize_with = "parsed")]
    pub relay_offer_timeout: NonZeroU32,
    /// Seconds that an ACCEPT at the relay waits for the RESULT, unless a deadline was agreed on.
    #[serde(deserialize_with = "parsed")]
    pub relay_result_timeout: NonZeroU32,
    /// Seconds that a conversation of the two-party exchange waits for its next request.
    #[serde(deserialize_with = "parsed")]
    pub exchange_lifetime: NonZeroU32,
    /// Seconds that a request of the two-party exchange waits for its answer.
    #[serde(deserialize_with = "parsed")]
    pub exchange_deadline: NonZeroU16,
    /// Lets the two-party exchange be spoken over plain HTTP from elsewhere than this machine.
    #[serde(deserialize_with = "switch")]
    pub exchange_insecure: bool,
    /// Allows `POST /seed`, which fills the relay with something to look at.
    #[serde(deserialize_with = "switch")]
    pub demo: bool,
    /// Where `buildtrack-worker` shows its `/metrics`; nowhere where it is not set.
    #[serde(deserialize_with = "optional")]
    pub metrics_bind: Option<SocketAddr>,
    /// What is logged, in the language of `tracing`'s `EnvFilter`: `info`, and of PostgreSQL's notices only warnings.
    pub log: String,
    /// `text` for people, `json` for machines.
    #[serde(deserialize_with = "parsed")]
    pub log_format: LogFormat,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
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
            delivery_retention: Retention::MONTH,
            worker: true,
            live_streams: 10_000,
            live_streams_per_address: 200,
            live_age: NonZeroU32::MIN.saturating_add(3599),
            live_reach: 100_000,
            live_keep_alive: NonZeroU16::MIN.saturating_add(14),
            relay_offer_timeout: NonZeroU32::MIN.saturating_add(299),
            relay_result_timeout: NonZeroU32::MIN.saturating_add(3599),
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
    /// A key is unknown or its value is not of its form.
    #[error("settings: {0}")]
    Invalid(String),
    /// The file cannot be read.
    #[error("settings file {path}: {reason}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system or the parser said.
        reason: String,
    },
    /// The settings do not go together.
    #[error("settings: {0}")]
    Contradiction(&'static str),
}

impl Settings {
    /// Reads the file, if there is one, and the environment of this process.
    pub fn load() -> Result<Self, SettingsError> {
        Self::read(std::env::vars())
    }

    /// Reads the file, if there is one, and the given environment.
    pub fn read(environment: impl IntoIterator<Item = (String, String)>) -> Result<Self, SettingsError> {
        let mut table = toml::Table::new();
        let mut file = None;
        for (key, value) in environment {
            match key.as_str() {
                "BUILDTRACK_CONFIG" => file = Some(PathBuf::from(value)),
                "DATABASE_URL" | "AMQP_URL" => insert(&mut table, &key, value),
                _ => {
                    if let Some(key) = key.strip_prefix("BUILDTRACK_") {
                        insert(&mut table, key, value);
                    }
                }
            }
        }
        let mut settings = read_file(file.as_deref())?;
        settings.extend(table);
        let settings: Self = settings.try_into().map_err(|error: toml::de::Error| {
            // What is wrong, and on a second line in which key.
            let fault = error.to_string().lines().collect::<Vec<_>>().join(" ");
            SettingsError::Invalid(fault)
        })?;
        settings.check()
    }

    fn check(self) -> Result<Self, SettingsError> {
        if let Some(url) = &self.database_url
            && !(url.starts_with("postgres://") || url.starts_with("postgresql://"))
        {
            return Err(SettingsError::Contradiction(
                "DATABASE_URL must begin with postgres:// (SQLite is used without it)",
            ));
        }
        if self.amqp_url.is_some() && self.database_url.is_none() {
            return Err(SettingsError::Contradiction(
                "AMQP_URL needs DATABASE_URL: with SQLite there is one process, and no broker is needed",
            ));
        }
        if self.smtp_url.is_some() != self.mail_from.is_some() {
            return Err(SettingsError::Contradiction(
                "BUILDTRACK_SMTP_URL and BUILDTRACK_MAIL_FROM go together: set both, or neither",
            ));
        }
        Ok(self)
    }

    /// Where the store lives.
    pub fn database(&self) -> Database {
        match &self.database_url {
            Some(url) => Database::Postgres(url.clone()),
            None => Database::Sqlite(self.data_dir.join("buildtrack.sqlite")),
        }
    }

    /// How the server is reached from outside, without a slash at the end.
    pub fn public_url(&self) -> String {
        match &self.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", self.bind),
        }
    }

    /// How long threads at the relay wait where nobody says.
    pub fn relay_timeouts(&self) -> Timeouts {
        let seconds = |number: NonZeroU32| TimeDelta::seconds(number.get().into());
        Timeouts { offer: seconds(self.relay_offer_timeout), result: seconds(self.relay_result_timeout) }
    }

    /// How long the two-party exchange waits.
    pub fn exchange_timing(&self) -> Timing {
        let (deadline, lifetime) = (self.exchange_deadline.get().into(), self.exchange_lifetime.get().into());
        Timing { deadline: TimeDelta::seconds(deadline), lifetime: TimeDelta::seconds(lifetime) }
    }

    /// Whether this peer may tell the caller's address.
    pub fn trusts(&self, peer: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|network| network.contains(&peer))
    }
}

fn insert(table: &mut toml::Table, key: &str, value: String) {
    table.insert(key.to_lowercase(), toml::Value::String(value));
}

fn read_file(named: Option<&Path>) -> Result<toml::Table, SettingsError> {
    let path = named.unwrap_or(Path::new("buildtrack.toml"));
    let fault = |reason: String| SettingsError::File { path: path.to_owned(), reason };
    match std::fs::read_to_string(path) {
        Ok(text) => text.parse().map_err(|error: toml::de::Error| fault(error.message().to_owned())),
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(toml::Table::new()),
        Err(error) => Err(fault(error.to_string())),
    }
}

/// Takes a text, a number or a boolean, and reads it as the environment's text would be read.
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
    fn without_anything_it_is_sqlite_on_loopback() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.public_url(), "http://127.0.0.1:8080");
        assert!(matches!(settings.database(), Database::Sqlite(path) if path.ends_with("buildtrack.sqlite")));
    }

    #[test]
    fn the_environment_goes_before_the_file() {
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
    fn a_secret_of_digits_stays_a_text() {
        let digits = "12345678901234567890123456789012";
        assert_eq!(read(&[("BUILDTRACK_SECRET", digits)]).unwrap().secret.as_deref(), Some(digits));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (key, value, named) in [
            ("BUILDTRACK_BINDD", "x", "bindd"),
            ("BUILDTRACK_BIND", "x", "invalid socket address syntax in `bind`"),
            ("BUILDTRACK_WORKER", "perhaps", "expected on or off in `worker`"),
            ("BUILDTRACK_RATE_LIMITS", "free=0", "free"),
            ("BUILDTRACK_RATE_LIMITS", "gratis=1", "gratis"),
            ("BUILDTRACK_DELIVERY_RETENTION", "1w", "expected a length of time such as 30d"),
            ("BUILDTRACK_REGISTRATION", "maybe", "expected open, invite or closed in `registration`"),
            ("BUILDTRACK_AGENTS_PER_OWNER", "0", "agents_per_owner"),
            ("BUILDTRACK_SMTP_URL", "mail.example", "expected smtps://user:password@host:port"),
            ("BUILDTRACK_SMTP_URL", "smtps://mail.example", "BUILDTRACK_MAIL_FROM"),
            ("DATABASE_URL", "mysql://x", "postgres://"),
            ("AMQP_URL", "amqp://x", "AMQP_URL"),
            ("BUILDTRACK_CONFIG", "/nonexistent/settings.toml", "/nonexistent/settings.toml"),
        ] {
            let error = read(&[(key, value)]).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(named), "{key}={value}: {error}");
        }
    }
}
