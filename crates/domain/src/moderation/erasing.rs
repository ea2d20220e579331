//! Erasure events: the remaining data of the events that an erasure emptied.

use serde::{Deserialize, Serialize};

use super::SubjectId;
use crate::{decide::State, event::event_set};

event_set! {
    /// All erasures; stream `erasures`. One stream for all subjects, so that two erasures never read the same event at
    /// once.
    pub enum ErasureEvent: Uncached {
        /// An erasure replaced the data of earlier events by their remainders.
        Erased(Erased) = "moderation.erased", Public, [ChangesVisibility];
    }
}

/// See [`ErasureEvent::Erased`]. An erasure writes as many of these as it needs for its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Erased {
    /// The subject: the text, or the actor whose texts they were.
    pub subject: SubjectId,
    /// The events, in order.
    pub remainders: Vec<Remainder>,
}

/// An event whose data were replaced. Its header and its data hash stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remainder {
    /// The event's position on the log.
    pub position: i64,
    /// The SHA-256 of the remaining data, in hex.
    pub sha256: String,
}

/// The erasures, folded from their stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erasure {
    /// The number of emptied events.
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
