//! What an erasure leaves of the events that it empties.

use serde::{Deserialize, Serialize};

use super::SubjectId;
use crate::{decide::State, event::event_set};

event_set! {
    /// What was erased, of all subjects: one stream, so that two erasures never read the same event at once; `erasures`.
    pub enum ErasureEvent {
        /// Data of earlier events were replaced by what stays of them.
        Erased(Erased) = "moderation.erased", Public;
    }
}

/// See [`ErasureEvent::Erased`]. One erasure is as many of these as its events need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Erased {
    /// Whose text it was, or which.
    pub subject: SubjectId,
    /// The events, in order.
    pub remainders: Vec<Remainder>,
}

/// An event whose data were replaced. Header and hash of the data stay as they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remainder {
    /// Where it stands on the log.
    pub position: i64,
    /// The SHA-256 of what stays of its data, in hex.
    pub sha256: String,
}

/// An erasure as its stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erasure {
    /// How many events were emptied.
    pub events: usize,
}

impl State for Erasure {
    type Event = ErasureEvent;

    fn apply(self, ErasureEvent::Erased(data): &ErasureEvent) -> Self {
        Self { events: self.events + data.remainders.len() }
    }
}

impl Erasure {
    /// The stream of all erasures.
    pub const STREAM: &'static str = "erasures";
}
