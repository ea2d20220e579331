//! Spans of HTTP requests and of pushes.

use opentelemetry::{
    Context, KeyValue,
    propagation::{Extractor, TextMapPropagator},
    trace::{SpanKind, TraceContextExt},
};
use opentelemetry_sdk::propagation::TraceContextPropagator;

use crate::{
    Event,
    span::{Mark, Span, Tracing, builder},
};

const TRACEPARENT: &str = "traceparent";
const TRACESTATE: &str = "tracestate";
/// Longest path in a span, in characters: callers may send any length.
const PATH_MAX: usize = 256;
/// The methods of RFC 9110 and PATCH. Other methods share one name, because callers may invent any number of them.
const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/// The server span of a request. It continues the caller's trace if the `traceparent` header names one.
pub fn request<'h>(method: &str, path: &str, header: impl Fn(&'static str) -> Option<&'h str>) -> Span {
    let Some(tracing) = Tracing::get() else { return Span::default() };
    let headers = Headers { traceparent: header(TRACEPARENT), tracestate: header(TRACESTATE) };
    let caller = TraceContextPropagator::new().extract_with_context(&Context::new(), &headers);
    let attributes = [
        KeyValue::new("http.request.method", method_of(method)),
        KeyValue::new("url.scheme", "http"),
        KeyValue::new("url.path", path.chars().take(PATH_MAX).collect::<String>()),
    ];
    tracing.under(&caller, builder(name_of(method), SpanKind::Server).with_attributes(attributes))
}

impl Span {
    /// Sets the request id, which responses and log lines also contain.
    pub fn is_request(&self, id: &str) {
        if self.0.is_some() {
            self.set_attributes([KeyValue::new("buildtrack.request.id", id.to_owned())]);
        }
    }

    /// Records the response. `route` is the pattern of the path, if it has one.
    pub fn answered(&self, method: &str, route: Option<&str>, status: u16) {
        if let (Some(context), Some(route)) = (&self.0, route) {
            context.span().update_name(format!("{} {route}", name_of(method)));
            context.span().set_attribute(KeyValue::new("http.route", route.to_owned()));
        }
        self.responded(status, 500);
    }

    /// Records the response to a push.
    pub fn pushed(&self, status: u16) {
        self.responded(status, 400);
    }

    /// Records that a push got no response. `reason` is one of a few words.
    pub fn unanswered(&self, reason: &'static str) {
        self.fail(reason);
    }

    fn responded(&self, status: u16, failure: u16) {
        if self.0.is_none() {
            return;
        }
        self.set_attributes([KeyValue::new("http.response.status_code", i64::from(status))]);
        if status >= failure {
            self.fail(status.to_string());
        }
    }
}

/// The client span of an attempt to push events or a test event to a host.
///
/// It belongs to the trace of the first event and links to the others. The span of a test event belongs to the request that
/// sent it.
pub fn push<'e>(
    host: &str,
    port: Option<u16>,
    (delivery, attempt): (&str, i64),
    events: impl IntoIterator<Item = Event<'e>>,
) -> Span {
    let Some(tracing) = Tracing::get() else { return Span::default() };
    let mut attributes = vec![
        KeyValue::new("http.request.method", "POST"),
        KeyValue::new("server.address", host.to_owned()),
        KeyValue::new("buildtrack.delivery.id", delivery.to_owned()),
    ];
    attributes.extend(port.map(|port| KeyValue::new("server.port", i64::from(port))));
    if attempt > 1 {
        attributes.push(KeyValue::new("http.request.resend_count", attempt - 1));
    }
    let mut events = events.into_iter();
    let first = events.next();
    attributes.extend(first.map(|event| KeyValue::new("buildtrack.log.position", event.position)));
    let links = events.map(|event| Mark(tracing.sampling.of(event.hash)).link()).collect();
    let span = builder("POST", SpanKind::Client).with_attributes(attributes).with_links(links);
    match first {
        Some(event) => tracing.of(event, span),
        None => tracing.under(&Span::current().unwrap_or_default(), span),
    }
}

fn method_of(method: &str) -> &'static str {
    METHODS.into_iter().find(|known| *known == method).unwrap_or("_OTHER")
}

fn name_of(method: &str) -> &'static str {
    METHODS.into_iter().find(|known| *known == method).unwrap_or("HTTP")
}

struct Headers<'h> {
    traceparent: Option<&'h str>,
    tracestate: Option<&'h str>,
}

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        match key {
            TRACEPARENT => self.traceparent,
            TRACESTATE => self.tracestate,
            _ => None,
        }
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACEPARENT, TRACESTATE]
    }
}
