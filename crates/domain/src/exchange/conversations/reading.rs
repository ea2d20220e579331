//! One pass over a body's JSON: what its bounds and rules depend on. Numbers and the order of members are not looked at, because they
//! pass unchanged.

use std::{borrow::Cow, collections::HashSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{BODY_DEPTH_MAX, holds_secret};

/// What a pass has found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Whether there are more than [`BODY_DEPTH_MAX`] levels of objects and arrays.
    pub(super) is_too_deep: bool,
    /// The name of a member that occurs twice in one object.
    pub(super) repeated: Option<String>,
    /// Whether a string or a name holds a secret of this server.
    pub(super) has_secret: bool,
}

impl Reading {
    /// Reads a whole JSON text. Errors: no JSON, a string that is not Unicode, a number beyond the range of a double, more than 127
    /// levels.
    pub(super) fn of(json: &str) -> Result<Self, serde_json::Error> {
        let mut reading = Self::default();
        let mut deserializer = serde_json::Deserializer::from_str(json);
        Part { reading: &mut reading, depth: 0 }.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(reading)
    }
}

/// A value at this depth.
struct Part<'r> {
    reading: &'r mut Reading,
    depth: usize,
}

impl Part<'_> {
    /// The values inside of this one.
    fn inner(&mut self) -> Part<'_> {
        Part { reading: self.reading, depth: self.depth + 1 }
    }

    fn enter(&mut self) {
        self.reading.is_too_deep |= self.depth >= BODY_DEPTH_MAX;
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.reading.has_secret |= holds_secret(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.enter();
        while items.next_element_seed(self.inner())?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.enter();
        let mut names = HashSet::<Name<'de>>::new();
        while let Some(name) = members.next_key::<Name<'de>>()? {
            self.reading.has_secret |= holds_secret(&name.0);
            if self.reading.repeated.is_none() && names.contains(&name) {
                self.reading.repeated = Some(name.0.clone().into_owned());
            }
            names.insert(name);
            members.next_value_seed(self.inner())?;
        }
        Ok(())
    }
}

/// The name of a member, borrowed from the text unless it has escapes.
#[derive(Debug, PartialEq, Eq, Hash, serde::Deserialize)]
struct Name<'t>(#[serde(borrow)] Cow<'t, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}1{}", r#"{"a":["#.repeat(levels / 2), "]}".repeat(levels / 2))
    }

    #[test]
    fn levels_are_counted_up_to_the_limit() {
        let is_too_deep = |levels| Reading::of(&nested(levels)).unwrap().is_too_deep;
        assert!(!is_too_deep(BODY_DEPTH_MAX) && is_too_deep(BODY_DEPTH_MAX + 2));
        assert!(Reading::of(&nested(1000)).is_err());
    }

    #[test]
    fn a_repeated_member_is_found_in_any_spelling() {
        let repeated = |text| Reading::of(text).unwrap().repeated;
        assert_eq!(repeated(r#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}"#), None);
        assert_eq!(repeated(r#"[{"a":1,"\u0061":2}]"#).as_deref(), Some("a"));
    }

    #[test]
    fn texts_that_are_no_json_values_are_errors() {
        for text in [r#"{"a":1e400}"#, r#""\ud800""#, r#"{"a":01}"#, r#"{"a":1}}"#, r#"{"a":NaN}"#, "\"a\nb\""] {
            assert!(Reading::of(text).is_err(), "{text}");
        }
    }
}
