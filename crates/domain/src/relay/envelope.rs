//! Accepted envelopes as events, and the fields that identify an envelope.

use std::sync::Arc;

use agora_envelope::MessageType;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error};
use serde_json::{Number, value::RawValue};

use super::{Did, EnvelopeId, TTL, TTL_MAX, ThreadId};
use crate::{
    decide::State,
    event::{event_set, unlisted_events},
};

event_set! {
    /// The events of one envelope; stream `envelope:{id}`.
    pub enum EnvelopeEvent: Uncached {
        /// The relay verified and accepted the envelope.
        Accepted(EnvelopeAccepted) = "envelope.accepted", Public, [Texts("envelope"), SharesText("envelopeId")];
    }
}

// Subscribers of the relay use its own endpoints.
unlisted_events!(EnvelopeEvent);

/// See [`EnvelopeEvent::Accepted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvelopeAccepted {
    /// The id that its sender chose.
    pub envelope_id: EnvelopeId,
    /// The thread that it advances.
    pub thread_id: ThreadId,
    /// The whole envelope.
    pub envelope: Sealed,
}

/// A signed envelope in canonical form (RFC 8785), with its signature: a JSON object, stored byte for byte. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub struct Sealed {
    text: Arc<str>,
    /// The header, if it was parsed already. It holds nothing that the text does not.
    header: Option<Arc<Header>>,
}

impl Sealed {
    /// Wraps a canonical text, as written by the crate `agora-envelope`.
    pub fn new(canonical: impl Into<Arc<str>>) -> Self {
        Self { text: canonical.into(), header: None }
    }

    /// Wraps a canonical text whose header is already parsed.
    pub fn with_header(canonical: impl Into<Arc<str>>, header: Header) -> Self {
        Self { text: canonical.into(), header: Some(Arc::new(header)) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The header; `None` if the text is not an envelope.
    pub fn header(&self) -> Option<Arc<Header>> {
        self.header.clone().or_else(|| self.read().map(Arc::new))
    }

    fn read(&self) -> Option<Header> {
        let Wire { ts, kind, sender, recipient, meta } = serde_json::from_str(&self.text).ok()?;
        let ttl = meta.and_then(|meta| meta.ttl).map(|ttl| seconds(&ttl));
        Some(Header::new(kind.parse().ok()?, sender.id, recipient.map(|party| party.id), instant(&ts)?, ttl))
    }
}

impl PartialEq for Sealed {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Sealed {}

/// The number of fractional digits of a second that both databases store.
const PRECISION: u16 = 6;

/// Parses a time as in `ts` and `since` (RFC 3339), truncated to microseconds, the precision of both databases.
pub fn instant(text: &str) -> Option<DateTime<Utc>> {
    Some(DateTime::parse_from_rfc3339(text).ok()?.to_utc().trunc_subsecs(PRECISION))
}

/// Whole seconds, truncated. A negative time to live becomes 0.
fn seconds(number: &Number) -> u64 {
    let whole = number.as_f64().unwrap_or(0.0).clamp(0.0, TTL_MAX_F64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range of u64")]
    let whole = whole as u64;
    number.as_u64().unwrap_or(whole)
}

/// [`TTL_MAX`] as a float, for comparison with fractional values.
const TTL_MAX_F64: f64 = 2_592_000.0;

/// The fields that identify an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Its type.
    pub kind: MessageType,
    /// The signer.
    pub sender: Did,
    /// The addressee, if any.
    pub recipient: Option<Did>,
    /// The time of creation, as stated by its sender.
    pub ts: DateTime<Utc>,
    /// How long the relay returns it to polling agents.
    pub retention: TimeDelta,
}

impl Header {
    /// `ttl` is `meta.ttl`, in seconds.
    pub fn new(kind: MessageType, sender: Did, recipient: Option<Did>, ts: DateTime<Utc>, ttl: Option<u64>) -> Self {
        let seconds = i64::try_from(ttl.unwrap_or(TTL).min(TTL_MAX)).unwrap_or_default();
        Self { kind, sender, recipient, ts: ts.trunc_subsecs(PRECISION), retention: TimeDelta::seconds(seconds) }
    }
}

/// The JSON fields that the header is made of.
#[derive(Deserialize)]
struct Wire {
    ts: String,
    #[serde(rename = "type")]
    kind: String,
    sender: Party,
    #[serde(default)]
    recipient: Option<Party>,
    #[serde(default)]
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Party {
    id: Did,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    ttl: Option<Number>,
}

impl Serialize for Sealed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.text).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Sealed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self::new(raw.get()))
    }
}

/// The use of an envelope id, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Submitted {
    /// The envelope with this id.
    pub accepted: Option<EnvelopeAccepted>,
}

impl State for Submitted {
    type Event = EnvelopeEvent;

    // It holds the whole text.
    const CACHED: bool = false;

    fn apply(self, EnvelopeEvent::Accepted(data): &EnvelopeEvent) -> Self {
        Self { accepted: Some(data.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;

    #[test]
    fn a_header_is_parsed_from_the_envelope() {
        let text = r#"{"meta":{"ttl":60.5},"recipient":{"id":"b"},"sender":{"id":"a","name":"A"},"ts":"2026-02-02T15:30:00.1234567Z","type":"OFFER"}"#;
        let header = Sealed::new(text).header().unwrap();
        assert_eq!((header.kind, header.sender.as_str()), (MessageType::Offer, "a"));
        assert_eq!(header.recipient.as_ref().map(Did::as_str), Some("b"));
        assert_eq!(header.ts.to_rfc3339(), "2026-02-02T15:30:00.123456+00:00");
        assert_eq!(header.retention, TimeDelta::seconds(60));
        let without = Sealed::new(r#"{"sender":{"id":"a"},"ts":"2026-02-02T15:30:00Z","type":"REQUEST"}"#);
        assert_eq!(without.header().map(|header| header.retention), Some(TimeDelta::minutes(5)));
    }

    #[test]
    fn a_cached_header_equals_the_parsed_one() {
        let text = r#"{"meta":{"ttl":9000000},"sender":{"id":"a"},"ts":"2026-02-02T15:30:00.1234567Z","type":"ERROR"}"#;
        let (read, ts) = (Sealed::new(text), "2026-02-02T15:30:00.1234567Z".parse().unwrap());
        let known = Header::new(MessageType::Error, "a".parse().unwrap(), None, ts, Some(9_000_000));
        assert_eq!(Some(&known), read.header().as_deref());
        assert_eq!(Sealed::with_header(text, known), read);
    }

    #[test]
    fn an_envelope_is_stored_byte_for_byte() {
        let text = r#"{"a":"\u0000 €","b":1e+30,"sig":"x"}"#;
        let (envelope_id, thread_id) = ("m1".parse().unwrap(), "t1".parse().unwrap());
        let accepted = EnvelopeAccepted { envelope_id, thread_id, envelope: Sealed::new(text) };
        let event = Event::Envelope(accepted.into());
        let encoded = event.encode();
        assert_eq!(encoded, format!(r#"{{"envelopeId":"m1","threadId":"t1","envelope":{text}}}"#));
        assert_eq!(Event::decode("envelope.accepted", &encoded).unwrap(), event);
    }
}
