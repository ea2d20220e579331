//! The relay: keys, signing, sending and following envelopes. Needs no account; the key proves who sends.

mod keys;

use std::path::{Path, PathBuf};

use agora_envelope::{DidKey, Limits, MessageType, Signer, json::parse_strict, verify_object};
use chrono::{DateTime, SecondsFormat, Utc};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::{
    client::{Client, Options},
    display::{in_one_line, member},
    failure::Failure,
    texts::read,
    transport::Call,
};
use keys::{Key, Keygen};

/// The seconds for which the relay waits for an envelope.
const WAIT: u64 = 30;

/// The relay: signed envelopes between agents that need no account.
#[derive(Debug, Subcommand)]
pub enum RelayCommand {
    /// Makes a key, writes it to a new file, and prints its did.
    Keygen(Keygen),
    /// Signs a JSON object, such as an envelope, and prints it. Sets `sender.id` if it is missing.
    Sign(Sign),
    /// Signs and sends an envelope, or sends one that is signed.
    Send(SendEnvelope),
    /// Follows the envelopes of others, and verifies each signature again.
    ///
    /// With `--json`, each line is an envelope.
    Follow(Follow),
}

/// Signs a JSON object, such as an envelope, and prints it. Sets `sender.id` if it is missing.
#[derive(Debug, Args)]
pub struct Sign {
    /// The file of the object; - reads standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    key: Key,
    #[command(flatten)]
    options: Options,
}

/// Signs and sends an envelope, or sends one that is signed.
#[derive(Debug, Args)]
pub struct SendEnvelope {
    /// REQUEST, OFFER, ACCEPT, RESULT, ERROR or CANCEL
    #[arg(value_name = "TYPE", required_unless_present = "signed")]
    kind: Option<MessageType>,
    /// The payload, a JSON object; - reads standard input
    #[arg(default_value = "{}")]
    payload: String,
    /// The thread: a new id begins one
    #[arg(long, value_name = "ID")]
    thread: Option<String>,
    /// The recipient's did
    #[arg(long, value_name = "DID")]
    to: Option<DidKey>,
    /// The sender's name
    #[arg(long)]
    name: Option<String>,
    /// The seconds for which polls return the envelope
    #[arg(long, value_name = "SECONDS")]
    ttl: Option<u64>,
    /// Sends this envelope instead, which `relay sign` has signed; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kind", "thread", "to", "name", "ttl", "key"])]
    signed: Option<PathBuf>,
    #[command(flatten)]
    key: Key,
    #[command(flatten)]
    options: Options,
}

/// Follows the envelopes of others, and verifies each signature again.
#[derive(Debug, Args)]
pub struct Follow {
    /// Only envelopes to this did
    #[arg(long, value_name = "DID")]
    to: Option<DidKey>,
    /// Only envelopes from this did
    #[arg(long, value_name = "DID")]
    from: Option<DidKey>,
    /// Only envelopes of this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<MessageType>,
    /// Only envelopes of this thread
    #[arg(long, value_name = "ID")]
    thread: Option<String>,
    /// Begins with envelopes after this time, such as 2026-02-02T15:30:00Z [default: now]
    #[arg(long, value_name = "TIME")]
    since: Option<DateTime<Utc>>,
    /// Ends after this many envelopes
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    #[command(flatten)]
    options: Options,
}

impl RelayCommand {
    pub(crate) fn options(&self) -> &Options {
        match self {
            Self::Keygen(command) => command.options(),
            Self::Sign(command) => &command.options,
            Self::Send(command) => &command.options,
            Self::Follow(command) => &command.options,
        }
    }

    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        match self {
            Self::Keygen(command) => command.run(client),
            Self::Sign(command) => command.run(client),
            Self::Send(command) => command.run(client).await,
            Self::Follow(command) => command.run(client).await,
        }
    }
}

impl Sign {
    fn run(&self, client: &Client<'_>) -> Result<(), Failure> {
        let signer = self.key.signer()?;
        let signed = sign(&signer, object(&read(&self.file)?)?)?;
        client.output.show(&signed, || signed.to_string())
    }
}

/// Signs an object, with the signer as sender if it names none.
fn sign(signer: &Signer, mut object: Value) -> Result<Value, Failure> {
    if let Some(members) = object.as_object_mut() {
        let sender = members.entry("sender").or_insert_with(|| json!({}));
        if let Some(sender) = sender.as_object_mut() {
            sender.entry("id").or_insert_with(|| json!(signer.did()));
        }
    }
    signer.sign(object).map_err(|error| Failure::Usage(error.to_string()))
}

/// Reads a JSON object as strictly as the relay does.
fn object(text: &str) -> Result<Value, Failure> {
    let value = parse_strict(text.as_bytes(), &Limits::default())
        .map_err(|error| Failure::Usage(format!("The input is not JSON: {error}")))?;
    if value.is_object() { Ok(value) } else { Err(Failure::Usage("The input is not a JSON object.".to_owned())) }
}

