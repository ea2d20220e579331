//! Which traces are recorded: as `OTEL_TRACES_SAMPLER` says. Of an event every process decides alike, as its trace is
//! named alike, whether or not the request that caused it was recorded.

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

    /// The span of an event's creation, as others see it.
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
    fn of_an_event_its_name_decides() {
        assert!(recorded(Sampler::AlwaysOn, 0));
        assert!(!recorded(Sampler::AlwaysOff, 0));
        let tenth = || Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(0.1)));
        assert!(recorded(tenth(), 1) && !recorded(tenth(), 200));
    }
}
