//! Parsing of the settings, each on its own, so that all faults are reported at once.

use std::path::{Path, PathBuf};

use buildtrack_domain::similar_names::most_similar;
use serde::{Deserialize, Deserializer, de};
use tracing_subscriber::EnvFilter;
use url::Url;

use crate::{
    Settings, SettingsError,
    known::{known, variable},
};

/// The maximum length of the path in the public URL. It stands before every address in a page.
const BASE_PATH_MAX: usize = 100;

/// One fault in the settings. Contains no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The setting does not exist.
    #[error("{name} is not a setting{}", meant.as_ref().map(|meant| format!("; did you mean {meant}?")).unwrap_or_default())]
    Unknown {
        /// The environment variable.
        name: String,
        /// The setting with the most similar name.
        meant: Option<String>,
    },
    /// The value is invalid.
    #[error("{name} {}: expected {expected}", value.as_ref().map_or_else(
        || "has a value that cannot be used (it is not shown)".to_owned(),
        |value| format!("is {value:?}"),
    ))]
    Value {
        /// The environment variable.
        name: String,
        /// The invalid value; `None` for a secret.
        value: Option<String>,
        /// The expected form.
        expected: String,
    },
    /// A required setting is missing, or two settings conflict.
    #[error("{0}")]
    Contradiction(&'static str),
}

/// All faults, displayed one per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl std::fmt::Display for Faults {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        formatter.write_str(&lines.join("\n  "))
    }
}

