//! Strict JSON parsing: I-JSON (RFC 7493), the input of RFC 8785.
//!
//! Texts that two parsers could read differently are refused. **Invariant:** each number has one form: an integer if it
//! is whole and at most 2^53 - 1, otherwise a double. So two values are equal exactly if their canonical forms are.
//! Larger integers are rounded to the nearest double, as in ECMAScript's `JSON.parse`. A sender in that language signed
//! the rounded value, and the rounded value is forwarded, so that no unsigned digit is.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// The largest safe integer of a double (`Number.MAX_SAFE_INTEGER` of ECMAScript): 2^53 - 1.
const SAFE_MAX: u64 = (1 << 53) - 1;
/// The maximum number of characters of a duplicate key in an error.
const NAME_SHOWN: usize = 64;

/// The maximum size and depth of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of bytes, both as received and in canonical form.
    pub bytes: usize,
    /// The maximum nesting of objects and arrays. An object without nested ones has depth 1. Values above 126 count as
    /// 126.
    pub depth: usize,
}

impl Default for Limits {
    /// 64 KiB, which fits a long text with its artifacts named by URL, and a depth of 32.
    fn default() -> Self {
        Self { bytes: 64 * 1024, depth: 32 }
    }
}

/// The reason why bytes are not valid strict JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// The text exceeds the size limit.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// [`Limits::bytes`].
        limit: usize,
    },
    /// The nesting of objects and arrays exceeds the limit.
    #[error("its objects and arrays are nested more than {limit} deep")]
    TooDeep {
        /// [`Limits::depth`].
        limit: usize,
    },
    /// The text begins with U+FEFF.
    #[error("it begins with a byte order mark")]
    ByteOrderMark,
    /// The text is not UTF-8.
    #[error("it is not UTF-8 from byte {at} on")]
    NotUtf8 {
        /// The offset of the first invalid byte.
        at: usize,
    },
    /// The text ends early, or is empty.
    #[error("it ends before its value does")]
    Incomplete,
    /// A character other than white space follows the value.
    #[error("text follows the value at line {line}, column {column}")]
    Trailing {
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
    },
    /// An object has a duplicate key, in any escaping.
    #[error("an object has the key {name:?} twice")]
    DuplicateKey {
        /// The key, at most its first 64 characters.
        name: String,
    },
    /// A number exceeds the range of doubles.
    #[error("a number at line {line}, column {column} is too large for a double")]
    NumberOutOfRange {
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
    },
    /// A string contains an escape of a lone surrogate.
    #[error("an escape at line {line}, column {column} is half of a surrogate pair")]
    LoneSurrogate {
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
    },
    /// The text is not JSON.
    #[error("it is not JSON at line {line}, column {column}")]
    Syntax {
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
    },
}

impl JsonError {
    /// A stable code for the reason.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "too_large",
            Self::TooDeep { .. } => "too_deep",
            Self::ByteOrderMark => "byte_order_mark",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::Incomplete => "json_incomplete",
            Self::Trailing { .. } => "json_trailing",
            Self::DuplicateKey { .. } => "duplicate_key",
            Self::NumberOutOfRange { .. } => "number_out_of_range",
            Self::LoneSurrogate { .. } => "lone_surrogate",
            Self::Syntax { .. } => "json_syntax",
        }
    }
}

/// Parses one JSON value (RFC 8259) within the limits. Also refuses duplicate keys, numbers beyond doubles, lone
/// surrogates, and a byte order mark.
pub fn parse_strict(bytes: &[u8], limits: &Limits) -> Result<Value, JsonError> {
    if bytes.len() > limits.bytes {
        return Err(JsonError::TooLarge { limit: limits.bytes });
    }
    if bytes.starts_with("\u{feff}".as_bytes()) {
        return Err(JsonError::ByteOrderMark);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| JsonError::NotUtf8 { at: error.valid_up_to() })?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let refusal = Cell::new(None);
    let strict = Strict { refusal: &refusal, limit: depth(limits), left: depth(limits) };
    let value =
        strict.deserialize(&mut deserializer).map_err(|error| refusal.take().unwrap_or_else(|| cause(&error)))?;
    deserializer.end().map_err(|error| JsonError::Trailing { line: error.line(), column: error.column() })?;
    Ok(value)
}

