//! Spans of events according to the messaging conventions: created by an append, sent by the publisher, processed by each
//! consumer.

use std::time::SystemTime;

use opentelemetry::{
    KeyValue,
    trace::{SpanBuilder, SpanKind},
};

use crate::{
    Event,
    span::{Tracing, builder},
};

/// The messaging destination of all events.
const DESTINATION: &str = "buildtrack.events";

/// The start time of an operation whose span is created after it has succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Begun(pub(crate) Option<SystemTime>);

/// Reads the start time. Without an exporter it reads no clock.
pub fn begin() -> Begun {
    Begun(Tracing::get().map(|_| opentelemetry::time::now()))
}

/// An operation on an event.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Handling {
    /// Appended to the log.
    Create,
    /// Published on the bus.
    Send,
    /// Processed by a consumer.
    Process(&'static str),
}

/// Records that events were published in one batch.
pub fn published<'e>(begun: Begun, events: impl ExactSizeIterator<Item = Event<'e>>) {
    handled(begun, Handling::Send, events);
}

/// Records that a consumer processed events in one batch.
pub fn processed<'e>(begun: Begun, consumer: &'static str, events: impl ExactSizeIterator<Item = Event<'e>>) {
    handled(begun, Handling::Process(consumer), events);
}

fn handled<'e>(Begun(begun): Begun, handling: Handling, events: impl ExactSizeIterator<Item = Event<'e>>) {
    let (Some(tracing), Some(begun)) = (Tracing::get(), begun) else { return };
    let together = i64::try_from(events.len()).unwrap_or(i64::MAX);
    for event in events {
        let span = tracing.of(event, message(tracing, handling, event).with_start_time(begun));
        if together > 1 {
            span.set_attributes([KeyValue::new("messaging.batch.message_count", together)]);
        }
    }
}

pub(crate) fn message(tracing: &Tracing, handling: Handling, event: Event<'_>) -> SpanBuilder {
    let (operation, kind) = match handling {
        Handling::Create => ("create", SpanKind::Producer),
        Handling::Send => ("send", SpanKind::Producer),
        Handling::Process(_) => ("process", SpanKind::Consumer),
    };
    let mut attributes = vec![
        KeyValue::new("messaging.system", tracing.messaging),
        KeyValue::new("messaging.operation.type", operation),
        KeyValue::new("messaging.operation.name", operation),
        KeyValue::new("messaging.destination.name", DESTINATION),
        KeyValue::new("messaging.message.id", event.position.to_string()),
        KeyValue::new("buildtrack.log.position", event.position),
    ];
    if let Handling::Process(consumer) = handling {
        attributes.push(KeyValue::new("messaging.consumer.group.name", consumer));
    }
    let name = match event.event_type {
        Some(event_type) => {
            attributes.push(KeyValue::new("buildtrack.event.type", event_type.to_owned()));
            format!("{operation} {event_type}")
        }
        None => format!("{operation} {DESTINATION}"),
    };
    builder(name, kind).with_attributes(attributes)
}
