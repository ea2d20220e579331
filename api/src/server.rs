//! The HTTP server: start, connection settings, metrics recorder and graceful shutdown.

use std::{net::SocketAddr, time::Duration};

use actix_web::{HttpServer, dev::ServerHandle};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;

use crate::{application::Application, contexts, http::edge::REQUEST_SECONDS};

/// Seconds that requests in flight may take when the server stops.
const SHUTDOWN_SECONDS: u64 = 10;

/// Milliseconds after which the system closes a connection with unacknowledged data (`TCP_USER_TIMEOUT`, tcp(7)).
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_MS: u32 = 60_000;

/// The error of a server that cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The server cannot listen on its address.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

/// A listening server.
#[derive(Debug)]
pub struct Server {
    /// The address that it listens on. With port 0 in the settings, it contains the port that the system chose.
    pub address: SocketAddr,
    handle: ServerHandle,
    stopping: CancellationToken,
    task: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Server {
    /// Binds the address and starts to serve.
    pub fn start(application: &Application) -> Result<Self, ServerError> {
        let bind = application.settings().bind;
        let fault = |source| ServerError::Bind { address: bind, source };
        let state = application.clone();
        let server = HttpServer::new(move || contexts::serving(&|config| state.register(config)))
            .workers(http_threads())
            .keep_alive(Duration::from_secs(75))
            .client_request_timeout(Duration::from_secs(REQUEST_SECONDS))
            .client_disconnect_timeout(Duration::from_secs(2))
            .shutdown_timeout(SHUTDOWN_SECONDS)
            // Stop serving a client that closes its connection: a waiting request then releases its permit for another client.
            .h1_allow_half_closed(false)
            .disable_signals()
            .bind(bind)
            .map_err(fault)?;
        application.spawn_followers();
        #[cfg(target_os = "linux")]
        let server = server.on_connect(|io, _| limit_unacknowledged_time(io));
        let address = server.addrs().first().copied().unwrap_or(bind);
        let server = server.run();
        let stopping = application.app().stopping.clone();
        Ok(Self { address, handle: server.handle(), stopping, task: tokio::spawn(server) })
    }

    /// Completes the requests in flight and stops.
    pub async fn stop(self) {
        self.stopping.cancel();
        self.handle.stop(true).await;
        drop(self.task.await);
    }
}

/// The number of HTTP threads, each with its own copy of the routes: half of the cores. The log's writer, the database driver
/// and pushes need the other half.
fn http_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}

/// Lets the system close a connection whose client has vanished or does not read its answer. Otherwise the connection would
/// hold its permit without a limit.
#[cfg(target_os = "linux")]
fn limit_unacknowledged_time(io: &dyn std::any::Any) {
    let Some(stream) = io.downcast_ref::<actix_web::rt::net::TcpStream>() else { return };
    if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, UNACKNOWLEDGED_MS) {
        tracing::debug!(%error, "cannot limit the time for unacknowledged data of a connection");
    }
}

/// Installs the recorder of the process's metrics. Returns `None` if one is installed already.
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