impl SendEnvelope {
    async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let envelope = match (&self.signed, self.kind) {
            (Some(file), _) => object(&read(file)?)?,
            (None, Some(kind)) => sign(&self.key.signer()?, self.envelope(kind, client)?)?,
            (None, None) => return Err(Failure::Usage("Name a type, or a signed envelope.".to_owned())),
        };
        // The relay takes an envelope once: a repeat has no other effect.
        client.anonymous(&Call::post("/events", Some(envelope.clone())).repeatable()).await?;
        client.output.show(&envelope, || member(&envelope, "/id"))
    }

    fn envelope(&self, kind: MessageType, client: &Client<'_>) -> Result<Value, Failure> {
        let payload = if self.payload == "-" { read(Path::new("-"))? } else { self.payload.clone() };
        let random = (client.surroundings.random)();
        let mut envelope = json!({
            "version": "1.0",
            "id": format!("msg_{}", hex::encode(random.get(..12).unwrap_or(&random))),
            "ts": (client.surroundings.now)().to_rfc3339_opts(SecondsFormat::Millis, true),
            "type": kind.as_str(),
            "sender": {},
            "payload": object(&payload)?,
        });
        let parts = [
            ("thread", self.thread.as_ref().map(|thread| json!({ "id": thread }))),
            ("recipient", self.to.as_ref().map(|did| json!({ "id": did }))),
            ("meta", self.ttl.map(|ttl| json!({ "ttl": ttl }))),
        ];
        for (name, part) in parts {
            if let Some(part) = part {
                envelope[name] = part;
            }
        }
        if let Some(name) = &self.name {
            envelope["sender"]["name"] = name.as_str().into();
        }
        Ok(envelope)
    }
}

impl Follow {
    async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let since = self.since.unwrap_or_else(client.surroundings.now).to_rfc3339_opts(SecondsFormat::Millis, true);
        let (mut since, mut cursor, mut shown) = (Some(since), None::<String>, 0);
        client.output.note("Following the relay. Ctrl-C ends it.");
        while self.count.is_none_or(|count| shown < count) {
            let call = Call::get("/events")
                .with("since", since.take())
                .with("cursor", cursor.take())
                .with("recipient", self.to.as_ref())
                .with("sender", self.from.as_ref())
                .with("type", self.kind.map(MessageType::as_str))
                .with("thread", self.thread.as_ref())
                .with("timeout", Some(WAIT))
                .waiting(WAIT);
            let batch = client.anonymous(&call).await?;
            cursor = Some(member(&batch, "/cursor"));
            for envelope in batch.get("events").and_then(Value::as_array).into_iter().flatten() {
                if self.count.is_some_and(|count| shown >= count) {
                    break;
                }
                show(client, envelope)?;
                shown += 1;
            }
        }
        Ok(())
    }
}

fn show(client: &Client<'_>, envelope: &Value) -> Result<(), Failure> {
    if let Err(reason) = verify(envelope) {
        client
            .output
            .note(&format!("Warning: {} is not signed by its sender: {reason}", in_one_line(&member(envelope, "/id"))));
    }
    client.output.show(envelope, || {
        let (kind, from) = (member(envelope, "/type"), in_one_line(&member(envelope, "/sender/id")));
        let payload = in_one_line(&member(envelope, "/payload"));
        let thread = in_one_line(&member(envelope, "/thread/id"));
        format!("{} {} {}\n  {payload}", client.output.bold(&kind), from, client.output.faint(&thread))
    })
}

/// Verifies the signature of an envelope by its sender.
fn verify(envelope: &Value) -> Result<(), String> {
    let sender = envelope.pointer("/sender/id").and_then(Value::as_str).ok_or("sender.id is missing")?;
    let did = sender.parse::<DidKey>().map_err(|error| format!("sender.id: {error}"))?;
    verify_object(&did, envelope).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signed_object_verifies_and_a_changed_one_does_not() {
        let signer = Signer::from_seed(&[7; 32]);
        let mut signed = sign(&signer, object(r#"{"id": "msg_1", "payload": {"n": 1.50}}"#).unwrap()).unwrap();
        assert_eq!(signed["sender"]["id"], json!(signer.did()));
        assert_eq!(verify(&signed), Ok(()));
        signed["payload"]["n"] = json!(2);
        assert!(verify(&signed).is_err());
        assert!(verify(&json!({ "sender": { "id": "did:web:a" } })).is_err());
    }

    #[test]
    fn an_object_is_read_strictly() {
        for wrong in ["", "[]", "{\"a\": 1, \"a\": 2}", "{\"a\": 1e999}", "3"] {
            assert!(object(wrong).is_err(), "{wrong}");
        }
    }
}
