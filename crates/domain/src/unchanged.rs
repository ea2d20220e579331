//! Changes within a JSON text that leave the unchanged values as their authors wrote them: with all digits, and their members in order.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;
use serde_json::{Value, value::RawValue};

/// The text of `changed`, a value that was parsed from `text` and then changed in places. Values that are equal in both keep their
/// text; of an object that differs, the members are in the order of their names.
pub(crate) fn rewritten(text: &str, changed: &Value) -> String {
    match changed {
        Value::Object(fields) => {
            let Ok(before) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) else {
                return changed.to_string();
            };
            let members = fields.iter().map(|(name, value)| (name, member(before.get(name).copied(), value)));
            encoded(&members.collect::<BTreeMap<_, _>>())
        }
        Value::Array(items) => {
            let Ok(before) = serde_json::from_str::<Vec<&RawValue>>(text) else { return changed.to_string() };
            let items = items.iter().enumerate().map(|(index, value)| member(before.get(index).copied(), value));
            encoded(&items.collect::<Vec<_>>())
        }
        _ => changed.to_string(),
    }
}

fn member<'t>(before: Option<&'t RawValue>, value: &Value) -> Cow<'t, RawValue> {
    let Some(before) = before else { return raw(value.to_string()) };
    let is_equal = serde_json::from_str::<Value>(before.get()).is_ok_and(|before| before == *value);
    if is_equal { Cow::Borrowed(before) } else { raw(rewritten(before.get(), value)) }
}

fn raw(text: String) -> Cow<'static, RawValue> {
    // The text of a value is always JSON.
    Cow::Owned(RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned()))
}

fn encoded(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
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
}
