//! A running HTTP server.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use actix_web::{HttpServer, dev::ServerHandle};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;

use crate::{app::App, http::fallback::Known, log::live::tailing, openapi::application, relay::waiters};

/// How long requests in flight may take when the server stops.
const GRACE: u64 = 10;

/// Milliseconds for which a client may leave what was sent to it unacknowledged (`TCP_USER_TIMEOUT`, tcp(7)).
#[cfg(target_os = "linux")]
const UNTAKEN: u32 = 60_000;

/// Why a server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// Which address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    /// Where it listens; with port 0 in the settings, on the port the system gave.
    pub address: SocketAddr,
    handle: ServerHandle,
    stopping: CancellationToken,
    task: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Server {
    /// Starts to listen.
    pub fn start(app: &Arc<App>) -> Result<Self, ServerError> {
        let bind = app.settings.bind;
        let fault = |source| ServerError::Bind { address: bind, source };
        let known = Arc::new(Known::published());
        let state = Arc::clone(app);
        let server = HttpServer::new(move || application(&state, &known))
            .workers(http_threads())
            .keep_alive(Duration::from_secs(75))
            .client_request_timeout(Duration::from_secs(10))
            .client_disconnect_timeout(Duration::from_secs(2))
            .shutdown_timeout(GRACE)
            // Who hangs up is served no more: a request that waits gives its place to somebody else.
            .h1_allow_half_closed(false)
            .disable_signals()
            .bind(bind)
            .map_err(fault)?;
        tokio::spawn(tailing::follow(Arc::clone(app)));
        tokio::spawn(waiters::follow(Arc::clone(app)));
        #[cfg(target_os = "linux")]
        let server = server.on_connect(|io, _| give_up_in_time(io));
        let address = server.addrs().first().copied().unwrap_or(bind);
        let server = server.run();
        let stopping = app.stopping.clone();
        Ok(Self { address, handle: server.handle(), stopping, task: tokio::spawn(server) })
    }

    /// Answers what is in flight, and stops.
    pub async fn stop(self) {
        self.stopping.cancel();
        self.handle.stop(true).await;
        drop(self.task.await);
    }
}

/// Threads that speak HTTP, each with routes of its own: half of the cores, since the log's writer, the database's driver and
/// pushes need the others.
fn http_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}

/// A client that takes nothing of what is sent to it, or is gone without a word, is cut off by the system: otherwise it
/// would keep its place for as long as it likes.
#[cfg(target_os = "linux")]
fn give_up_in_time(io: &dyn std::any::Any) {
    let Some(stream) = io.downcast_ref::<actix_web::rt::net::TcpStream>() else { return };
    if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, UNTAKEN) {
        tracing::debug!(%error, "the time that a client may take is not bounded");
    }
}

/// Measurements of this process; can be installed once.
pub fn metrics_recorder() -> Option<PrometheusHandle> {
    const SECONDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];
    const SIZES: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0, 1024.0];
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &SECONDS)
        .and_then(|builder| builder.set_buckets_for_metric(Matcher::Suffix("_size".into()), &SIZES));
    let recorder = builder.ok()?.install_recorder().ok()?;
    buildtrack_traces::describe_metrics(env!("CARGO_PKG_VERSION"));
    Some(recorder)
}
