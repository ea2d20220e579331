//! Export of traces over OTLP/HTTP to the collector that the environment names, if it names one.

use std::time::Duration;

use buildtrack_macros::boxed;
use buildtrack_settings::Settings;
use buildtrack_traces::{Bytes, Exporter, Failed, Misconfigured, Request, Response, Service};
use reqwest::{Client, redirect::Policy};
use tokio::runtime::Handle;

/// How long one export request may take. Only the spans queued behind it wait for it.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Largest response body that is read, in bytes.
const ANSWER_MAX: usize = 64 * 1024;

/// Why traces cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    /// The environment configures an exporter that this build does not support.
    #[error(transparent)]
    Misconfigured(#[from] Misconfigured),
    /// The HTTP client cannot be built.
    #[error("the HTTP client for trace export cannot be built: {0}")]
    Client(#[from] reqwest::Error),
}

/// Starts exporting this process's traces if the environment names a collector. `name` is the service name unless the
/// environment sets another.
///
/// The operator chooses the collector, so its address is not vetted, and the standard proxy variables apply.
pub fn export_traces(name: &'static str, settings: &Settings) -> Result<Option<Exporter>, TracesError> {
    // An error means that a provider is installed already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let builder = || Client::builder().redirect(Policy::none()).timeout(TIMEOUT);
    // Without trusted root certificates a collector over plain HTTP is still reachable.
    let client = builder().build().or_else(|_| builder().tls_certs_only([]).build())?;
    // The export thread does not belong to the runtime, so it needs a handle to it.
    let runtime = Handle::current();
    let post = move |request: Request<Bytes>| {
        let call = runtime.spawn(call(client.clone(), request));
        Box::pin(async move { call.await? }) as _
    };
    let messaging = if settings.amqp_url.is_some() { "rabbitmq" } else { "buildtrack" };
    let service = Service { name, version: env!("CARGO_PKG_VERSION"), messaging };
    Ok(buildtrack_traces::start(service, Box::new(post))?)
}

/// Exports the remaining spans and stops the exporter. Takes a few seconds at most.
#[boxed]
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
            return Err("the collector's response is too long".into());
        }
    }
    let mut response = Response::new(body.into());
    (*response.status_mut(), *response.headers_mut()) = (status, headers);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    /// Calls a collector whose response body has this many bytes. Returns the number of bytes read.
    async fn called(length: usize) -> Result<usize, Failed> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
        let serving = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await.unwrap();
            // The caller may hang up first.
            drop(stream.write_all(&vec![b'x'; length]).await);
        };
        let request = Request::post(url).body(Bytes::new()).unwrap();
        let (response, ()) = tokio::join!(call(Client::builder().no_proxy().build()?, request), serving);
        Ok(response?.body().len())
    }

    #[tokio::test]
    async fn a_long_response_is_not_read_to_its_end() {
        drop(rustls::crypto::ring::default_provider().install_default());
        assert_eq!(called(ANSWER_MAX).await.unwrap(), ANSWER_MAX);
        assert!(called(ANSWER_MAX + 1).await.unwrap_err().to_string().contains("too long"));
    }
}
