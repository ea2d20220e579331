//! The trace of an event: named by its hash.

use std::cell::Cell;

use opentelemetry::trace::{SpanId, TraceId};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};

/// What is seen of an event of the log.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Its place on the log.
    pub position: i64,
    /// Its type's wire name, where it is known.
    pub event_type: Option<&'a str>,
    /// Its hash on the log: uniformly distributed, like none before it, and known to all who read it.
    pub hash: &'a [u8; 32],
}

/// The first 16 bytes of an event's hash are its trace, and the next 8 the span of its creation.
pub(crate) fn ids(hash: &[u8; 32]) -> (TraceId, SpanId) {
    let (mut trace_id, mut span_id) = ([0; 16], [0; 8]);
    trace_id.copy_from_slice(&hash[..16]);
    span_id.copy_from_slice(&hash[16..24]);
    (TraceId::from_bytes(trace_id), SpanId::from_bytes(span_id))
}

thread_local! {
    static NAMED: Cell<Option<(TraceId, SpanId)>> = const { Cell::new(None) };
}

/// Names the trace that is begun meanwhile after an event: the SDK lets nobody but its generator choose.
pub(crate) fn naming<T>(hash: &[u8; 32], begin: impl FnOnce() -> T) -> T {
    NAMED.set(Some(ids(hash)));
    let begun = begin();
    NAMED.set(None);
    begun
}

/// Random ids, unless a trace is to be named after an event.
#[derive(Debug, Default)]
pub(crate) struct Ids(RandomIdGenerator);

impl IdGenerator for Ids {
    fn new_trace_id(&self) -> TraceId {
        NAMED.get().map_or_else(|| self.0.new_trace_id(), |(trace_id, _)| trace_id)
    }

    fn new_span_id(&self) -> SpanId {
        NAMED.get().map_or_else(|| self.0.new_span_id(), |(_, span_id)| span_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_begun_meanwhile_is_named_after_the_event() {
        let hash = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let ids = Ids::default();
        let named = naming(&hash, || (ids.new_trace_id().to_string(), ids.new_span_id().to_string()));
        assert_eq!((&*named.0, &*named.1), ("000102030405060708090a0b0c0d0e0f", "1011121314151617"));
        assert_ne!(ids.new_trace_id().to_string(), named.0);
        assert_ne!(ids.new_span_id().to_string(), named.1);
    }
}