/// The values of the file and the environment, by key.
pub(crate) fn given(environment: impl IntoIterator<Item = (String, String)>) -> Result<toml::Table, SettingsError> {
    let mut table = toml::Table::new();
    let mut file = None;
    for (name, value) in environment {
        match name.as_str() {
            "BUILDTRACK_CONFIG" => file = Some(PathBuf::from(value)),
            "DATABASE_URL" | "AMQP_URL" => insert(&mut table, &name, value),
            _ => {
                if let Some(key) = name.strip_prefix("BUILDTRACK_") {
                    insert(&mut table, key, value);
                }
            }
        }
    }
    let mut given = read_file(file.as_deref())?;
    given.extend(table);
    Ok(given)
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

/// Parses the settings, or returns all faults.
pub(crate) fn read(given: toml::Table) -> Result<Settings, Faults> {
    let mut faults = Vec::new();
    let mut usable = toml::Table::new();
    for (key, value) in given {
        match fault_of(&key, &value) {
            Some(fault) => faults.push(fault),
            None => drop(usable.insert(key, value)),
        }
    }
    let settings = usable.try_into::<Settings>().map_err(|error| {
        Faults(vec![Fault::Value {
            name: "the settings".to_owned(),
            value: None,
            expected: error.message().to_owned(),
        }])
    })?;
    faults.extend(contradictions(&settings));
    if faults.is_empty() { Ok(settings) } else { Err(Faults(faults)) }
}

/// The fault of one setting, parsed as if it were the only one.
fn fault_of(key: &str, value: &toml::Value) -> Option<Fault> {
    if !fields().contains(&key) {
        return Some(Fault::Unknown {
            name: variable(key),
            meant: most_similar(key, fields().iter().copied()).map(variable),
        });
    }
    let alone = toml::Table::from_iter([(key.to_owned(), value.clone())]);
    let reason = match alone.try_into::<Settings>() {
        Ok(settings) => form_of(key, &settings)?,
        Err(error) => error.message().to_owned(),
    };
    let expected = known(key).map_or(reason.as_str(), |known| known.expected);
    let expected = match expected.strip_prefix("expected ") {
        Some(expected) => expected.to_owned(),
        // For a list the reason names the invalid part.
        None if reason.contains("expected ") && reason.starts_with('"') => format!("{expected} ({reason})"),
        None => expected.to_owned(),
    };
    Some(Fault::Value { name: variable(key), value: shown(key, value), expected })
}

/// Checks text values beyond their type.
fn form_of(key: &str, settings: &Settings) -> Option<String> {
    let is = |url: &Option<String>, schemes: [&str; 2]| {
        url.as_ref().is_none_or(|url| schemes.iter().any(|scheme| url.starts_with(scheme)))
    };
    let fits = match key {
        "database_url" => is(&settings.database_url, ["postgres://", "postgresql://"]),
        "amqp_url" => is(&settings.amqp_url, ["amqp://", "amqps://"]),
        "public_url" => settings.public_url.as_ref().is_none_or(is_base),
        "secret" => settings.secret.as_ref().is_none_or(|secret| buildtrack_store::Secret::new(secret).is_ok()),
        "log" => EnvFilter::try_new(&settings.log).is_ok(),
        "arena_python" => !settings.arena_python.as_os_str().is_empty(),
        "arena_tasks_dir" => settings.arena_tasks_dir.as_ref().is_none_or(|folder| !folder.as_os_str().is_empty()),
        _ => true,
    };
    (!fits).then(String::new)
}

/// Whether addresses can begin with a URL: it names a server, or a place on one. A query, a fragment or a user would end up in the
/// midst of addresses.
fn is_base(url: &Url) -> bool {
    let has_user = !url.username().is_empty() || url.password().is_some();
    let is_plain = url.query().is_none() && url.fragment().is_none() && is_base_path(url.path());
    matches!(url.scheme(), "http" | "https") && url.has_host() && !has_user && is_plain
}

/// Whether a path consists of segments that no client, proxy or cookie writes in another way.
fn is_base_path(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_segment = |segment: &str| !segment.is_empty() && segment.bytes().all(is_plain);
    let path = path.strip_suffix('/').unwrap_or(path);
    path.len() <= BASE_PATH_MAX && path.split('/').skip(1).all(is_segment)
}

fn contradictions(settings: &Settings) -> Vec<Fault> {
    let (database, amqp, secret) = (&settings.database_url, &settings.amqp_url, &settings.secret);
    let broker = "AMQP_URL needs DATABASE_URL: with SQLite there is only one process, which needs no broker";
    let required =
        "BUILDTRACK_SECRET is required with PostgreSQL, the same for all processes; `openssl rand -hex 32` prints one";
    let mail = "BUILDTRACK_SMTP_URL and BUILDTRACK_MAIL_FROM require each other: set both, or neither";
    let broken = [
        (amqp.is_some() && database.is_none(), broker),
        (database.is_some() && secret.is_none(), required),
        (settings.smtp_url.is_some() != settings.mail_from.is_some(), mail),
    ];
    broken.into_iter().filter(|(broken, _)| *broken).map(|(_, fault)| Fault::Contradiction(fault)).collect()
}

/// A value for display; `None` if the setting is a secret or is not in the table.
fn shown(key: &str, value: &toml::Value) -> Option<String> {
    known(key).filter(|known| !known.is_secret)?;
    // The user of a URL may have a password.
    let has_user = |text: &str| text.split_once("://").is_some_and(|(_, rest)| rest.contains('@'));
    Some(plain(value)).filter(|text| !has_user(text))
}

fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(switch) => switch.to_string(),
        toml::Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        toml::Value::Datetime(_) | toml::Value::Table(_) => "of another type".to_owned(),
    }
}

/// The environment variable and value of every setting, with a placeholder for secrets.
pub(crate) fn in_force(given: &toml::Table) -> Vec<(String, String)> {
    let value = |key: &str| match (given.get(key), known(key)) {
        (Some(value), _) => shown(key, value).unwrap_or_else(|| "(set; not shown)".to_owned()),
        (None, Some(known)) => known.default.unwrap_or("(not set)").to_owned(),
        (None, None) => "(default)".to_owned(),
    };
    fields().iter().map(|key| (variable(key), value(key))).collect()
}

/// The keys of [`Settings`], as its derived deserializer names them.
pub(crate) fn fields() -> &'static [&'static str] {
    let mut names = Names(&[]);
    // Deserializing always fails; only the names matter.
    drop(Settings::deserialize(&mut names));
    names.0
}

struct Names(&'static [&'static str]);

impl<'de> Deserializer<'de> for &mut Names {
    type Error = de::value::Error;

    fn deserialize_any<V: de::Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("only the field names are read"))
    }

    fn deserialize_struct<V: de::Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0 = fields;
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
