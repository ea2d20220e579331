//! The validator `json_equal`: one JSON value.

use agora_envelope::{
    Limits,
    json::{parse_strict, within},
};
use serde_json::Value;

use super::{At, Object, Problem};
use crate::arena::tasks::{ANSWER_BYTES_MAX, ANSWER_DEPTH_MAX, Verdict};

const LIMITS: Limits = Limits { bytes: ANSWER_BYTES_MAX, depth: ANSWER_DEPTH_MAX };

/// `{"kind": "json_equal", "value": …}`: the same value. The order of members does not count, that of items does; `1`,
/// `1.0` and `1e0` are the same number.
#[derive(Debug)]
pub(super) struct JsonEqual(Value);

impl JsonEqual {
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        read_value(&object.required("value")?).map(Self)
    }

    pub(super) fn judge(&self, answer: &str) -> Verdict {
        parse(answer).map_or(Verdict::MALFORMED, |answer| Verdict::of(answer == self.0))
    }
}

/// Parses an answer strictly: JSON alone, without a Markdown fence around it, without duplicate keys, and with bounded
/// depth. `None` if it is anything else.
pub(super) fn parse(answer: &str) -> Option<Value> {
    parse_strict(answer.as_bytes(), &LIMITS).ok()
}

/// A value that answers are compared with, in the form of [`parse`].
pub(super) fn read_value(at: &At<'_>) -> Option<Value> {
    normal(at.value.clone()).or_else(|| at.fault(Problem::Expected("a value as deep as answers may be")))
}

/// A value in the form of [`parse`], in which equal numbers are written alike. `None` if it is deeper than answers may be.
pub(super) fn normal(value: Value) -> Option<Value> {
    within(value, &LIMITS).ok()
}
