//! Deserializers of values, which are texts in the environment, and texts, numbers, booleans or lists in the file.

use std::{fmt::Display, net::IpAddr, str::FromStr};

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, de};

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

pub(crate) fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<T, D::Error> {
    text(deserializer)?.trim().parse().map_err(de::Error::custom)
}

pub(crate) fn optional<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    parsed(deserializer).map(Some)
}

pub(crate) fn switch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match text(deserializer)?.trim() {
        "true" | "on" | "1" | "yes" => Ok(true),
        "false" | "off" | "0" | "no" => Ok(false),
        _ => Err(de::Error::custom("expected on or off")),
    }
}

pub(crate) fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let network = |part: &str| part.parse().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
    let text = text(deserializer)?;
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(network).collect::<Result<_, _>>().map_err(de::Error::custom)
}
