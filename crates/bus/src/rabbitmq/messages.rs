//! Encoding of notices as AMQP messages: a JSON body, with the event type among the properties for operators who inspect a
//! queue.

use chrono::{DateTime, Utc};
use lapin::{
    BasicProperties,
    types::{AMQPValue, FieldTable},
};
use serde::{Deserialize, Serialize};

use crate::{DeadLetter, Notice};

const REASON: &str = "x-buildtrack-reason";
const PERSISTENT: u8 = 2;

#[derive(Serialize, Deserialize)]
struct Body<'a> {
    position: i64,
    #[serde(rename = "type", borrow)]
    event_type: std::borrow::Cow<'a, str>,
}

/// An outgoing message.
#[derive(Debug, Clone)]
pub(super) struct Message {
    /// The position in the notice.
    pub(super) position: i64,
    pub(super) exchange: &'static str,
    pub(super) routing_key: String,
    /// Whether the broker must return it if no queue is bound for it.
    pub(super) mandatory: bool,
    pub(super) body: Vec<u8>,
    pub(super) properties: BasicProperties,
}

pub(super) fn body(notice: &Notice) -> Vec<u8> {
    // A number and a string always serialize.
    serde_json::to_vec(&Body { position: notice.position, event_type: (&notice.event_type).into() }).unwrap_or_default()
}

pub(super) fn properties(event_type: &str) -> BasicProperties {
    BasicProperties::default()
        .with_delivery_mode(PERSISTENT)
        .with_content_type("application/json".into())
        .with_type(event_type.into())
}

pub(super) fn dead(notice: &Notice, reason: &str, now: DateTime<Utc>) -> BasicProperties {
    let mut headers = FieldTable::default();
    headers.insert(REASON.into(), AMQPValue::LongString(reason.into()));
    properties(&notice.event_type)
        .with_headers(headers)
        .with_timestamp(u64::try_from(now.timestamp()).unwrap_or_default())
}

pub(super) fn notice(body: &[u8]) -> Result<Notice, serde_json::Error> {
    let Body { position, event_type } = serde_json::from_slice(body)?;
    Ok(Notice { position, event_type: event_type.into_owned() })
}

/// The number of the delivery attempt, from 1. A quorum queue counts returns.
pub(super) fn attempt(properties: &BasicProperties) -> u32 {
    let returns = header(properties, "x-delivery-count").and_then(whole_number).unwrap_or(0);
    u32::try_from(returns).unwrap_or(u32::MAX).saturating_add(1)
}

pub(super) fn dead_letter(body: &[u8], properties: &BasicProperties) -> DeadLetter {
    let notice = notice(body).unwrap_or_else(|_| Notice::new(0, ""));
    let broker = header(properties, "x-death").and_then(latest_death);
    let own = header(properties, REASON).and_then(text);
    let broker_reason = || broker.and_then(|death| death.inner().get("reason")).and_then(text);
    let died_at = properties.timestamp().or_else(|| match broker?.inner().get("time")? {
        AMQPValue::Timestamp(seconds) => Some(*seconds),
        _ => None,
    });
    DeadLetter {
        position: notice.position,
        event_type: notice.event_type,
        died_at: died_at.and_then(|seconds| DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)),
        reason: own.or_else(broker_reason).unwrap_or_default(),
    }
}

fn header<'a>(properties: &'a BasicProperties, name: &str) -> Option<&'a AMQPValue> {
    properties.headers().as_ref()?.inner().get(name)
}

fn latest_death(deaths: &AMQPValue) -> Option<&FieldTable> {
    match deaths.as_array()?.as_slice().first()? {
        AMQPValue::FieldTable(death) => Some(death),
        _ => None,
    }
}

fn text(value: &AMQPValue) -> Option<String> {
    match value {
        AMQPValue::LongString(text) => Some(String::from_utf8_lossy(text.as_bytes()).into_owned()),
        AMQPValue::ShortString(text) => Some(text.as_str().to_owned()),
        _ => None,
    }
}

fn whole_number(value: &AMQPValue) -> Option<i64> {
    match *value {
        AMQPValue::ShortShortInt(number) => Some(number.into()),
        AMQPValue::ShortShortUInt(number) => Some(number.into()),
        AMQPValue::ShortInt(number) => Some(number.into()),
        AMQPValue::ShortUInt(number) => Some(number.into()),
        AMQPValue::LongInt(number) => Some(number.into()),
        AMQPValue::LongUInt(number) => Some(number.into()),
        AMQPValue::LongLongInt(number) => Some(number),
        _ => None,
    }
}
