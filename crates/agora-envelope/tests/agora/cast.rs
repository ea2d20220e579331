//! Signers and sample envelopes of the tests.

use agora_envelope::{Envelope, EnvelopeError, Limits, Signer};
use serde_json::{Value, json};

pub(crate) fn alice() -> Signer {
    Signer::from_seed(&[1; 32])
}

pub(crate) fn bob() -> Signer {
    Signer::from_seed(&[2; 32])
}

/// Alice's request to Bob, with all fields of the seed's example except `sig`.
pub(crate) fn request() -> Value {
    json!({
        "version": "1.0",
        "id": "msg_01jqk7z8x8r9q3z5v2w4y6u8",
        "ts": "2026-02-02T15:30:00Z",
        "type": "REQUEST",
        "sender": { "id": alice().did(), "name": "MyAgent", "url": "https://myagent.example.com" },
        "recipient": { "id": bob().did() },
        "payload": {
            "request_id": "req_01jqk7z9",
            "intent": "translation.en_zh",
            "params": { "text": "Hello world" },
            "constraints": { "max_cost_usd": 0.01 },
        },
        "thread": { "id": "thread_01jqk7za" },
        "meta": { "ttl": 300, "hop": 0 },
    })
}

/// Alice's request with the member at a JSON pointer replaced or removed, then signed.
pub(crate) fn request_with(pointer: &str, value: Option<Value>) -> Value {
    let mut envelope = request();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = envelope.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => parent.insert(name.to_owned(), value),
        None => parent.remove(name),
    };
    alice().sign(envelope).unwrap()
}

pub(crate) fn parse(value: &Value) -> Result<Envelope, EnvelopeError> {
    Envelope::parse(value.to_string().as_bytes(), &Limits::default())
}
