//! The body of a request or an answer (seed: «Request Fields», «Response Fields»).

use std::{borrow::Cow, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::{Value, value::RawValue};

use super::reading::Reading;

/// A JSON string or object, exactly as its author wrote it: numbers keep their digits, members their order, and the text its white
/// space. Cloning is cheap, however large the value is.
#[derive(Debug, Clone)]
pub struct Body(Arc<RawValue>);

/// The maximum size of a body, in bytes of JSON. It equals the largest request body. Events written before this limit
/// existed may hold more.
pub const BODY_BYTES_MAX: usize = 320 * 1024;
/// The maximum number of levels of objects and arrays in a body. Answers that hold a body add at most 8 levels, and common parsers
/// read 128. Events written before this limit existed may hold more.
pub const BODY_DEPTH_MAX: usize = 100;

/// Why a text is no body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidBody {
    /// The value is neither a string nor an object.
    #[error("expected a string or an object")]
    Kind,
    /// The text is not JSON, a string in it is not Unicode, or a number is beyond the range of a double.
    #[error("{0}")]
    Json(String),
    /// The value has more than [`BODY_DEPTH_MAX`] levels.
    #[error("expected at most {BODY_DEPTH_MAX} levels of objects and arrays")]
    TooDeep,
    /// An object has two members of this name. Readers would disagree about its value.
    #[error("the member {0:?} occurs twice in one object")]
    RepeatedMember(String),
}

impl Body {
    /// Reads a JSON text. Apart from its bounds, the text stays as it is.
    pub fn read(text: &str) -> Result<Self, InvalidBody> {
        let raw: Box<RawValue> = serde_json::from_str(text).map_err(|error| InvalidBody::Json(error.to_string()))?;
        if !is_body(&raw) {
            return Err(InvalidBody::Kind);
        }
        let reading = Reading::of(raw.get()).map_err(|error| InvalidBody::Json(error.to_string()))?;
        if reading.is_too_deep {
            return Err(InvalidBody::TooDeep);
        }
        match reading.repeated {
            Some(name) => Err(InvalidBody::RepeatedMember(name)),
            None => Ok(Self(raw.into())),
        }
    }

    /// The JSON text.
    pub fn json(&self) -> &str {
        self.0.get()
    }

    /// The parsed value, for this server's own answers. A number that neither a 64-bit integer nor a double can hold is rounded, and
    /// members are in the order of their names.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.json()).unwrap_or_default()
    }

    /// The string, or the object as JSON.
    pub fn text(&self) -> Cow<'_, str> {
        let decoded = || serde_json::from_str(self.json()).map(Cow::Owned);
        if self.is_object() { self.json().into() } else { decoded().unwrap_or_else(|_| self.json().into()) }
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.json().starts_with('{')
    }

    /// Whether the body has more than [`BODY_BYTES_MAX`] bytes as JSON.
    pub fn is_too_large(&self) -> bool {
        self.json().len() > BODY_BYTES_MAX
    }

    /// Whether the body holds a secret that opens a session or continues a conversation. No transcript may hold one.
    pub fn has_secret(&self) -> bool {
        Reading::of(self.json()).is_ok_and(|reading| reading.has_secret)
    }
}

fn is_body(raw: &RawValue) -> bool {
    raw.get().starts_with(['"', '{'])
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

impl Eq for Body {}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Reads a body that the log holds, also one from before the limits.
impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if is_body(&raw) { Ok(Self(raw.into())) } else { Err(D::Error::custom(InvalidBody::Kind)) }
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        // A string is always JSON.
        let raw = serde_json::value::to_raw_value(text).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Self(raw.into())
    }
}

impl TryFrom<Value> for Body {
    type Error = InvalidBody;

    fn try_from(value: Value) -> Result<Self, InvalidBody> {
        if !value.is_string() && !value.is_object() {
            return Err(InvalidBody::Kind);
        }
        let raw = RawValue::from_string(value.to_string()).map_err(|error| InvalidBody::Json(error.to_string()))?;
        Ok(Self(raw.into()))
    }
}

/// The prefixes of this server's secrets, each with the minimum number of characters after it: API keys, session
/// tokens, webhook secrets, and conversation ids.
const SECRETS: [(&str, usize); 4] = [("araf_", 40), ("bts_", 43), ("whsec_", 43), ("conv_", 32)];

