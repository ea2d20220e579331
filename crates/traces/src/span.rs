//! A span under way, or none where there is no exporter.

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

/// What spans are made with, once there is an exporter.
#[derive(Debug)]
pub(crate) struct Tracing {
    pub(crate) tracer: SdkTracer,
    pub(crate) sampling: Sampling,
    /// What carries events, after the conventions for messaging.
    pub(crate) messaging: &'static str,
}

impl Tracing {
    pub(crate) fn get() -> Option<&'static Self> {
        TRACING.get()
    }

    /// From now on spans are made. Gives it back where that was so before.
    pub(crate) fn begin(self) -> Result<(), Self> {
        TRACING.set(self)
    }

    pub(crate) fn under(&self, parent: &Context, span: SpanBuilder) -> Span {
        Span(Some(parent.with_span(self.tracer.build_with_context(span, parent))))
    }

    /// The span of an event's creation, where its trace is recorded.
    pub(crate) fn creation(&self, event: Event<'_>, span: SpanBuilder) -> Span {
        naming(event.hash, || self.under(&Context::new(), span))
    }

    /// Under the span of an event's creation, which may have been made by another process.
    pub(crate) fn of(&self, event: Event<'_>, span: SpanBuilder) -> Span {
        self.under(&Context::new().with_remote_span_context(self.sampling.of(event.hash)), span)
    }
}

/// Whether spans are made.
pub fn is_on() -> bool {
    Tracing::get().is_some()
}

/// A span under way, or nothing at all. It ends when it is dropped.
#[derive(Debug, Clone, Default)]
#[must_use = "a span ends when it is dropped"]
pub struct Span(pub(crate) Option<Context>);

/// Where a span stands, for others that are to be linked with it. Only of spans that are recorded.
#[derive(Debug, Clone)]
pub struct Mark(pub(crate) SpanContext);

impl Mark {
    pub(crate) fn link(self) -> Link {
        Link::with_context(self.0)
    }
}

impl Span {
    /// The span that surrounds what runs now.
    pub(crate) fn current() -> Option<Context> {
        Tracing::get()?;
        Context::map_current(|context| context.has_active_span().then(|| context.clone()))
    }

    /// Makes it the one that surrounds what the future does.
    pub fn around<F: Future>(&self, future: F) -> impl Future<Output = F::Output> {
        match &self.0 {
            Some(context) => Either::Left(future.with_context(context.clone())),
            None => Either::Right(future),
        }
    }

    /// Where it stands, if it is recorded.
    pub fn mark(&self) -> Option<Mark> {
        let context = self.0.as_ref()?.span().span_context().clone();
        context.is_sampled().then_some(Mark(context))
    }

    /// The trace it belongs to, in hexadecimal digits.
    pub fn trace_id(&self) -> Option<String> {
        self.0.as_ref().map(|context| context.span().span_context().trace_id().to_string())
    }

    /// What is sent along with a call, so that its receiver may go on in the same trace: `traceparent` of W3C Trace
    /// Context. What vendors noted (`tracestate`) stays with us.
    pub fn traceparent(&self) -> Option<String> {
        let context = self.0.as_ref()?.span().span_context().clone();
        let (trace_id, span_id, sampled) = (context.trace_id(), context.span_id(), u8::from(context.is_sampled()));
        context.is_valid().then(|| format!("00-{trace_id}-{span_id}-{sampled:02x}"))
    }

    /// Links it with another one.
    pub(crate) fn link(&self, mark: Mark) {
        if let Some(context) = &self.0 {
            context.span().add_link(mark.0, vec![]);
        }
    }

    pub(crate) fn say(&self, attributes: impl IntoIterator<Item = KeyValue>) {
        if let Some(context) = &self.0 {
            context.span().set_attributes(attributes);
        }
    }

    /// Notes that it failed; `reason` is one of few words.
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
