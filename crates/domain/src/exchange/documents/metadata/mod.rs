//! The metadata of a protocol document: YAML with three known fields.
//!
//! **Invariant:** parsing takes time and memory proportional to the text: aliases and deep nesting are refused.

use std::{borrow::Cow, collections::BTreeMap};

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::{DESCRIPTION_MAX, METADATA_MAX, NAME_MAX};
use crate::visible::has_visible;

/// The maximum nesting depth.
const DEPTH_MAX: usize = 16;

/// The metadata of a protocol document (seed: «Protocol Document Format»).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// The human-readable name. Not unique.
    pub name: String,
    /// The purpose of the protocol.
    pub description: String,
    /// Whether the protocol takes more than one round.
    pub multiround: bool,
}

/// The reason why metadata is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMetadata {
    /// The metadata has more than [`METADATA_MAX`] bytes.
    #[error("the metadata has {0} bytes, and {METADATA_MAX} are allowed")]
    TooLong(usize),
    /// The metadata is not YAML.
    #[error("line {line} of the metadata is not YAML: {reason}")]
    Yaml {
        /// The line, from 1.
        line: usize,
        /// The parser's message.
        reason: String,
    },
    /// The metadata uses anchors or aliases.
    #[error("the metadata uses anchors or aliases (& and *), which are not allowed")]
    Aliases,
    /// The metadata nests too deeply.
    #[error("the metadata nests deeper than {DEPTH_MAX} levels")]
    TooDeep,
    /// The metadata is a list, a text, or empty.
    #[error("the metadata is not a mapping of names to values, such as `name: …`")]
    NoMapping,
    /// A key is a list or a mapping.
    #[error("a name in the metadata is not a text")]
    KeyNotText,
    /// A key occurs twice.
    #[error("{0:?} occurs twice in the metadata")]
    Duplicate(String),
    /// A required field is missing.
    #[error("the metadata lacks {0:?}")]
    Missing(&'static str),
    /// The field must be a text.
    #[error("{0:?} is not a text; put it in quotation marks")]
    NotText(&'static str),
    /// The field must be true or false.
    #[error("\"multiround\" is neither true nor false")]
    NotBoolean,
    /// The field is empty.
    #[error("{0:?} is empty")]
    Blank(&'static str),
    /// The name has line breaks or other control characters.
    #[error("\"name\" must be a single line")]
    NotOneLine,
    /// The field holds the character U+0000, written as an escape.
    #[error("{0:?} holds the character U+0000")]
    Nul(&'static str),
    /// The field has too many characters.
    #[error("{field:?} has more than {max} characters")]
    FieldTooLong {
        /// The field.
        field: &'static str,
        /// The maximum number of characters.
        max: usize,
    },
}

/// A YAML value, as far as the three fields need it.
enum Value {
    Text(String),
    /// A scalar without quotation marks, which may be a boolean or null instead of a text.
    Plain(String),
    Nested,
}

impl Metadata {
    /// Parses metadata.
    pub fn read(yaml: &str) -> Result<Self, InvalidMetadata> {
        if yaml.len() > METADATA_MAX {
            return Err(InvalidMetadata::TooLong(yaml.len()));
        }
        let mut fields = Mapping::read(yaml)?.fields;
        let name = text(&mut fields, "name", NAME_MAX)?;
        if name.chars().any(char::is_control) {
            return Err(InvalidMetadata::NotOneLine);
        }
        let description = text(&mut fields, "description", DESCRIPTION_MAX)?;
        let multiround = match fields.remove("multiround") {
            None => return Err(InvalidMetadata::Missing("multiround")),
            Some(Value::Plain(plain)) => boolean(&plain).ok_or(InvalidMetadata::NotBoolean)?,
            Some(_) => return Err(InvalidMetadata::NotBoolean),
        };
        Ok(Self { name, description, multiround })
    }
}

fn text(fields: &mut BTreeMap<String, Value>, field: &'static str, max: usize) -> Result<String, InvalidMetadata> {
    let text = match fields.remove(field) {
        None => return Err(InvalidMetadata::Missing(field)),
        Some(Value::Text(text)) => text,
        Some(Value::Plain(plain)) if is_null(&plain) => return Err(InvalidMetadata::Blank(field)),
        Some(Value::Plain(plain)) if is_text(&plain) => plain,
        Some(_) => return Err(InvalidMetadata::NotText(field)),
    };
    let text = text.trim();
    if !has_visible(text) {
        return Err(InvalidMetadata::Blank(field));
    }
    if text.contains('\0') {
        return Err(InvalidMetadata::Nul(field));
    }
    if text.chars().count() > max {
        return Err(InvalidMetadata::FieldTooLong { field, max });
    }
    Ok(text.to_owned())
}

/// Parses a boolean as in YAML 1.2 and YAML 1.1, because the client's parser reads both.
fn boolean(plain: &str) -> Option<bool> {
    match plain {
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

fn is_null(plain: &str) -> bool {
    matches!(plain, "" | "~" | "null" | "Null" | "NULL")
}

fn is_text(plain: &str) -> bool {
    let number = plain.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
        && plain.parse::<f64>().is_ok();
    !number && boolean(plain).is_none()
}

/// The top-level mapping during parsing.
#[derive(Default)]
struct Mapping {
    fields: BTreeMap<String, Value>,
    /// The key whose value comes next.
    key: Option<String>,
    depth: usize,
    begun: bool,
}

impl Mapping {
    fn read(yaml: &str) -> Result<Self, InvalidMetadata> {
        let mut mapping = Self::default();
        for event in Parser::new_from_str(yaml) {
            let (event, _) = event.map_err(|error| InvalidMetadata::Yaml {
                line: error.marker().line(),
                reason: error.info().to_owned(),
            })?;
            mapping.take(event)?;
        }
        if mapping.begun { Ok(mapping) } else { Err(InvalidMetadata::NoMapping) }
    }

    fn take(&mut self, event: Event<'_>) -> Result<(), InvalidMetadata> {
        match event {
            Event::Alias(_) => Err(InvalidMetadata::Aliases),
            Event::Scalar(_, _, anchor, _) | Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _)
                if anchor != 0 =>
            {
                Err(InvalidMetadata::Aliases)
            }
            Event::MappingStart(..) if self.depth == 0 && !self.begun => {
                (self.begun, self.depth) = (true, 1);
                Ok(())
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => self.nest(),
            Event::MappingEnd | Event::SequenceEnd => {
                self.depth = self.depth.saturating_sub(1);
                Ok(())
            }
            Event::Scalar(text, style, _, tag) => self.scalar(text, style, tag.as_deref()),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                Ok(())
            }
        }
    }

    fn nest(&mut self) -> Result<(), InvalidMetadata> {
        match self.depth {
            // A list, or a second document after the first.
            0 => return Err(InvalidMetadata::NoMapping),
            1 => {
                let key = self.key.take().ok_or(InvalidMetadata::KeyNotText)?;
                self.put(key, Value::Nested)?;
            }
            DEPTH_MAX => return Err(InvalidMetadata::TooDeep),
            _ => {}
        }
        self.depth += 1;
        Ok(())
    }

    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> Result<(), InvalidMetadata> {
        if self.depth == 0 {
            return Err(InvalidMetadata::NoMapping);
        }
        if self.depth > 1 {
            return Ok(());
        }
        let text = text.into_owned();
        let Some(key) = self.key.take() else {
            self.key = Some(text);
            return Ok(());
        };
        let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
        let plain = style == ScalarStyle::Plain && !is_text;
        self.put(key, if plain { Value::Plain(text) } else { Value::Text(text) })
    }

    fn put(&mut self, key: String, value: Value) -> Result<(), InvalidMetadata> {
        if self.fields.contains_key(&key) {
            return Err(InvalidMetadata::Duplicate(key));
        }
        self.fields.insert(key, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
