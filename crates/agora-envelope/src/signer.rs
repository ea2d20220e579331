//! Making what [`crate::Envelope`] verifies.

use std::fmt;

use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::Value;

use crate::{DidKey, jcs, signature};

/// A private key. It signs deterministically (RFC 8032), so that it needs no randomness; its memory is cleared when it
/// goes.
#[derive(Clone)]
pub struct Signer {
    key: SigningKey,
    did: DidKey,
}

/// Only objects have a `sig`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("what is to be signed is not a JSON object")]
pub struct NotAnObject;

impl Signer {
    /// The key of a seed, which is what RFC 8032 calls the private key: 32 secret random bytes.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let key = SigningKey::from_bytes(seed);
        let did = DidKey::from_public_key(key.verifying_key().as_bytes());
        Self { key, did }
    }

    /// The identifier that belongs in `sender.id`.
    pub fn did(&self) -> &DidKey {
        &self.did
    }

    /// Signs an object: takes `sig` away if there is one, and adds it anew. Nothing else is changed or looked at, so
    /// that anything can be signed as envelopes are.
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
