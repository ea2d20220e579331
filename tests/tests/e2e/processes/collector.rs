//! A trace collector: OTLP as protobuf over HTTP.

use std::sync::{Arc, Mutex};

use actix_web::{
    App, HttpResponse, HttpServer,
    dev::ServerHandle,
    web::{Bytes, Data, PayloadConfig, post},
};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value::Value},
    trace::v1::span::{Link, SpanKind},
};
use prost::Message;

use super::waiting::until;

/// A running collector; it stops when this value is dropped.
pub(crate) struct Collector {
    pub(crate) url: String,
    spans: Arc<Mutex<Vec<Span>>>,
    handle: ServerHandle,
}

/// A received span; ids are in hexadecimal.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) service: String,
    pub(crate) trace_id: String,
    pub(crate) id: String,
    pub(crate) parent: String,
    pub(crate) name: String,
    pub(crate) kind: SpanKind,
    pub(crate) attributes: Vec<(String, String)>,
    /// Trace id and span id of each link.
    pub(crate) links: Vec<(String, String)>,
    /// Whether its status is an error.
    pub(crate) failed: bool,
}

impl Span {
    /// An attribute as text; empty if there is none.
    pub(crate) fn attribute(&self, key: &str) -> &str {
        self.attributes.iter().find(|(known, _)| known == key).map_or("", |(_, value)| value)
    }

    pub(crate) fn context(&self) -> (String, String) {
        (self.trace_id.clone(), self.id.clone())
    }
}

impl Collector {
    /// Listens on a free port.
    pub(crate) fn start() -> Self {
        let spans = Arc::<Mutex<Vec<Span>>>::default();
        let state = Data::from(spans.clone());
        let collector = move || {
            let payloads = PayloadConfig::new(16 * 1024 * 1024);
            App::new().app_data(state.clone()).app_data(payloads).route("/v1/traces", post().to(take))
        };
        let server = HttpServer::new(collector).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { url, spans, handle }
    }

    /// Every span received so far.
    pub(crate) fn spans(&self) -> Vec<Span> {
        self.spans.lock().unwrap().clone()
    }

    /// Waits for a span.
    pub(crate) async fn span(&self, what: &str, is_it: impl Fn(&Span) -> bool) -> Span {
        until(what, async || self.spans().into_iter().find(|span| is_it(span))).await
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        // The stop is requested here; there is no need to wait for it.
        drop(self.handle.stop(false));
    }
}

async fn take(spans: Data<Mutex<Vec<Span>>>, body: Bytes) -> HttpResponse {
    let Ok(request) = ExportTraceServiceRequest::decode(body) else { return HttpResponse::BadRequest().finish() };
    let mut spans = spans.lock().unwrap();
    for resource in request.resource_spans {
        let about = attributes(resource.resource.map(|resource| resource.attributes).unwrap_or_default());
        let service = about.into_iter().find(|(key, _)| key == "service.name").map(|(_, name)| name);
        for span in resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            let ids = |link: Link| (hex::encode(link.trace_id), hex::encode(link.span_id));
            spans.push(Span {
                service: service.clone().unwrap_or_default(),
                kind: span.kind(),
                trace_id: hex::encode(span.trace_id),
                id: hex::encode(span.span_id),
                parent: hex::encode(span.parent_span_id),
                name: span.name,
                attributes: attributes(span.attributes),
                links: span.links.into_iter().map(ids).collect(),
                failed: span.status.is_some_and(|status| status.code == 2),
            });
        }
    }
    HttpResponse::Ok().content_type("application/x-protobuf").finish()
}

fn attributes(pairs: Vec<KeyValue>) -> Vec<(String, String)> {
    let value = |pair: KeyValue| match pair.value.and_then(|value| value.value) {
        Some(Value::StringValue(text)) => (pair.key, text),
        Some(Value::IntValue(number)) => (pair.key, number.to_string()),
        other => (pair.key, format!("{other:?}")),
    };
    pairs.into_iter().map(value).collect()
}
