//! Writing: what a caller waits for, and the transaction that it shares with others.

use opentelemetry::{
    Context, KeyValue,
    trace::{SpanKind, TraceContextExt},
};

use crate::{
    Begun, Event,
    messages::{Handling, message},
    span::{Mark, Span, Tracing, builder},
};

/// Links that a span takes at most, unless the environment says otherwise.
const LINKS: usize = 128;

/// A write that is about to be made, from its place in the queue to its answer. One that brings no events is seen only
/// as part of something else.
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

/// A transaction that makes these writes. It is part of the first one's trace, and linked with the others.
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
    /// The write was made in this transaction, and these are its events: each begins a trace of its own, which is linked
    /// with the write.
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

    /// The write was not made; `reason` is one of few words.
    pub fn refused(&self, reason: &'static str) {
        self.fail(reason);
    }
}

fn integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
