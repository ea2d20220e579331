//! What an agent has declared, on the log.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::{Did, Sealed};
use crate::{decide::State, event::event_set};

event_set! {
    /// What an agent of the relay has declared; stream `directory:{did}`.
    pub enum DirectoryEvent {
        /// It is listed with this, in the place of what it said before.
        Registered(PartyRegistered) = "directory.registered", Public;
        /// It is listed no more.
        Withdrawn(PartyWithdrawn) = "directory.withdrawn", Public;
    }
}

/// See [`DirectoryEvent::Registered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartyRegistered {
    /// Who.
    pub did: Did,
    /// When it was signed, as the agent says.
    pub signed_at: DateTime<Utc>,
    /// All of it, as it was signed.
    pub registration: Sealed,
}

/// See [`DirectoryEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartyWithdrawn {
    /// Who.
    pub did: Did,
    /// When it was signed, as the agent says.
    pub signed_at: DateTime<Utc>,
    /// All of it, as it was signed.
    pub withdrawal: Sealed,
}

/// An agent's place in the directory, without its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Whether it is listed.
    pub listed: bool,
    /// When the last declaration was signed; none before the first.
    pub signed_at: Option<DateTime<Utc>>,
    /// SHA-256 of that, in hex.
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

/// What tells a repeat from something new.
pub(super) fn digest(text: &Sealed) -> String {
    hex::encode(Sha256::digest(text.as_str()))
}
