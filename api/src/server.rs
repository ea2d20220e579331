//! The HTTP server: start, connection settings, metrics recorder and graceful shutdown.
//!
//! **Invariant:** clients speak HTTP/1.1. The service for HTTP/2 is not part of it, so that a connection preface without TLS is an
//! invalid request.

use std::{
    future::ready,
    io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, Weak},
    time::Duration,
};

use actix_http::{HttpServiceBuilder, Request, error::DispatchError};
use actix_server::{GracefulShutdownSignal, ServerBuilder};
use actix_service::{
    IntoServiceFactory, Service as _, ServiceFactory, ServiceFactoryExt as _, apply_fn_factory, map_config,
};
use actix_web::{
    dev::{AppConfig, ServerHandle},
    rt::net::TcpStream,
};
use buildtrack_commands::CommandError;
use buildtrack_http::{edge::REQUEST_SECONDS, mount::Mount};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    application::Application,
    connections::{self, Bounds, Connections, Exchange, Paced, Sliced},
    contexts,
};

/// Seconds that requests in flight may take when the server stops.
const SHUTDOWN_SECONDS: u64 = 10;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;

/// Bytes that the system buffers for a client; Linux takes twice as much, for its own administration.
const SEND_BUFFER: usize = 64 * 1024;

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

impl From<ServerError> for CommandError {
    fn from(error: ServerError) -> Self {
        Self::Failed(error.to_string())
    }
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
        Self::start_within(application, Bounds::default())
    }

    /// Starts to serve with other bounds of connections; for tests.
    #[doc(hidden)]
    pub fn start_within(application: &Application, bounds: Bounds) -> Result<Self, ServerError> {
        let bind = application.settings().bind;
        let fault = |source| ServerError::Bind { address: bind, source };
        let listener = listen(bind).map_err(fault)?;
        let address = listener.local_addr().map_err(fault)?;
        let open = Connections::new(application.store().clone(), application.settings().clone(), bounds);
        let watched = Arc::downgrade(&open);
        let builder = ServerBuilder::default().workers(http_threads()).shutdown_timeout(SHUTDOWN_SECONDS);
        let (stop, state) = (builder.graceful_shutdown_signal(), application.clone());
        let served = move || service(&state, address, &open, &stop);
        let server = builder.disable_signals().listen("http", listener, served).map_err(fault)?.run();
        application.spawn_followers();
        tokio::spawn(sweep(watched, bounds.tick));
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

/// Listens. Accepted sockets inherit the size of the buffer, which bounds what the system itself keeps for a client that does not
/// read, and how late the server learns that one reads slowly.
fn listen(bind: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(bind)?;
    rustix::net::sockopt::set_socket_send_buffer_size(&listener, SEND_BUFFER)?;
    // The standard library chose a shorter queue.
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// The service of one HTTP thread: from an accepted socket to its answers.
fn service(
    state: &Application,
    address: SocketAddr,
    open: &Arc<Connections>,
    stop: &GracefulShutdownSignal,
) -> impl ServiceFactory<TcpStream, Config = (), Response = (), Error = DispatchError, InitError = ()> + use<> {
    let (stop, open) = (stop.clone(), Arc::clone(open));
    let app = contexts::serving(&|config| state.register(config)).into_factory();
    let app = app.map_err(|error: actix_web::Error| error.error_response());
    // actix-web's own server makes its configuration with a function that only it may call.
    let app = map_config(app, move |()| AppConfig::__priv_test_new(false, address.to_string(), address));
    let mount = Mount::of(state.settings());
    let app = apply_fn_factory(app, move |mut request: Request, app| {
        let exchange = Exchange::begin(&mut request);
        if let Some(address) = mount.enter(request.uri()) {
            *request.uri_mut() = address;
        }
        let answering = app.call(request);
        async move { Ok::<_, actix_web::HttpResponse>(connections::answer(answering.await?, exchange)) }
    });
    let http = HttpServiceBuilder::<Paced, _>::default()
        .graceful_shutdown_signal(move || {
            let stop = stop.clone();
            async move { stop.notified().await }
        })
        .keep_alive(Duration::from_secs(75))
        .client_request_timeout(Duration::from_secs(REQUEST_SECONDS))
        .client_disconnect_timeout(Duration::from_secs(2))
        // Stop serving a client that closes its connection: a waiting request then releases its permit for another client.
        .h1_allow_half_closed(false)
        .local_addr(address)
        .on_connect_ext(|paced: &Paced, extensions| drop(extensions.insert(Arc::clone(paced.connection()))))
        .h1::<_, Sliced>(app);
    actix_service::fn_service(move |socket: TcpStream| ready(accepted(&open, socket))).and_then(http)
}

/// Takes a place for an accepted socket. Without one, the socket is closed.
fn accepted(open: &Arc<Connections>, socket: TcpStream) -> Result<(Paced, Option<SocketAddr>), DispatchError> {
    let peer = socket.peer_addr().ok();
    let full = || DispatchError::Io(io::ErrorKind::ConnectionRefused.into());
    let paced = Paced::new(socket, open.admit(peer).ok_or_else(full)?);
    #[cfg(target_os = "linux")]
    limit_unacknowledged_time(paced.socket());
    Ok((paced, peer))
}

/// Looks at all connections at every tick, as long as the server runs.
async fn sweep(open: Weak<Connections>, tick: Duration) {
    let mut ticks = tokio::time::interval(tick);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(open) = open.upgrade() else { return };
        open.sweep();
    }
}

/// Lets the system close a connection whose client has vanished or does not read its answer. Otherwise the connection would
/// hold its permit without a limit.
#[cfg(target_os = "linux")]
fn limit_unacknowledged_time(stream: &TcpStream) {
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
