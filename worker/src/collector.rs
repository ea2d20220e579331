//! The way of traces out: to the collector that the environment names, if it names one.

use std::time::Duration;

use buildtrack_settings::Settings;
use buildtrack_traces::{Bytes, Exporter, Failed, Misconfigured, Request, Response, Service};
use reqwest::{Client, redirect::Policy};
use tokio::runtime::Handle;

/// How long a call may take. Nobody waits for it but the spans behind it.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read.
const ANSWER_MAX: usize = 64 * 1024;

/// Why traces cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    /// The environment asks for what there is not.
    #[error(transparent)]
    Misconfigured(#[from] Misconfigured),
    /// There is no HTTP client.
    #[error("no HTTP client can be made for traces: {0}")]
    Client(#[from] reqwest::Error),
}

/// Begins to export traces of this process where the environment names a collector; `name` is what it is called unless
/// the environment says otherwise. The collector is the operator's own, so its address is not vetted, and the standard
/// proxy variables count.
pub fn export_traces(name: &'static str, settings: &Settings) -> Result<Option<Exporter>, TracesError> {
    // An error says that it has been chosen before.
    drop(rustls::crypto::ring::default_provider().install_default());
    let builder = || Client::builder().redirect(Policy::none()).timeout(TIMEOUT);
    // Without trusted certificates a collector in the clear is reached still.
    let client = builder().build().or_else(|_| builder().tls_certs_only([]).build())?;
    // The thread that exports is none of the runtime's.
    let runtime = Handle::current();
    let post = move |request: Request<Bytes>| {
        let call = runtime.spawn(call(client.clone(), request));
        Box::pin(async move { call.await? }) as _
    };
    let messaging = if settings.amqp_url.is_some() { "rabbitmq" } else { "buildtrack" };
    let service = Service { name, version: env!("CARGO_PKG_VERSION"), messaging };
    Ok(buildtrack_traces::start(service, Box::new(post))?)
}

/// Hands over what is left, within a few seconds.
pub async fn flush_traces(exporter: Option<Exporter>) {
    if let Some(exporter) = exporter {
        drop(tokio::task::spawn_blocking(|| exporter.stop()).await);
    }
}

async fn call(client: Client, request: Request<Bytes>) -> Result<Response<Bytes>, Failed> {
    let mut answer = client.execute(request.try_into()?).await?;
    let (status, headers) = (answer.status(), std::mem::take(answer.headers_mut()));
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await? {
        body.extend_from_slice(&piece);
        if body.len() > ANSWER_MAX {
            return Err("the answer is too long".into());
        }
    }
    let mut response = Response::new(body.into());
    (*response.status_mut(), *response.headers_mut()) = (status, headers);
    Ok(response)
}
