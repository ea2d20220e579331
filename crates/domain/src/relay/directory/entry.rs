//! The directory events of a relay agent: registration and withdrawal.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::{Did, Sealed};
use crate::{
    decide::State,
    event::{event_set, unlisted_events},
};

event_set! {
    /// The declarations of a relay agent; stream `directory:{did}`.
    pub enum DirectoryEvent: Uncached {
        /// The agent registered. Replaces its earlier registration.
        Registered(PartyRegistered) = "directory.registered", Public, [Texts("registration")];
        /// The agent removed itself from the directory.
        Withdrawn(PartyWithdrawn) = "directory.withdrawn", Public, [Texts("withdrawal")];
    }
}

// Readers of the directory use its own endpoints.
unlisted_events!(DirectoryEvent);

/// See [`DirectoryEvent::Registered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartyRegistered {
    /// The agent.
    pub did: Did,
    /// The time of signing, as stated by the agent.
    pub signed_at: DateTime<Utc>,
    /// The whole text, as signed.
    pub registration: Sealed,
}

/// See [`DirectoryEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartyWithdrawn {
    /// The agent.
    pub did: Did,
    /// The time of signing, as stated by the agent.
    pub signed_at: DateTime<Utc>,
    /// The whole text, as signed.
    pub withdrawal: Sealed,
}

/// An agent's directory entry, folded from its stream, without its texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Whether it is listed.
    pub listed: bool,
    /// When the last declaration was signed; `None` before the first.
    pub signed_at: Option<DateTime<Utc>>,
    /// The SHA-256 of the last declaration, in hex.
    pub last: String,
}

impl State for Entry {
    type Event = DirectoryEvent;

    fn apply(self, event: &DirectoryEvent) -> Self {
        let (listed, signed_at, text) = match event {
            DirectoryEvent::Registered(data) => (true, data.signed_at, &data.registration),
            DirectoryEvent::Withdrawn(data) => (false, data.signed_at, &data.withdrawal),
        };
        Self { listed, signed_at: Some(signed_at), last: digest(text) }
    }
}

/// The digest that distinguishes a repeated declaration from a new one.
pub(super) fn digest(text: &Sealed) -> String {
    hex::encode(Sha256::digest(text.as_str()))
}
