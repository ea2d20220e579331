//! Changes within a JSON text that leave the unchanged values as their authors wrote them: with all digits, and their members in order.
//!
//! **Invariant:** the time that a change takes grows with the length of the text, however deep its values are: nothing is parsed once
//! a level.

use std::{collections::BTreeMap, fmt};

use serde::{
    Serialize,
    de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

/// The text of `changed`, a value that was parsed from `text` and then changed in places. Values that are equal in both keep their
/// text; of an object that differs, the members are in the order of their names.
pub(crate) fn rewritten(text: &str, changed: &Value) -> String {
    let written = serde_json::from_str::<Value>(text).and_then(|before| {
        let edit = Edit::between(&before, changed);
        let piece = edit.deserialize(&mut serde_json::Deserializer::from_str(text))?;
        serde_json::to_string(&piece)
    });
    written.unwrap_or_else(|_| changed.to_string())
}

/// What becomes of a value.
enum Edit<'v> {
    Unchanged,
    New(&'v Value),
    /// The members that stay or are new; others are left out.
    Object(BTreeMap<&'v str, Edit<'v>>),
    Array(Vec<Edit<'v>>),
}

impl<'v> Edit<'v> {
    fn between(before: &Value, after: &'v Value) -> Self {
        match (before, after) {
            (Value::Object(before), Value::Object(after)) => {
                let edit = |(name, value): (&'v String, &'v Value)| {
                    (name.as_str(), before.get(name).map_or(Self::New(value), |before| Self::between(before, value)))
                };
                let members: BTreeMap<_, _> = after.iter().map(edit).collect();
                let is_same = before.len() == after.len() && members.values().all(Self::is_unchanged);
                if is_same { Self::Unchanged } else { Self::Object(members) }
            }
            (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
                let items: Vec<_> =
                    before.iter().zip(after).map(|(before, after)| Self::between(before, after)).collect();
                if items.iter().all(Self::is_unchanged) { Self::Unchanged } else { Self::Array(items) }
            }
            // Not two objects, nor two arrays of one length, so the comparison looks at nothing within them.
            (before, after) if before == after => Self::Unchanged,
            _ => Self::New(after),
        }
    }

    fn is_unchanged(&self) -> bool {
        matches!(self, Self::Unchanged)
    }
}

/// A part of the changed text.
#[derive(Serialize)]
#[serde(untagged)]
enum Piece<'t, 'v> {
    Unchanged(&'t RawValue),
    New(&'v Value),
    Object(BTreeMap<String, Piece<'t, 'v>>),
    Array(Vec<Piece<'t, 'v>>),
}

impl<'t, 'v> DeserializeSeed<'t> for &Edit<'v> {
    type Value = Piece<'t, 'v>;

    fn deserialize<D: Deserializer<'t>>(self, text: D) -> Result<Self::Value, D::Error> {
        match self {
            Edit::Unchanged => <&RawValue>::deserialize(text).map(Piece::Unchanged),
            Edit::New(value) => IgnoredAny::deserialize(text).map(|_| Piece::New(value)),
            Edit::Object(members) => text.deserialize_map(Members(members)),
            Edit::Array(items) => text.deserialize_seq(Items(items)),
        }
    }
}

struct Members<'e, 'v>(&'e BTreeMap<&'v str, Edit<'v>>);

impl<'t, 'v> Visitor<'t> for Members<'_, 'v> {
    type Value = Piece<'t, 'v>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut members = BTreeMap::new();
        while let Some(name) = fields.next_key::<String>()? {
            if let Some(edit) = self.0.get(name.as_str()) {
                members.insert(name, fields.next_value_seed(edit)?);
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        for (name, edit) in self.0 {
            if let Edit::New(value) = edit {
                members.insert((*name).to_owned(), Piece::New(value));
            }
        }
        Ok(Piece::Object(members))
    }
}

struct Items<'e, 'v>(&'e [Edit<'v>]);

impl<'t, 'v> Visitor<'t> for Items<'_, 'v> {
    type Value = Piece<'t, 'v>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut pieces = Vec::with_capacity(self.0.len());
        for edit in self.0 {
            pieces.extend(items.next_element_seed(edit)?);
        }
        Ok(Piece::Array(pieces))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_changed_values_are_written_anew() {
        let text =
            r#"{"z":{"b":1.10, "a":123456789012345678901234567890},"list":[1.0,{"n":"x","m":2e5}],"gone":1,"a":"y"}"#;
        let mut value: Value = serde_json::from_str(text).unwrap();
        value["list"][1]["n"] = json!("deleted");
        value["new"] = json!([]);
        value.as_object_mut().unwrap().remove("gone");
        assert_eq!(
            rewritten(text, &value),
            r#"{"a":"y","list":[1.0,{"m":2e5,"n":"deleted"}],"new":[],"z":{"b":1.10, "a":123456789012345678901234567890}}"#
        );
    }
    #[test]
    fn an_unchanged_text_stays_as_it_is() {
        let text = r#"{"z":1.0, "a":[2e5]}"#;
        assert_eq!(rewritten(text, &serde_json::from_str(text).unwrap()), text);
    }

    #[test]
    fn a_deep_change_leaves_the_text_around_it() {
        let (open, close) = (r#"{"pad":1.10,"in":"#.repeat(98), "}".repeat(98));
        let text = |name: &str| format!(r#"{open}{{"n":{name}}}{close}"#);
        let before = text(r#""x""#);
        let mut value: Value = serde_json::from_str(&before).unwrap();
        let innermost = (0..98).fold(&mut value, |value, _| &mut value["in"]);
        innermost["n"] = json!("deleted");
        let expected: Value = serde_json::from_str(&text(r#""deleted""#)).unwrap();
        let written = rewritten(&before, &value);
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), expected);
        assert_eq!(written.matches("1.10").count(), 98);
    }

    #[test]
    fn a_list_of_another_length_is_written_anew() {
        assert_eq!(rewritten(r#"{"a":[1,2], "b":1.0}"#, &json!({ "a": [1], "b": 1.0 })), r#"{"a":[1],"b":1.0}"#);
    }
}
