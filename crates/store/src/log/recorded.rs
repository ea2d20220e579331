//! An event with its position on the log.

use std::sync::Arc;

use buildtrack_domain::{event::Event, log::Hash};
use chrono::{DateTime, Utc};

/// An event on the log.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// From 1, without gaps.
    pub position: i64,
    /// The stream's name.
    pub stream: Arc<str>,
    /// From 1 within the stream.
    pub version: i64,
    /// The event; `None` if it was redacted.
    pub event: Option<Event>,
    /// UTC, microseconds.
    pub recorded_at: DateTime<Utc>,
    /// SHA-256(previous hash ‖ header ‖ data hash). Names the event's trace.
    pub hash: Hash,
}

impl Recorded {
    /// The event's fields for traces.
    pub fn traced(&self) -> buildtrack_traces::Event<'_> {
        let event_type = self.event.as_ref().map(Event::event_type);
        buildtrack_traces::Event { position: self.position, event_type, hash: &self.hash }
    }
}
