//! Trace and span ids of events, derived from the event's hash.

use std::cell::Cell;

use opentelemetry::trace::{SpanId, TraceId};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};

/// An event of the log as traces show it.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Its position on the log.
    pub position: i64,
    /// Its type's wire name, if known.
    pub event_type: Option<&'a str>,
    /// Its hash on the log: uniformly distributed, unique, and public.
    pub hash: &'a [u8; 32],
}

/// The trace id is the first 16 bytes of the event's hash, and the span id of its creation the next 8.
pub(crate) fn ids(hash: &[u8; 32]) -> (TraceId, SpanId) {
    let (mut trace_id, mut span_id) = ([0; 16], [0; 8]);
    trace_id.copy_from_slice(&hash[..16]);
    span_id.copy_from_slice(&hash[16..24]);
    (TraceId::from_bytes(trace_id), SpanId::from_bytes(span_id))
}

thread_local! {
    static NAMED: Cell<Option<(TraceId, SpanId)>> = const { Cell::new(None) };
}

/// Derives the ids of spans created by `begin` from an event's hash. The SDK lets only its id generator choose ids.
pub(crate) fn naming<T>(hash: &[u8; 32], begin: impl FnOnce() -> T) -> T {
    NAMED.set(Some(ids(hash)));
    let begun = begin();
    NAMED.set(None);
    begun
}

/// An id generator: random ids, except within [`naming`].
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
    fn only_spans_created_meanwhile_get_the_events_ids() {
        let hash = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let ids = Ids::default();
        let named = naming(&hash, || (ids.new_trace_id().to_string(), ids.new_span_id().to_string()));
        assert_eq!((&*named.0, &*named.1), ("000102030405060708090a0b0c0d0e0f", "1011121314151617"));
        assert_ne!(ids.new_trace_id().to_string(), named.0);
        assert_ne!(ids.new_span_id().to_string(), named.1);
    }
}
