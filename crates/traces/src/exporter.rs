//! OTLP exporter: a thread sends ended spans to the collector every few seconds, through an HTTP client that the caller
//! provides.

use std::{
    error::Error,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use opentelemetry::{Key, KeyValue, trace::TracerProvider};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter as Otlp, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{IdGenerator, RandomIdGenerator, SdkTracerProvider, SpanData, SpanExporter},
};

use crate::{
    environment::{Misconfigured, asks},
    events::Ids,
    sampling::Sampling,
    span::Tracing,
};

/// How long the shutdown of a process may wait for the collector.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Sends a request to the collector. It may run on any thread and must end by itself.
pub type Post = Box<dyn Fn(Request<Bytes>) -> BoxFuture<'static, Result<Response<Bytes>, Failed>> + Send + Sync>;

/// Why a request failed. It is not logged, because it may contain the collector's address.
pub type Failed = Box<dyn Error + Send + Sync>;

/// Exports spans until it is stopped or dropped.
#[derive(Debug)]
pub struct Exporter(SdkTracerProvider);

/// The identity of this process.
#[derive(Debug, Clone, Copy)]
pub struct Service {
    /// Its service name, unless the environment sets another.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The messaging system: `rabbitmq`, or `buildtrack` for the in-process bus.
    pub messaging: &'static str,
}

/// Starts recording and exporting spans if the environment names a collector.
///
/// # Errors
/// If the environment requires an unsupported protocol or an invalid endpoint.
pub fn start(service: Service, post: Post) -> Result<Option<Exporter>, Misconfigured> {
    if !asks(|name| std::env::var(name).ok())? {
        return Ok(None);
    }
    let otlp = Otlp::builder().with_http().with_protocol(Protocol::HttpBinary).with_http_client(Posting(post));
    let exporter =
        LoggingExporter { otlp: otlp.build().map_err(|_| Misconfigured::Exporter)?, fails: AtomicBool::default() };
    let sampling = Sampling::from_environment();
    let provider = SdkTracerProvider::builder()
        .with_resource(resource(service))
        .with_id_generator(Ids::default())
        .with_sampler(sampling.clone())
        .with_batch_exporter(exporter)
        .build();
    let tracing = Tracing { tracer: provider.tracer("buildtrack"), sampling, messaging: service.messaging };
    if tracing.begin().is_err() {
        tracing::warn!("tracing is already enabled");
        return Ok(None);
    }
    tracing::info!("exporting traces");
    Ok(Some(Exporter(provider)))
}

impl Exporter {
    /// Exports the ended spans within a few seconds, and stops. Blocks the thread; the runtime that makes the calls must
    /// still run.
    pub fn stop(self) {
        if self.0.shutdown_with_timeout(SHUTDOWN_TIMEOUT).is_err() {
            tracing::warn!("the last spans did not reach the collector");
        }
    }
}

/// The resource attributes of the environment (`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`), with defaults for this
/// process.
fn resource(service: Service) -> Resource {
    let named = Resource::builder().build();
    let instance = RandomIdGenerator::default().new_trace_id().to_string();
    let known = [("service.name", service.name.to_owned()), ("service.version", service.version.to_owned())];
    let missing = known.into_iter().chain([("service.instance.id", instance)]).filter(|(key, _)| {
        let value = named.get(&Key::from_static_str(key));
        value.is_none_or(|value| *key == "service.name" && value.as_str().starts_with("unknown_service"))
    });
    let missing: Vec<_> = missing.map(|(key, value)| KeyValue::new(key, value)).collect();
    Resource::builder().with_attributes(missing).build()
}

struct Posting(Post);

impl std::fmt::Debug for Posting {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Posting")
    }
}

#[async_trait]
impl HttpClient for Posting {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        (self.0)(request).await
    }
}

/// Logs when the collector starts to reject spans and when it accepts them again, once each rather than for every batch.
#[derive(Debug)]
struct LoggingExporter {
    otlp: Otlp,
    fails: AtomicBool,
}

impl SpanExporter for LoggingExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let exported = self.otlp.export(batch).await;
        let outcome = if exported.is_ok() { "exported" } else { "lost" };
        metrics::counter!("buildtrack_traces_spans_total", "outcome" => outcome).increment(spans);
        match (&exported, self.fails.swap(exported.is_err(), Ordering::Relaxed)) {
            (Err(error), false) => {
                tracing::warn!(%error, "the collector does not accept spans; they are dropped until it does");
            }
            (Ok(()), true) => tracing::info!("the collector accepts spans again"),
            _ => {}
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.otlp.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.otlp.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.otlp.set_resource(resource);
    }
}
