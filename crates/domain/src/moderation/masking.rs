//! Masking: replaces the texts that operators hide or erase in an event's data. Covers copied names and profiles in any
//! event, and the texts of single events.
//!
//! **Invariant:** masked data decode as the same type of event, with the same ids.

use serde_json::{Map, Value, json};

use super::{LogPosition, SubjectId};
use crate::{
    event::{self, EventType},
    unchanged::rewritten,
};

/// The replacement of a hidden text.
pub const HIDDEN: &str = "[hidden]";
/// The replacement of an erased text.
pub const ERASED: &str = "[erased]";

/// For each id field: the text fields beside it, in any event and at any depth. These are the forms of names in event data that all
/// contexts share (see `names`), so they are listed here and not by the contexts.
const NAMED: [(&str, &[&str]); 5] = [
    ("id", &["name", "model"]),
    ("agentId", &["profile"]),
    ("ownerId", &["displayName"]),
    ("operatorId", &["operatorName"]),
    ("workspaceId", &["workspaceName", "name", "description", "goal", "tags"]),
];

/// Values of a result's status that decide how the thread counts. They contain no free text, so masking keeps them.
const PLAIN: [&str; 4] = ["success", "error", "failed", "failure"];

/// An event to be masked.
#[derive(Debug, Clone, Copy)]
pub struct Masked<'a> {
    /// Its position on the log.
    pub position: i64,
    /// Its type.
    pub event_type: &'a str,
    /// Its data.
    pub data: &'a str,
}

/// Whether events of this type hold a text that operators address by its position.
pub fn has_text(event_type: &str) -> bool {
    event::declaration(event_type).is_some_and(|declared| !declared.texts().is_empty())
}

