use chrono::{DateTime, Utc};

/// A bus message: the position and type of an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Notice {
    /// The event's position on the log.
    pub position: i64,
    /// The event's type, such as `message.posted`. It is also the routing key.
    pub event_type: String,
}

impl Notice {
    /// The notice of one event.
    pub fn new(position: i64, event_type: impl Into<String>) -> Self {
        Self { position, event_type: event_type.into() }
    }
}

/// A notice that a consumer holds until it acknowledges or rejects it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The notice.
    pub notice: Notice,
    /// The number of this delivery attempt, from 1, if the broker reports it.
    pub attempt: Option<u32>,
    pub(crate) tag: Tag,
}

/// Identifies a delivery within a session. Tags of an ended session are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) session: u64,
    pub(crate) delivery: u64,
}

/// A notice that no consumer could process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The position in the notice; 0 if the message could not be read.
    pub position: i64,
    /// The event type in the notice; empty if the message could not be read.
    pub event_type: String,
    /// When it became a dead letter, to the second; `None` if the in-process bus moved it by itself.
    pub died_at: Option<DateTime<Utc>>,
    /// The consumer's reason, or `delivery_limit` if each of its consumers ended before it acknowledged the notice.
    pub reason: String,
}
