//! Spans, which are empty if no exporter runs.

use std::sync::OnceLock;

use futures_util::future::Either;
use opentelemetry::{
    Context, KeyValue,
    context::FutureExt,
    trace::{Link, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt, Tracer},
};
use opentelemetry_sdk::trace::SdkTracer;

use crate::{
    events::{Event, naming},
    sampling::Sampling,
};

static TRACING: OnceLock<Tracing> = OnceLock::new();

/// The tracer and its configuration, set when the exporter starts.
#[derive(Debug)]
pub(crate) struct Tracing {
    pub(crate) tracer: SdkTracer,
    pub(crate) sampling: Sampling,
    /// The messaging system, according to the messaging conventions.
    pub(crate) messaging: &'static str,
}

impl Tracing {
    pub(crate) fn get() -> Option<&'static Self> {
        TRACING.get()
    }

    /// Enables tracing. Returns `self` as an error if it is enabled already.
    pub(crate) fn begin(self) -> Result<(), Self> {
        TRACING.set(self)
    }

    pub(crate) fn under(&self, parent: &Context, span: SpanBuilder) -> Span {
        Span(Some(parent.with_span(self.tracer.build_with_context(span, parent))))
    }

    /// The span of an event's creation.
    pub(crate) fn creation(&self, event: Event<'_>, span: SpanBuilder) -> Span {
        naming(event.hash, || self.under(&Context::new(), span))
    }

    /// A span below that of the event's creation, which another process may have recorded.
    pub(crate) fn of(&self, event: Event<'_>, span: SpanBuilder) -> Span {
        self.under(&Context::new().with_remote_span_context(self.sampling.of(event.hash)), span)
    }
}

/// Whether tracing is enabled.
pub fn is_on() -> bool {
    Tracing::get().is_some()
}

/// An open span, or none. It ends when it is dropped.
#[derive(Debug, Clone, Default)]
#[must_use = "a span ends when it is dropped"]
pub struct Span(pub(crate) Option<Context>);

/// The context of a recorded span, for links from other spans.
#[derive(Debug, Clone)]
pub struct Mark(pub(crate) SpanContext);

impl Mark {
    pub(crate) fn link(self) -> Link {
        Link::with_context(self.0)
    }
}

impl Span {
    /// The active span.
    pub(crate) fn current() -> Option<Context> {
        Tracing::get()?;
        Context::map_current(|context| context.has_active_span().then(|| context.clone()))
    }

    /// Makes this the active span while the future runs.
    pub fn around<F: Future>(&self, future: F) -> impl Future<Output = F::Output> {
        match &self.0 {
            Some(context) => Either::Left(future.with_context(context.clone())),
            None => Either::Right(future),
        }
    }

    /// Its context, if it is recorded.
    pub fn mark(&self) -> Option<Mark> {
        let context = self.0.as_ref()?.span().span_context().clone();
        context.is_sampled().then_some(Mark(context))
    }

    /// Its trace id in hexadecimal digits.
    pub fn trace_id(&self) -> Option<String> {
        self.0.as_ref().map(|context| context.span().span_context().trace_id().to_string())
    }

    /// The `traceparent` header (W3C Trace Context) for an outgoing call, so that the receiver can continue the trace. The
    /// vendors' `tracestate` is not forwarded.
    pub fn traceparent(&self) -> Option<String> {
        let context = self.0.as_ref()?.span().span_context().clone();
        let (trace_id, span_id, sampled) = (context.trace_id(), context.span_id(), u8::from(context.is_sampled()));
        context.is_valid().then(|| format!("00-{trace_id}-{span_id}-{sampled:02x}"))
    }

    /// Adds a link to another span.
    pub(crate) fn link(&self, mark: Mark) {
        if let Some(context) = &self.0 {
            context.span().add_link(mark.0, vec![]);
        }
    }

    pub(crate) fn set_attributes(&self, attributes: impl IntoIterator<Item = KeyValue>) {
        if let Some(context) = &self.0 {
            context.span().set_attributes(attributes);
        }
    }

    /// Records a failure. `reason` is one of a few words.
    pub(crate) fn fail(&self, reason: impl Into<opentelemetry::StringValue>) {
        if let Some(context) = &self.0 {
            context.span().set_attribute(KeyValue::new("error.type", reason.into()));
            context.span().set_status(Status::error(""));
        }
    }
}

pub(crate) fn builder(name: impl Into<std::borrow::Cow<'static, str>>, kind: SpanKind) -> SpanBuilder {
    SpanBuilder::from_name(name).with_kind(kind)
}
