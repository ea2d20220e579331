//! The payload fields that the relay's state machine uses (seed: «Message Types»). The relay ignores all others.

use agora_envelope::MessageType;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::instant;

/// A payload field that is missing or invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {expected}")]
pub struct InvalidPayload {
    /// JSON Pointer (RFC 6901) into the envelope.
    pub field: &'static str,
    /// The expected value.
    pub expected: &'static str,
}

/// The parsed payload. Fields that the envelope's type does not have are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payload {
    /// `request_id`.
    pub request_id: Option<String>,
    /// `intent` of a REQUEST.
    pub intent: Option<String>,
    /// `constraints.deadline` of a REQUEST, `terms.deadline` of an ACCEPT.
    pub deadline: Option<DateTime<Utc>>,
    /// `valid_until` of an OFFER.
    pub valid_until: Option<DateTime<Utc>>,
    /// `eta_seconds` of an OFFER, rounded up.
    pub eta_seconds: Option<i64>,
    /// `status` of a RESULT.
    pub status: Option<String>,
    /// `code` of an ERROR.
    pub code: Option<String>,
}

const TEXT: &str = "a text of 1 to 128 characters, none of them a control character";
const TIME: &str = "a time (RFC 3339)";

impl Payload {
    /// Parses the payload of an envelope of this type.
    pub fn read(kind: MessageType, payload: &Map<String, Value>) -> Result<Self, InvalidPayload> {
        let mut read = Self { request_id: name(payload, "request_id", "/payload/request_id")?, ..Self::default() };
        match kind {
            MessageType::Request => {
                read.intent = Some(required(name(payload, "intent", "/payload/intent")?, "/payload/intent")?);
                read.deadline =
                    nested(payload, ("constraints", "/payload/constraints"), "/payload/constraints/deadline")?;
            }
            MessageType::Offer => {
                check_price(payload)?;
                read.valid_until = time(payload.get("valid_until"), "/payload/valid_until")?;
                read.eta_seconds = payload.get("eta_seconds").and_then(Value::as_f64).and_then(eta);
            }
            MessageType::Accept => {
                read.deadline = nested(payload, ("terms", "/payload/terms"), "/payload/terms/deadline")?;
            }
            MessageType::Result => {
                read.status = Some(required(name(payload, "status", "/payload/status")?, "/payload/status")?);
            }
            MessageType::Error => {
                read.code = Some(required(name(payload, "code", "/payload/code")?, "/payload/code")?);
                let message = payload.get("message").and_then(Value::as_str);
                message.ok_or(InvalidPayload { field: "/payload/message", expected: "a text" })?;
            }
            MessageType::Cancel => {}
        }
        Ok(read)
    }
}

fn required(text: Option<String>, field: &'static str) -> Result<String, InvalidPayload> {
    text.ok_or(InvalidPayload { field, expected: TEXT })
}

/// An optional short text.
fn name(payload: &Map<String, Value>, key: &str, field: &'static str) -> Result<Option<String>, InvalidPayload> {
    let Some(value) = payload.get(key) else { return Ok(None) };
    let fits = |text: &&str| !text.is_empty() && text.chars().count() <= 128 && !text.chars().any(char::is_control);
    let text = value.as_str().filter(fits).ok_or(InvalidPayload { field, expected: TEXT })?;
    Ok(Some(text.to_owned()))
}

fn time(value: Option<&Value>, field: &'static str) -> Result<Option<DateTime<Utc>>, InvalidPayload> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let text = value.as_str().ok_or(InvalidPayload { field, expected: TIME })?;
    instant(text).map(Some).ok_or(InvalidPayload { field, expected: TIME })
}

/// The deadline in an optional object.
fn nested(
    payload: &Map<String, Value>,
    (key, outer): (&str, &'static str),
    field: &'static str,
) -> Result<Option<DateTime<Utc>>, InvalidPayload> {
    let Some(value) = payload.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
    let object = value.as_object().ok_or(InvalidPayload { field: outer, expected: "an object" })?;
    time(object.get("deadline"), field)
}

/// A promised duration of up to a year. The relay ignores longer and negative promises.
fn eta(seconds: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "the value is within a year")]
    (0.0..=31_536_000.0).contains(&seconds).then(|| seconds.ceil() as i64)
}

/// A price is a non-negative amount with a currency.
fn check_price(payload: &Map<String, Value>) -> Result<(), InvalidPayload> {
    let Some(price) = payload.get("price").filter(|price| !price.is_null()) else { return Ok(()) };
    let price = price.as_object().ok_or(InvalidPayload { field: "/payload/price", expected: "an object" })?;
    let amount = price.get("amount").and_then(Value::as_f64).filter(|amount| *amount >= 0.0);
    amount.ok_or(InvalidPayload { field: "/payload/price/amount", expected: "a number, 0 or more" })?;
    let currency = price.get("currency").and_then(Value::as_str).filter(|currency| !currency.is_empty());
    currency.ok_or(InvalidPayload { field: "/payload/price/currency", expected: "a text" })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(kind: MessageType, payload: &Value) -> Result<Payload, InvalidPayload> {
        Payload::read(kind, payload.as_object().unwrap())
    }

    #[test]
    fn known_payload_fields_are_parsed() {
        let constraints = json!({"max_cost_usd": 0.01, "deadline": "2026-02-02T15:36:00+01:00"});
        let request = json!({"request_id": "req_1", "intent": "translation.en_zh", "constraints": constraints});
        let request = read(MessageType::Request, &request).unwrap();
        assert_eq!(request.request_id.as_deref(), Some("req_1"));
        assert_eq!(request.intent.as_deref(), Some("translation.en_zh"));
        assert_eq!(request.deadline.map(|time| time.to_rfc3339()), Some("2026-02-02T14:36:00+00:00".into()));
    }

    #[test]
    fn an_error_names_the_invalid_field() {
        for (kind, payload, field) in [
            (MessageType::Request, json!({"request_id": "r"}), "/payload/intent"),
            (MessageType::Request, json!({"intent": "a", "request_id": 7}), "/payload/request_id"),
            (MessageType::Request, json!({"intent": "a", "constraints": []}), "/payload/constraints"),
            (
                MessageType::Request,
                json!({"intent": "a", "constraints": {"deadline": "soon"}}),
                "/payload/constraints/deadline",
            ),
            (MessageType::Offer, json!({"valid_until": 7}), "/payload/valid_until"),
            (MessageType::Offer, json!({"price": {"amount": -1, "currency": "USD"}}), "/payload/price/amount"),
            (MessageType::Offer, json!({"price": {"amount": 1}}), "/payload/price/currency"),
            (MessageType::Accept, json!({"terms": {"deadline": "x"}}), "/payload/terms/deadline"),
            (MessageType::Result, json!({}), "/payload/status"),
            (MessageType::Error, json!({"code": "TIMEOUT"}), "/payload/message"),
        ] {
            assert_eq!(read(kind, &payload).map_err(|error| error.field), Err(field), "{payload}");
        }
    }
}
