//! Reference table of all settings: key, default, expected form and description, for `--help` and error messages.

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// The field of [`crate::Settings`], and the key in the file.
    pub key: &'static str,
    /// The default as text; `None` if it is not set by default.
    pub default: Option<&'static str>,
    /// The form of a value, following the word “expected”.
    pub expected: &'static str,
    /// A short description for `--help`; `None` for settings that few operators need.
    pub about: Option<&'static str>,
    /// Whether its value is a secret, which is never shown.
    pub is_secret: bool,
}

const fn setting(key: &'static str, default: Option<&'static str>, expected: &'static str) -> Known {
    Known { key, default, expected, about: None, is_secret: false }
}

impl Known {
    const fn about(self, about: &'static str) -> Self {
        Self { about: Some(about), ..self }
    }

    const fn secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// Its environment variable.
    pub fn variable(&self) -> String {
        variable(self.key)
    }
}

const SECONDS: &str = "whole seconds, from 1 to 4294967295";
const SHORT_SECONDS: &str = "whole seconds, from 1 to 65535";
const COUNT: &str = "a number from 1 to 4294967295";
const SWITCH: &str = "on or off";

/// All settings, the most common first.
pub const KNOWN: &[Known] = &[
    setting("bind", Some("127.0.0.1:8080"), "an address and a port, such as 127.0.0.1:8080").about("address and port to listen on"),
    setting("public_url", None, "a URL without query, fragment and user, such as https://build.example or https://tools.example/buildtrack; up to 100 letters, digits and -._~/ in the path")
        .about("external base URL (default: http:// and the bind address)"),
    setting("data_dir", Some("./data"), "a folder").about("folder of the SQLite database and the secret"),
    setting("database_url", None, "postgres://user:password@host:port/database (SQLite is used without it)")
        .about("PostgreSQL database; without it, SQLite is used")
        .secret(),
    setting("amqp_url", None, "amqp://user:password@host:port/vhost, or amqps://")
        .about("RabbitMQ broker, for several processes on PostgreSQL")
        .secret(),
    setting("secret", None, "at least 32 characters, such as `openssl rand -hex 32` prints")
        .about("encrypts stored credentials; required with PostgreSQL, otherwise created in the data directory")
        .secret(),
    setting("worker", Some("on"), SWITCH).about("runs the background worker in this process; off if buildtrack-worker runs"),
    setting("trusted_proxies", Some(""), "addresses or networks, separated by commas, such as 10.0.0.0/8,::1")
        .about("proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted"),
    setting(
        "rate_limits",
        Some("free=15,pro=60,enterprise=300,anonymous=60,login=10,login_account=30,relay=60,relay_address=1200,exchange=60"),
        "such as free=15,login=10: requests a minute",
    )
    .about("rate limits, in requests a minute"),
    setting(
        "retry_schedule",
        Some("5,30,120,600,1800,7200,18000,36000,36000"),
        "seconds between 0.01 and 604800, separated by commas",
    ),
    setting("registration", Some("open"), "open, invite or closed").about("who may create an account: open, invite or closed"),
    setting("agents_per_owner", Some("100"), COUNT),
    setting("agents_per_day", Some("200"), COUNT),
    setting("smtp_url", None, "smtps://user:password@host:port or smtp://host:port")
        .about("SMTP server for address confirmations and password resets")
        .secret(),
    setting("mail_from", None, "a sender, such as Buildtrack <build@example.org>"),
    setting("mails_per_hour", Some("1000"), COUNT),
    setting(
        "target_rate",
        Some("rate=200,unverified=2,concurrency=128,unverified_concurrency=4,growth=10"),
        "rate, unverified, concurrency, unverified_concurrency and growth, such as rate=200,unverified=2",
    ),
    setting("delivery_retention", Some("30d"), "a length of time such as 30d, 12h, 90m or 45s, from 1s to 3650d"),
    setting("allow_private_targets", Some("off"), SWITCH),
    setting("live_streams", Some("10000"), "a number, 0 or more"),
    setting("live_streams_per_address", Some("200"), "a number, 0 or more"),
    setting("live_streams_per_owner", Some("400"), "a number, 0 or more"),
    setting("live_streams_per_agent", Some("100"), "a number, 0 or more"),
    setting("waiting", Some("256"), "a number, 0 or more"),
    setting("waiting_per_network", Some("64"), "a number, 0 or more"),
    setting("waiting_per_owner", Some("32"), "a number, 0 or more"),
    setting("waiting_per_agent", Some("8"), "a number, 0 or more"),
    setting("password_hashes", Some("2"), "a number from 1 to 65535"),
    setting("password_queue", Some("128"), "a number from 0 to 65535"),
    setting("password_queue_per_network", Some("32"), "a number from 0 to 65535"),
    setting("live_age", Some("3600"), SECONDS),
    setting("live_reach", Some("100000"), "a number of positions, 0 or more"),
    setting("live_keep_alive", Some("15"), SHORT_SECONDS),
    setting("relay_offer_timeout", Some("300"), SECONDS),
    setting("relay_result_timeout", Some("3600"), SECONDS),
    setting(
        "relay_budgets",
        Some("sender=64MiB,network=256MiB,server=8GiB,registrations=100"),
        "sender, network and server in bytes a day, and registrations an hour, such as sender=64MiB,registrations=100",
    ),
    setting("relay_retention", None, "a length of time such as 90d, 12h, 90m or 45s, from 1s to 3650d"),
    setting(
        "arena_limits",
        Some("matches=5000,agent_matches=200,owner_matches=500,pair_matches=5,rest=300,sparring=600"),
        "such as matches=5000,agent_matches=200: matches a day",
    ),
    setting("cost_guard_mode", Some("enforce"), "enforce or observe"),
    setting("arena_python", Some("python3"), "a program: a path, or a name on the PATH"),
    setting("arena_tasks_dir", None, "a folder with task files (default: tasks in the data directory)"),
    setting("disk_floor", Some("256MiB"), "a size such as 256MiB or 1GiB"),
    setting("database_ceiling", None, "a size such as 100GiB"),
    setting("exchange_lifetime", Some("300"), SECONDS),
    setting("exchange_deadline", Some("20"), SHORT_SECONDS),
    setting("exchange_insecure", Some("off"), SWITCH),
    setting("demo", Some("off"), SWITCH),
    setting("metrics_bind", None, "an address and a port, such as 127.0.0.1:9090")
        .about("address and port of buildtrack-worker's /metrics"),
    setting("log", Some("info,lapin=off,sqlx::postgres::notice=warn"), "levels such as info, or buildtrack=debug,info")
        .about("log filter, by level and target"),
    setting("log_format", Some("text"), "text or json").about("format of log lines: text or json"),
];

/// The setting with this key.
pub(crate) fn known(key: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.key == key)
}

/// The environment variable of a key.
pub(crate) fn variable(key: &str) -> String {
    let upper = key.to_uppercase();
    if matches!(key, "database_url" | "amqp_url" | "cost_guard_mode") { upper } else { format!("BUILDTRACK_{upper}") }
}

/// The list of settings for `--help`.
pub fn help() -> String {
    let lines: Vec<_> = KNOWN.iter().filter_map(help_line).collect();
    format!(
        "Settings, from the environment or the file buildtrack.toml (BUILDTRACK_CONFIG):\n{}\n`buildtrack config check` \
         lists all settings with their values in force.",
        lines.join("\n")
    )
}

fn help_line(known: &Known) -> Option<String> {
    let line = format!("  {:<28}{}", known.variable(), known.about?);
    // Long defaults would need more than one line.
    let default = known.default.filter(|default| (1..=20).contains(&default.len()));
    Some(match default {
        Some(default) => format!("{line} (default: {default})"),
        None => line,
    })
}
