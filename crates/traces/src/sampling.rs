//! Sampling according to `OTEL_TRACES_SAMPLER`. All processes decide alike about an event, because its trace id is the same
//! in all of them, whether or not the request that caused it is recorded.

use std::sync::Arc;

use opentelemetry::{
    Context, KeyValue,
    trace::{Link, SpanContext, SpanKind, TraceFlags, TraceId, TraceState},
};
use opentelemetry_sdk::trace::{Config, SamplingDecision, SamplingResult, ShouldSample};

use crate::events::ids;

/// The sampler that the environment names. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Sampling(Arc<Box<dyn ShouldSample>>);

impl Sampling {
    pub(crate) fn from_environment() -> Self {
        Self(Arc::new(Config::default().sampler))
    }

    /// The span context of an event's creation, as other processes derive it.
    pub(crate) fn of(&self, hash: &[u8; 32]) -> SpanContext {
        let (trace_id, span_id) = ids(hash);
        let decided = self.should_sample(None, trace_id, "", &SpanKind::Producer, &[], &[]).decision;
        let flags = TraceFlags::default().with_sampled(decided == SamplingDecision::RecordAndSample);
        SpanContext::new(trace_id, span_id, flags, true, TraceState::NONE)
    }
}

impl ShouldSample for Sampling {
    fn should_sample(
        &self,
        parent: Option<&Context>,
        trace_id: TraceId,
        name: &str,
        kind: &SpanKind,
        attributes: &[KeyValue],
        links: &[Link],
    ) -> SamplingResult {
        self.0.should_sample(parent, trace_id, name, kind, attributes, links)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry_sdk::trace::Sampler;

    fn recorded(sampler: Sampler, last: u8) -> bool {
        let mut hash = [1; 32];
        hash[8..16].fill(last);
        Sampling(Arc::new(Box::new(sampler))).of(&hash).is_sampled()
    }

    #[test]
    fn the_trace_id_of_an_event_decides() {
        assert!(recorded(Sampler::AlwaysOn, 0));
        assert!(!recorded(Sampler::AlwaysOff, 0));
        let tenth = || Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(0.1)));
        assert!(recorded(tenth(), 1) && !recorded(tenth(), 200));
    }
}
