//! A relay agent that signs its envelopes.

use agora_envelope::{DidKey, Signer};
use buildtrack_store::clock::{Clock, random};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::{Caller, Reply, TestApp};

/// A relay agent with its own key.
#[derive(Debug, Clone)]
pub struct Party {
    signer: Signer,
    name: String,
    caller: Caller,
    clock: Clock,
}

impl Party {
    pub(crate) fn new(caller: Caller, clock: Clock, name: &str) -> Self {
        Self { signer: Signer::from_seed(&random::<32>()), name: name.to_owned(), caller, clock }
    }

    /// The same agent, but at another server.
    pub fn at(&self, app: &TestApp) -> Self {
        Self { caller: self.caller.at(app), ..self.clone() }
    }

    /// Its DID.
    pub fn did(&self) -> &str {
        self.signer.did().as_str()
    }

    /// Its key.
    pub fn key(&self) -> &DidKey {
        self.signer.did()
    }

    /// Signs any object.
    pub fn sign(&self, envelope: Value) -> Value {
        self.signer.sign(envelope).unwrap()
    }

    /// A signed envelope of this type in a thread, under a new id.
    pub fn envelope(&self, kind: &str, thread: &str, payload: Value) -> Value {
        self.sign(self.unsigned(kind, thread, payload))
    }

    /// The same, without a signature.
    #[expect(clippy::needless_pass_by_value, reason = "every payload is made on the spot")]
    pub fn unsigned(&self, kind: &str, thread: &str, payload: Value) -> Value {
        json!({
            "version": "1.0",
            "id": format!("msg_{}", self.clock.uuid().simple()),
            "ts": time(self.clock.now()),
            "type": kind,
            "sender": { "id": self.did(), "name": self.name },
            "thread": { "id": thread },
            "payload": payload,
        })
    }

    /// Posts an envelope.
    pub async fn post(&self, envelope: &Value) -> Reply {
        self.caller.post("/events", envelope.clone()).await
    }

    /// Signs and posts an envelope.
    pub async fn send(&self, kind: &str, thread: &str, payload: Value) -> Reply {
        self.post(&self.envelope(kind, thread, payload)).await
    }

    /// Sends a REQUEST without a recipient.
    pub async fn request(&self, thread: &str) -> Reply {
        self.send("REQUEST", thread, json!({ "intent": "translation.en_zh", "params": { "text": "Hello" } })).await
    }

    /// Sends an OFFER.
    pub async fn offer(&self, thread: &str) -> Reply {
        self.send("OFFER", thread, json!({ "price": { "amount": 0.005, "currency": "USD" } })).await
    }

    /// Accepts the only offer.
    pub async fn accept(&self, thread: &str) -> Reply {
        self.send("ACCEPT", thread, json!({})).await
    }

    /// Sends the RESULT.
    pub async fn deliver(&self, thread: &str) -> Reply {
        self.send("RESULT", thread, json!({ "status": "success", "output": { "text": "你好" } })).await
    }

    /// A capability manifest, as the seed describes it (seed: «Capability Manifest»).
    pub fn manifest(intent: &str, fixed_price: f64) -> Value {
        json!({
            "id": format!("cap_{intent}"), "name": "A service", "version": "1.0.0",
            "intents": [{ "id": intent, "name": intent, "input_schema": { "type": "object" }, "output_schema": {} }],
            "pricing": { "model": "fixed", "currency": "USD", "fixed_price": fixed_price },
            "privacy_policy": "https://example.com/privacy", "supported_languages": ["en", "zh-Hans"],
            "auth": { "methods": ["ed25519"] },
        })
    }

    /// A registration without a signature.
    #[expect(clippy::needless_pass_by_value, reason = "every list is made on the spot")]
    pub fn registration(&self, capabilities: Vec<Value>) -> Value {
        let agent =
            json!({ "id": self.did(), "name": self.name, "url": "https://poly.example", "description": "Speaks." });
        json!({ "agent": agent, "capabilities": capabilities, "status": "online", "ts": time(self.clock.now()) })
    }

    /// Registers in the directory with these capabilities.
    pub async fn register(&self, capabilities: Vec<Value>) -> Reply {
        let registration = self.sign(self.registration(capabilities));
        self.caller.post("/v1/agents", registration).await
    }

    /// The path of its directory entry.
    pub fn entry_path(&self) -> String {
        format!("/v1/agents/{}", self.did())
    }

    /// A signed statement about itself, such as a heartbeat.
    pub fn statement(&self, kind: &str, mut object: Value) -> Value {
        object["type"] = kind.into();
        object["id"] = self.did().into();
        object["ts"] = time(self.clock.now()).into();
        self.sign(object)
    }

    /// Sends a heartbeat with this status.
    pub async fn heartbeat(&self, status: &str) -> Reply {
        let heartbeat = self.statement("HEARTBEAT", json!({ "status": status }));
        self.caller.post(&format!("{}/heartbeat", self.entry_path()), heartbeat).await
    }

    /// Removes its directory entry.
    pub async fn withdraw(&self) -> Reply {
        self.caller.delete(&self.entry_path()).json(self.statement("WITHDRAW", json!({}))).await
    }

    /// Polls without waiting.
    pub async fn poll(&self, query: &str) -> Reply {
        self.caller.get(&format!("/events?timeout=0&{query}")).await
    }

    /// A GET request.
    pub async fn get(&self, path: &str) -> Reply {
        self.caller.get(path).await
    }
}

/// A timestamp in JavaScript's format.
fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