/// Whether a signed text is the remainder of a masked one.
pub fn is_stub(signed: &str) -> bool {
    signed.starts_with(r#"{"masked":"#)
}

/// The data with `word` in place of every text of the masked subjects; `None` if they have no text in it. All other values keep their
/// text.
pub fn mask(event: Masked<'_>, is_masked: &impl Fn(SubjectId) -> bool, word: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(event.data).ok()?;
    let own_texts = event::declaration(event.event_type).map(EventType::texts).unwrap_or_default();
    let named = mask_named(&mut value, own_texts, is_masked, word);
    let own = is_masked(LogPosition(event.position).into()) && mask_own(&mut value, own_texts, word);
    (named || own).then(|| rewritten(event.data, &value))
}

/// Masks names, except in the event's own texts: ids in them are the client's content.
fn mask_named(value: &mut Value, own_texts: &[&str], is_masked: &impl Fn(SubjectId) -> bool, word: &str) -> bool {
    match value {
        Value::Array(items) => {
            let mut changed = false;
            for item in items {
                changed |= mask_named(item, own_texts, is_masked, word);
            }
            changed
        }
        Value::Object(fields) => {
            let mut changed = false;
            for (id, texts) in NAMED {
                let subject = fields.get(id).and_then(Value::as_str).and_then(|id| id.parse().ok());
                if subject.is_some_and(is_masked) {
                    changed |= blank(fields, texts, word);
                }
            }
            let others = fields.iter_mut().filter(|(name, _)| !own_texts.contains(&name.as_str()));
            others.fold(changed, |changed, (_, value)| mask_named(value, own_texts, is_masked, word) || changed)
        }
        _ => false,
    }
}

fn mask_own(value: &mut Value, own_texts: &[&str], word: &str) -> bool {
    match value {
        Value::Object(fields) => blank(fields, own_texts, word),
        _ => false,
    }
}

fn blank(fields: &mut Map<String, Value>, texts: &[&str], word: &str) -> bool {
    let mut changed = false;
    for name in texts {
        let Some(value) = fields.get_mut(*name).filter(|value| !value.is_null()) else { continue };
        let masked = match (*name, &*value) {
            ("profile", _) => json!({ "name": word, "model": word }),
            ("envelope", Value::Object(envelope)) => header_of(envelope, word),
            ("registration" | "withdrawal", _) => json!({ "masked": word }),
            ("status", Value::String(status)) if PLAIN.contains(&&*status.to_ascii_lowercase()) => value.clone(),
            (_, Value::Array(_)) => json!([]),
            _ => json!(word),
        };
        changed |= *value != masked;
        *value = masked;
    }
    changed
}

/// The fields of an envelope that identify it, without the sender's texts.
fn header_of(envelope: &Map<String, Value>, word: &str) -> Value {
    // An erased text stays erased, even if operators hide it later.
    let word = if envelope.get("masked").is_some_and(|before| before == ERASED) { ERASED } else { word };
    let mut header = Map::from_iter([("masked".to_owned(), json!(word))]);
    for name in ["id", "ts", "type"] {
        header.extend(envelope.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    for party in ["recipient", "sender"] {
        let id = envelope.get(party).and_then(|party| party.get("id"));
        header.extend(id.map(|id| (party.to_owned(), json!({ "id": id }))));
    }
    let ttl = envelope.get("meta").and_then(|meta| meta.get("ttl"));
    header.extend(ttl.map(|ttl| ("meta".to_owned(), json!({ "ttl": ttl }))));
    Value::Object(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{event::Event, relay::EnvelopeEvent};

    const AGENT: &str = "ag_00000000000000000000000002";
    const TRACK: &str = "ws_00000000000000000000000001";

    fn masked(event_type: &str, data: &Value, subject: &str) -> Option<Value> {
        let (subject, data) = (subject.parse::<SubjectId>().unwrap(), data.to_string());
        let event = Masked { position: 42, event_type, data: &data };
        let left = mask(event, &|asked| asked == subject, HIDDEN)?;
        Event::decode(event_type, &left).unwrap();
        Some(serde_json::from_str(&left).unwrap())
    }

    #[test]
    fn masking_replaces_a_name_everywhere_and_nothing_else() {
        let joined = json!({
            "workspaceId": TRACK, "workspaceName": "Webhooks",
            "member": { "id": AGENT, "name": "Scout", "type": "ai-agent", "model": "m-1" },
        });
        let left = masked("workspace.joined", &joined, AGENT).unwrap();
        assert_eq!(left["member"], json!({ "id": AGENT, "name": HIDDEN, "type": "ai-agent", "model": HIDDEN }));
        assert_eq!(left["workspaceName"], "Webhooks");
        let left = masked("workspace.joined", &joined, TRACK).unwrap();
        assert_eq!((&left["workspaceName"], &left["member"]["name"]), (&json!(HIDDEN), &json!("Scout")));
        assert_eq!(masked("workspace.joined", &joined, "ag_00000000000000000000000003"), None);
    }

    #[test]
    fn masking_replaces_a_whole_profile() {
        let registered = json!({ "agentId": AGENT, "ownerId": "ow_00000000000000000000000001", "profile": {
            "name": "Scout", "model": "m-1", "description": "Looks around", "capabilities": ["a", "b"] } });
        let left = masked("agent.registered", &registered, AGENT).unwrap();
        assert_eq!(left["profile"], json!({ "name": HIDDEN, "model": HIDDEN }));
    }

    #[test]
    fn masked_data_are_not_masked_again() {
        let registered = json!({ "ownerId": "ow_00000000000000000000000001", "displayName": HIDDEN });
        assert_eq!(masked("owner.registered", &registered, "ow_00000000000000000000000001"), None);
    }

    #[test]
    fn a_masked_envelope_keeps_its_header_fields() {
        let envelope = json!({
            "envelopeId": "m1", "threadId": "t1", "envelope": {
                "id": "m1", "ts": "2026-02-02T15:30:00Z", "type": "OFFER", "payload": { "words": "x" }, "thread": "t1",
                "sender": { "id": "did:key:a", "name": "A" }, "recipient": { "id": "did:key:b" },
                "meta": { "ttl": 60, "note": "x" }, "sig": "s",
            },
        });
        let left = masked("envelope.accepted", &envelope, "log_42").unwrap();
        assert_eq!(
            left["envelope"],
            json!({ "masked": HIDDEN, "id": "m1", "ts": "2026-02-02T15:30:00Z", "type": "OFFER",
                "sender": { "id": "did:key:a" }, "recipient": { "id": "did:key:b" }, "meta": { "ttl": 60 } })
        );
        let Event::Envelope(EnvelopeEvent::Accepted(data)) =
            Event::decode("envelope.accepted", &left.to_string()).unwrap()
        else {
            unreachable!()
        };
        assert!(data.envelope.header().is_some());
        assert_eq!(masked("envelope.accepted", &envelope, "log_43"), None);
    }

    #[test]
    fn the_remainder_of_a_signed_text_is_known_as_such() {
        let mut data = json!({ "registration": { "agent_id": "did:key:a" } });
        assert!(!is_stub(&data["registration"].to_string()) && mask_own(&mut data, &["registration"], HIDDEN));
        assert!(is_stub(&data["registration"].to_string()));
    }

    #[test]
    fn masking_keeps_a_status_that_counts() {
        let completed =
            |status: &str| json!({ "threadId": "t", "envelopeId": "m", "agent": "did:key:a", "status": status });
        assert_eq!(masked("thread.completed", &completed("Failed"), "log_42"), None);
        assert_eq!(masked("thread.completed", &completed("buy this"), "log_42").unwrap()["status"], HIDDEN);
    }

    #[test]
    fn masking_ignores_ids_in_client_content() {
        let asked = json!({ "exchangeId": "x", "body": { "id": AGENT, "name": "Scout" } });
        let event = Masked { position: 1, event_type: "exchange.asked", data: &asked.to_string() };
        assert_eq!(mask(event, &|subject| subject == AGENT.parse().unwrap(), HIDDEN), None);
    }
    #[test]
    fn masking_a_name_leaves_the_text_beside_it_as_it_was_written() {
        let body = r#"{"b":1.10, "a":123456789012345678901234567890}"#;
        let data = format!(r#"{{"exchangeId":"x","asker":{{"id":"{AGENT}","name":"Scout"}},"body":{body}}}"#);
        let event = Masked { position: 1, event_type: "exchange.asked", data: &data };
        let left = mask(event, &|subject| subject == AGENT.parse().unwrap(), HIDDEN).unwrap();
        assert!(left.contains(&format!(r#""body":{body}"#)) && left.contains(HIDDEN), "{left}");
    }
}
