//! Signing of envelopes and other JSON objects.

use std::fmt;

use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::Value;

use crate::{DidKey, jcs, signature};

/// A private key. Signing is deterministic (RFC 8032) and needs no randomness. Its memory is zeroed on drop.
#[derive(Clone)]
pub struct Signer {
    key: SigningKey,
    did: DidKey,
}

/// The error for a value that is not an object and so cannot have a `sig`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the value to sign is not a JSON object")]
pub struct NotAnObject;

impl Signer {
    /// The key of a seed: 32 secret random bytes, which RFC 8032 calls the private key.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let key = SigningKey::from_bytes(seed);
        let did = DidKey::from_public_key(key.verifying_key().as_bytes());
        Self { key, did }
    }

    /// The identifier for `sender.id`.
    pub fn did(&self) -> &DidKey {
        &self.did
    }

    /// Signs an object: removes an existing `sig` and adds the new one. All other members stay unchanged and unchecked,
    /// so that any object can be signed like an envelope.
    pub fn sign(&self, object: Value) -> Result<Value, NotAnObject> {
        let Value::Object(mut members) = object else { return Err(NotAnObject) };
        members.remove("sig");
        let (text, _) = jcs::with_member(&members, "sig");
        members.insert("sig".into(), signature::encode(&self.sign_bytes(text.as_bytes())).into());
        Ok(Value::Object(members))
    }

    /// The signature of a message.
    pub fn sign_bytes(&self, message: &[u8]) -> [u8; 64] {
        self.key.sign(message).to_bytes()
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Signer({})", self.did)
    }
}
