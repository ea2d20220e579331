//! JSON texts as trees of a bounded size, for the search for errors in invalid bodies: a tree of many small values takes a hundred times
//! as long as its text.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The maximum number of values in the tree.
pub(crate) const VALUES_MAX: usize = 32 * 1024;

/// Parses a text, and returns its first [`VALUES_MAX`] values. The rest is only checked: arrays and objects then end early.
pub(crate) fn read(json: &[u8]) -> Result<Value, serde_json::Error> {
    let mut text = serde_json::Deserializer::from_slice(json);
    let mut left = VALUES_MAX;
    let value = Beginning(&mut left).deserialize(&mut text)?;
    text.end()?;
    Ok(value)
}

/// A value, with the number of values that the tree may still take.
struct Beginning<'l>(&'l mut usize);

impl<'de> DeserializeSeed<'de> for Beginning<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<Value, D::Error> {
        *self.0 = self.0.saturating_sub(1);
        text.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Beginning<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while *self.0 > 0 {
            match array.next_element_seed(Beginning(self.0))? {
                Some(item) => items.push(item),
                None => return Ok(items.into()),
            }
        }
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while *self.0 > 0 {
            let Some(name) = object.next_key::<String>()? else { return Ok(members.into()) };
            members.insert(name, object.next_value_seed(Beginning(self.0))?);
        }
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(members.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tree_of_few_values_is_that_of_the_text() {
        let text =
            r#"{"a": [1, -2, 3.5, "x\u00e9", null, true, {}], "a": {"b": []}, "c": 18446744073709551615, "d": 1e300}"#;
        assert_eq!(read(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn a_tree_ends_after_its_values_and_the_rest_is_checked() {
        let many = format!("[{}[0]]", "[],".repeat(2 * VALUES_MAX));
        assert_eq!(read(many.as_bytes()).unwrap().as_array().map(Vec::len), Some(VALUES_MAX - 1));
        assert!(read(many.replace("[0]]", "[0}]").as_bytes()).is_err());
        assert!(read(b"[] []").is_err());
        let members = format!("{{\"a\":[{}0],\"b\":1}}", "0,".repeat(VALUES_MAX));
        let read = read(members.as_bytes()).unwrap();
        assert_eq!((read["a"].as_array().map(Vec::len), &read["b"]), (Some(VALUES_MAX - 2), &json!(null)));
    }
}
