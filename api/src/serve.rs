//! `serve`: the server, and by default the worker, in one process.

use std::sync::Arc;

use buildtrack::{
    App, Pinger, Server,
    commands::{CommandError, open_store},
    metrics_recorder,
};
use buildtrack_settings::Settings;
use buildtrack_store::{Database, ServerLock, Store};
use buildtrack_traces::Exporter;
use buildtrack_worker::{
    Mailer, Worker, WorkerSettings, check_bus, export_traces, flush_traces,
    webhooks::{self, Client, ClientError},
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{
    signal::unix::{SignalKind, signal},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// Runs until SIGTERM or SIGINT; then answers what is in flight and writes what was accepted.
pub(crate) async fn serve(settings: Settings) -> Result<(), CommandError> {
    raise_open_files();
    let _lock = ServerLock::acquire(&settings.database())?;
    let store = open_store(&settings).await?;
    store.limit_storage(settings.storage_limits());
    let signal = first_signal()?;
    let running = Running::start(store, settings).await?;
    greet(&running);
    signal.await;
    tracing::info!("stopping: answering what is in flight");
    running.stop().await;
    tracing::info!("stopped");
    Ok(())
}

/// A server, and by default the worker, running in this process.
pub(crate) struct Running {
    pub(crate) app: Arc<App>,
    pub(crate) server: Server,
    store: Store,
    stop: CancellationToken,
    worker: Option<JoinHandle<()>>,
    traces: Option<Exporter>,
}

impl Running {
    /// Starts both on an open store.
    pub(crate) async fn start(store: Store, settings: Settings) -> Result<Self, CommandError> {
        let failed = |error: ClientError| CommandError::Failed(error.to_string());
        let traces = export_traces("buildtrack", &settings).map_err(|error| CommandError::Failed(error.to_string()))?;
        let stop = CancellationToken::new();
        let bus = buildtrack_worker::bus(&settings)?;
        if settings.worker {
            check_bus(&bus).await?;
        }
        let worker = || {
            let mailer = Mailer::of(&settings).map_err(|error| CommandError::Failed(error.to_string()))?;
            let worker = Worker::new(store.clone(), bus, WorkerSettings::from(&settings)).map_err(failed)?;
            Ok::<_, CommandError>(worker.mailing(mailer))
        };
        let worker = settings.worker.then(worker).transpose()?;
        let pinger = pinger(&store, &settings).map_err(failed)?;
        let app = Arc::new(App::new(store.clone(), settings, metrics_recorder(), pinger));
        let server = Server::start(&app)?;
        let worker = worker.map(|worker| tokio::spawn(Box::pin(worker.run(stop.clone()))));
        Ok(Self { app, server, store, stop, worker, traces })
    }

    /// Answers what is in flight, lets the worker end, and writes what was accepted.
    pub(crate) async fn stop(self) {
        let Self { app, server, store, stop, worker, traces } = self;
        server.stop().await;
        stop.cancel();
        if let Some(worker) = worker {
            drop(worker.await);
        }
        drop(app);
        store.close().await;
        flush_traces(traces).await;
    }
}

/// Test events are sent from here, whether or not the worker runs in this process.
fn pinger(store: &Store, settings: &Settings) -> Result<Pinger, ClientError> {
    let WorkerSettings { allow_private_targets, call_timeout, target_rate, .. } = WorkerSettings::from(settings);
    let client = Client::new(allow_private_targets, call_timeout)?.bounded(target_rate);
    let pinger = webhooks::Pinger::new(store.clone(), client.clone());
    Ok(Pinger {
        ping: Box::new(move |webhook| {
            let pinger = pinger.clone();
            Box::pin(async move { pinger.ping(&webhook).await })
        }),
        vet: Box::new(move |url| {
            let client = client.clone();
            Box::pin(async move { client.vet_given(&url).await })
        }),
    })
}

/// Every connection is an open file, and systems allow few unless a process asks for what it may have.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, open_files = limit.current, "the limit of open files stays as it is");
    }
}

fn greet(Running { app, server, .. }: &Running) {
    let data = match app.settings.database() {
        Database::Sqlite(path) => path.display().to_string(),
        // The address may hold a password.
        Database::Postgres(_) => "PostgreSQL (DATABASE_URL)".to_owned(),
    };
    let worker = if app.settings.worker { "in this process" } else { "off (run buildtrack-worker)" };
    println!(
        "Buildtrack {version} listens on http://{address}\n  docs    {url}/docs\n  API     {url}/api/v1\n  data    {data}\n  worker  {worker}",
        version = env!("CARGO_PKG_VERSION"),
        address = server.address,
        url = app.public_url,
    );
}

/// Catches SIGTERM and SIGINT from now on; the future comes back at the first.
pub(crate) fn first_signal() -> Result<impl Future<Output = ()>, CommandError> {
    let fault = |error: std::io::Error| CommandError::Failed(format!("signals cannot be caught: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(fault)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(fault)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
