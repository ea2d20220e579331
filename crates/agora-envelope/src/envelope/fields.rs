//! The known fields of an envelope, and the validation rule of each.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::{EnvelopeError, VERSION};
use crate::{DidKey, MessageType, signature as sig};

/// The maximum number of characters in `id` and `thread.id`.
pub const IDENTIFIER_MAX: usize = 128;

type Members = Map<String, Value>;

pub(super) fn version(envelope: &Members) -> Result<(), EnvelopeError> {
    if required_text(envelope, "version")? == VERSION { Ok(()) } else { Err(EnvelopeError::Version) }
}

pub(super) fn id(envelope: &Members) -> Result<String, EnvelopeError> {
    identifier("id", required_text(envelope, "id")?)
}

/// A leap second is refused too, because ECMAScript cannot represent it.
pub(super) fn ts(envelope: &Members) -> Result<DateTime<Utc>, EnvelopeError> {
    let text = required_text(envelope, "ts")?;
    let ts = DateTime::parse_from_rfc3339(text).map_err(|_| EnvelopeError::Timestamp)?;
    if ts.timestamp_subsec_nanos() < 1_000_000_000 { Ok(ts.to_utc()) } else { Err(EnvelopeError::Timestamp) }
}

pub(super) fn kind(envelope: &Members) -> Result<MessageType, EnvelopeError> {
    Ok(required_text(envelope, "type")?.parse()?)
}

pub(super) fn sender(envelope: &Members) -> Result<DidKey, EnvelopeError> {
    let sender = object(envelope, "sender")?.ok_or(EnvelopeError::Missing { field: "sender" })?;
    did(sender, "sender.id")
}

pub(super) fn recipient(envelope: &Members) -> Result<Option<DidKey>, EnvelopeError> {
    object(envelope, "recipient")?.map(|recipient| did(recipient, "recipient.id")).transpose()
}

pub(super) fn payload(envelope: &Members) -> Result<(), EnvelopeError> {
    object(envelope, "payload")?.map(|_| ()).ok_or(EnvelopeError::Missing { field: "payload" })
}

pub(super) fn thread_id(envelope: &Members) -> Result<Option<String>, EnvelopeError> {
    let Some(thread) = object(envelope, "thread")? else { return Ok(None) };
    identifier("thread.id", required_text(thread, "thread.id")?).map(Some)
}

pub(super) fn ttl(envelope: &Members) -> Result<Option<u64>, EnvelopeError> {
    let Some(ttl) = object(envelope, "meta")?.and_then(|meta| meta.get("ttl")) else { return Ok(None) };
    // Above 2^53 - 1, numbers are doubles (see `json`).
    let seconds = ttl.as_u64();
    seconds.map(Some).ok_or(EnvelopeError::WrongType { field: "meta.ttl", expected: "a whole number of seconds" })
}

pub(super) fn signature(envelope: &Members) -> Result<[u8; 64], EnvelopeError> {
    Ok(sig::decode(required_text(envelope, "sig")?)?)
}

fn did(object: &Members, field: &'static str) -> Result<DidKey, EnvelopeError> {
    required_text(object, field)?.parse().map_err(|error| EnvelopeError::Did { field, error })
}

fn identifier(field: &'static str, text: &str) -> Result<String, EnvelopeError> {
    if text.is_empty() {
        Err(EnvelopeError::Empty { field })
    } else if text.chars().count() > IDENTIFIER_MAX {
        Err(EnvelopeError::TooLong { field, max: IDENTIFIER_MAX })
    } else if text.chars().any(char::is_control) {
        Err(EnvelopeError::ControlCharacter { field })
    } else {
        Ok(text.to_owned())
    }
}

/// The member named by the last part of a path. `null` counts as a value of the wrong type.
fn required_text<'a>(object: &'a Members, field: &'static str) -> Result<&'a str, EnvelopeError> {
    let name = field.rsplit_once('.').map_or(field, |(_, name)| name);
    let value = object.get(name).ok_or(EnvelopeError::Missing { field })?;
    value.as_str().ok_or(EnvelopeError::WrongType { field, expected: "a string" })
}

fn object<'a>(envelope: &'a Members, field: &'static str) -> Result<Option<&'a Members>, EnvelopeError> {
    let Some(value) = envelope.get(field) else { return Ok(None) };
    value.as_object().map(Some).ok_or(EnvelopeError::WrongType { field, expected: "an object" })
}
