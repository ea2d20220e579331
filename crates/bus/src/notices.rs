use chrono::{DateTime, Utc};

/// What travels: where an event stands in the log, and its type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Notice {
    /// The event's position in the log.
    pub position: i64,
    /// The event's name on the wire, such as `message.posted`; it is also the routing key.
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
    /// What arrived.
    pub notice: Notice,
    /// The how-manieth try this is, from 1, where the broker tells.
    pub attempt: Option<u32>,
    pub(crate) tag: Tag,
}

/// Which delivery of which session it is. Those of a session that is gone mean nothing to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) session: u64,
    pub(crate) delivery: u64,
}

/// A notice that no consumer could deal with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The position that the notice names; 0 where the message could not be read.
    pub position: i64,
    /// The type that the notice names; empty where the message could not be read.
    pub event_type: String,
    /// When it was given up, to the second; unknown where the in-process bus gave it up by itself.
    pub died_at: Option<DateTime<Utc>>,
    /// What the consumer said, or `delivery_limit` for one that no consumer survived.
    pub reason: String,
}
