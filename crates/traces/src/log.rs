//! Spans of writes: the append that a caller waits for, and the transaction that it shares with other writes.

use opentelemetry::{
    Context, KeyValue,
    trace::{SpanKind, TraceContextExt},
};

use crate::{
    Begun, Event,
    messages::{Handling, message},
    span::{Mark, Span, Tracing, builder},
};

/// Maximum number of links of a span, unless the environment sets another.
const LINKS: usize = 128;

/// The span of a write, from its start in the queue to its result. A write without events gets a span only below another one.
pub fn append(events: usize) -> Span {
    let Some(tracing) = Tracing::get() else { return Span::default() };
    let parent = Span::current();
    if events == 0 && parent.is_none() {
        return Span::default();
    }
    let name = if events == 0 { "keep" } else { "append" };
    let attributes = [KeyValue::new("buildtrack.log.events", integer(events))];
    let span = builder(name, SpanKind::Internal).with_attributes(attributes);
    tracing.under(&parent.unwrap_or_default(), span)
}

/// The span of a transaction with these writes. It belongs to the first write's trace and links to the others.
pub fn commit(system: &'static str, writes: usize, mut marks: impl Iterator<Item = Mark>) -> Span {
    let (Some(tracing), Some(first)) = (Tracing::get(), marks.next()) else { return Span::default() };
    let mut attributes = vec![KeyValue::new("db.system.name", system), KeyValue::new("db.operation.name", "COMMIT")];
    if writes > 1 {
        attributes.push(KeyValue::new("db.operation.batch.size", integer(writes)));
    }
    let links = marks.take(LINKS).map(Mark::link).collect();
    let span = builder("COMMIT", SpanKind::Client).with_attributes(attributes).with_links(links);
    tracing.under(&Context::new().with_remote_span_context(first.0), span)
}

impl Span {
    /// Records that the write committed in this transaction. Each event starts its own trace, linked with the write.
    pub fn appended<'e>(&self, begun: Begun, commit: Option<Mark>, events: impl IntoIterator<Item = Event<'e>>) {
        let (Some(tracing), Some(begun)) = (Tracing::get(), begun.0) else { return };
        if let Some(commit) = commit {
            self.link(commit);
        }
        let write = self.mark();
        for event in events {
            let span = message(tracing, Handling::Create, event).with_start_time(begun);
            let links = write.clone().map(Mark::link).into_iter().collect();
            if let Some(creation) = tracing.creation(event, span.with_links(links)).mark() {
                self.link(creation);
            }
        }
    }

    /// Records that the write failed. `reason` is one of a few words.
    pub fn refused(&self, reason: &'static str) {
        self.fail(reason);
    }
}

fn integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