/// Whether a text holds a secret of this server, or a text of the same form.
pub fn holds_secret(text: &str) -> bool {
    SECRETS.iter().any(|(prefix, length)| {
        text.match_indices(prefix).any(|(at, _)| {
            // Read only as many characters as the check needs: the rest may contain the prefix any number of times.
            let rest = text[at + prefix.len()..].bytes().take(*length);
            rest.take_while(|byte| byte.is_ascii_alphanumeric() || b"-_+/".contains(byte)).count() == *length
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn only_strings_and_objects_are_bodies() {
        for value in [json!("Hello"), json!(""), json!({}), json!({ "a": [1.5, null] })] {
            let body = Body::try_from(value.clone()).unwrap();
            assert_eq!((serde_json::to_value(&body).unwrap(), body.value()), (value.clone(), value));
        }
        for value in [json!(null), json!(1), json!(true), json!(["Hello"])] {
            assert_eq!(Body::read(&value.to_string()), Err(InvalidBody::Kind), "{value}");
            assert_eq!(serde_json::from_value::<Body>(value.clone()).ok(), None, "{value}");
            assert_eq!(Body::try_from(value.clone()), Err(InvalidBody::Kind), "{value}");
        }
        assert_eq!(Body::from("Hello").text(), "Hello");
        assert_eq!(Body::try_from(json!({ "a": "é" })).unwrap().text(), r#"{"a":"é"}"#);
    }

    #[test]
    fn numbers_and_the_order_of_members_stay_as_they_were_written() {
        let text = "{\"n\": 123456789012345678901234567890,\n\t\"d\":1.10, \"e\":-1E+2,\"b\":1,\"a\":\"\\u00e9\"}";
        let body = Body::read(&format!(" {text}\n")).unwrap();
        assert_eq!((body.json(), &*body.text()), (text, text));
        let stored = serde_json::to_string(&[&body]).unwrap();
        assert_eq!(stored, format!("[{text}]"));
        assert_eq!(serde_json::from_str::<[Body; 1]>(&stored).unwrap(), [Body::read(text).unwrap()]);
        assert_eq!(body.value()["n"], json!(1.234_567_890_123_456_8e29));
        assert_eq!(Body::read(r#""\u00e9""#).map(|body| body.text().into_owned()), Ok("é".to_owned()));
    }

    #[test]
    fn a_text_that_readers_would_read_differently_is_refused() {
        assert_eq!(Body::read(r#"{"a":1,"a":2}"#), Err(InvalidBody::RepeatedMember("a".into())));
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(BODY_DEPTH_MAX), "]".repeat(BODY_DEPTH_MAX));
        assert_eq!(Body::read(&deep), Err(InvalidBody::TooDeep));
        for text in ["{", r#"{"a":1e400}"#, r#""\udc00""#, "{} {}"] {
            assert!(matches!(Body::read(text), Err(InvalidBody::Json(_))), "{text}");
        }
    }

    #[test]
    fn a_body_is_measured_as_json() {
        let text = |bytes: usize| Body::from(&*"x".repeat(bytes - 2));
        assert!(!text(BODY_BYTES_MAX).is_too_large() && text(BODY_BYTES_MAX + 1).is_too_large());
        assert!(Body::from(&*"\"".repeat(BODY_BYTES_MAX / 2)).is_too_large());
    }

    #[test]
    fn repeated_secret_prefixes_are_checked_in_linear_time() {
        // 64,000 prefixes, each followed by all the others: 10^10 steps if each were read to its end.
        let text = "conv_".repeat(64_000);
        assert!(holds_secret(&text));
        let text = "araf_ ".repeat(64_000);
        assert!(!holds_secret(&text));
    }

    /// A JSON value in the spelling of an author: any digits, any order, any white space.
    fn spelled() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?",
            "\"([a-zé /]|\\\\[nt/\"]|\\\\u00[0-9a-f]{2}|\\\\ud83d\\\\ude00){0,8}\"",
            Just("null".to_owned()),
            Just("true".to_owned()),
        ];
        let gap = || "[ \t\r\n]{0,2}";
        leaf.prop_recursive(4, 24, 4, move |inner| {
            let item = (gap(), inner, gap()).prop_map(|(before, value, after)| before + &value + &after);
            let list = prop::collection::vec(item.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(",")));
            let object = prop::collection::hash_map("[a-z]{1,3}", item, 0..4).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\" :{value}")).collect();
                format!("{{{}}}", members.join(","))
            });
            prop_oneof![list, object]
        })
    }

    proptest! {
        #[test]
        fn a_body_passes_byte_for_byte(value in spelled()) {
            let text = format!("{{\"value\": {value}}}");
            let body = Body::read(&text).unwrap();
            let stored = serde_json::to_string(&std::collections::BTreeMap::from([("body", &body)])).unwrap();
            prop_assert_eq!(&stored, &format!("{{\"body\":{text}}}"));
            let read = serde_json::from_str::<std::collections::BTreeMap<String, Body>>(&stored).unwrap();
            prop_assert_eq!(read["body"].json(), text);
        }

        #[test]
        fn a_secret_is_found_at_any_depth_and_offset(before in "[a-z {}\"]{0,20}", after in "[ .,\"]{0,20}", nth in 0_usize..4, depth in 0_usize..4) {
            let (prefix, length) = SECRETS[nth];
            let text = format!("{before}{prefix}{}{after}", "a".repeat(length));
            let mut value = json!(text);
            for level in 0..depth {
                value = match level % 3 {
                    0 => json!({ "a": [value] }),
                    1 => json!({ "a": value }),
                    _ => json!({ (value.to_string()): 1 }),
                };
            }
            prop_assert!(Body::try_from(value.clone()).unwrap().has_secret(), "{value}");
            let short = format!("{before}{prefix}{} {after}", "a".repeat(length - 1));
            prop_assert!(!holds_secret(&short) && !Body::from(&*short).has_secret(), "{short}");
        }
    }
}