/// Converts a value that was parsed elsewhere to the form of [`parse_strict`], unless it is too deep. Its size is not
/// checked.
pub fn within(value: Value, limits: &Limits) -> Result<Value, JsonError> {
    tidy(value, depth(limits)).ok_or(JsonError::TooDeep { limit: depth(limits) })
}

fn tidy(value: Value, left: usize) -> Option<Value> {
    Some(match value {
        Value::Array(items) => {
            let left = left.checked_sub(1)?;
            Value::Array(items.into_iter().map(|item| tidy(item, left)).collect::<Option<_>>()?)
        }
        Value::Object(members) => {
            let left = left.checked_sub(1)?;
            let members = members.into_iter().map(|(name, value)| Some((name, tidy(value, left)?)));
            Value::Object(members.collect::<Option<_>>()?)
        }
        Value::Number(number) => Value::Number(normal(number)),
        other => other,
    })
}

/// `serde_json` has its own limit of 128 and does not report it distinctly.
fn depth(limits: &Limits) -> usize {
    limits.depth.min(126)
}

/// Maps a parser error to a reason. `serde_json` distinguishes its errors only by message; the tests pin the messages.
fn cause(error: &serde_json::Error) -> JsonError {
    let (line, column, words) = (error.line(), error.column(), error.to_string());
    let says = |beginning| words.starts_with(beginning);
    if error.is_eof() {
        JsonError::Incomplete
    } else if says("number out of range") {
        JsonError::NumberOutOfRange { line, column }
    } else if says("lone leading surrogate") || says("unexpected end of hex escape") {
        JsonError::LoneSurrogate { line, column }
    } else {
        JsonError::Syntax { line, column }
    }
}

/// The normalized form of a number.
fn normal(number: Number) -> Number {
    match (number.as_u64(), number.as_i64()) {
        (Some(whole), _) if whole <= SAFE_MAX => number,
        (None, Some(whole)) if whole.unsigned_abs() <= SAFE_MAX => number,
        _ => number.as_f64().and_then(from_double).unwrap_or(number),
    }
}

/// The number of a double; `None` if it is infinite.
fn from_double(double: f64) -> Option<Number> {
    #[expect(clippy::cast_precision_loss, reason = "2^53 - 1 is a double")]
    let safe = double.abs() <= SAFE_MAX as f64;
    if safe && double.fract() == 0.0 {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
        return Some((double as i64).into());
    }
    Number::from_f64(double)
}

/// Deserializes a value with nesting up to `left`, and stores the reason in `refusal` if it fails.
#[derive(Clone, Copy)]
struct Strict<'a> {
    refusal: &'a Cell<Option<JsonError>>,
    limit: usize,
    left: usize,
}

impl Strict<'_> {
    fn refuse<E: serde::de::Error>(self, error: JsonError) -> E {
        self.refusal.set(Some(error));
        E::custom("refused")
    }

    fn inner<E: serde::de::Error>(self) -> Result<Self, E> {
        let left = self.left.checked_sub(1).ok_or_else(|| self.refuse(JsonError::TooDeep { limit: self.limit }))?;
        Ok(Self { left, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(normal(value.into())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(normal(value.into())))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        from_double(value).map(Value::Number).ok_or_else(|| E::custom("not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            match object.entry(name) {
                Entry::Vacant(entry) => entry.insert(members.next_value_seed(inner)?),
                Entry::Occupied(twice) => {
                    let name = twice.key().chars().take(NAME_SHOWN).collect();
                    return Err(self.refuse(JsonError::DuplicateKey { name }));
                }
            };
        }
        Ok(Value::Object(object))
    }
}
