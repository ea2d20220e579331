//! The `serve` command: runs the server and, by default, the worker in one process.

use buildtrack_commands::{CommandError, open_store, print};
use buildtrack_settings::{Settings, bank, python};
use buildtrack_store::{Database, ServerLock, Store};
use buildtrack_traces::Exporter;
use buildtrack_worker::{
    Mailer, Worker, WorkerSettings, check_bus, export_traces, flush_traces,
    notifications::ChatClient,
    outbound,
    webhooks::{self, Client, ClientError},
};

use crate::{Application, Pinger, Server, WorkerCheck, metrics_recorder};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{
    signal::unix::{SignalKind, signal},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// Serves until SIGTERM or SIGINT. Then completes the requests in flight and writes all accepted events.
pub(crate) async fn serve(settings: Settings) -> Result<(), CommandError> {
    raise_open_files();
    let _lock = ServerLock::acquire(&settings.database())?;
    let tasks = bank(&settings)?;
    if settings.worker {
        python(&settings)?;
    }
    let store = open_store(&settings).await?;
    store.arena().use_bank(tasks);
    store.log().limit_storage(settings.storage_limits());
    let signal = first_signal()?;
    let running = Running::start(store, settings).await?;
    print_addresses(&running);
    signal.await;
    tracing::info!("stopping: completing the requests in flight");
    running.stop().await;
    tracing::info!("stopped");
    Ok(())
}

/// A running server, by default with a worker in the same process.
pub(crate) struct Running {
    pub(crate) application: Application,
    pub(crate) server: Server,
    store: Store,
    stop: CancellationToken,
    worker: Option<JoinHandle<()>>,
    traces: Option<Exporter>,
}

impl Running {
    /// Starts the server, and the worker if the settings say so, on an open store.
    pub(crate) async fn start(store: Store, settings: Settings) -> Result<Self, CommandError> {
        let failed = |error: ClientError| CommandError::Failed(error.to_string());
        let traces = export_traces("buildtrack", &settings).map_err(|error| CommandError::Failed(error.to_string()))?;
        let stop = CancellationToken::new();
        let bus = buildtrack_worker::bus(&settings)?;
        let watched = bus.clone();
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
        let worker_check = worker.as_ref().map(|worker| {
            let pulse = worker.pulse();
            Box::new(move || pulse.is_alive()) as WorkerCheck
        });
        let application = Application::new(store.clone(), settings, (metrics_recorder(), worker_check), pinger)
            .watching(watched, buildtrack_worker::queues());
        let server = Server::start(&application)?;
        let worker = worker.map(|worker| tokio::spawn(worker.run(stop.clone())));
        Ok(Self { application, server, store, stop, worker, traces })
    }

    /// Completes the requests in flight, stops the worker, and writes all accepted events.
    pub(crate) async fn stop(self) {
        let Self { application, server, store, stop, worker, traces } = self;
        server.stop().await;
        stop.cancel();
        if let Some(worker) = worker {
            drop(worker.await);
        }
        drop(application);
        store.close().await;
        flush_traces(traces).await;
    }
}

/// Creates the sender of test events. The server sends them itself, even if the worker runs in another process.
fn pinger(store: &Store, settings: &Settings) -> Result<Pinger, ClientError> {
    let WorkerSettings { allow_private_targets, call_timeout, target_rate, .. } = WorkerSettings::from(settings);
    let client = Client::new(allow_private_targets, call_timeout)?.bounded(target_rate);
    let pinger = webhooks::Pinger::new(store.clone(), client.clone());
    let chats = outbound::Client::new(allow_private_targets)?.bounded(target_rate);
    let (chats, clock) = (ChatClient::new(chats, call_timeout), store.log().clock().clone());
    Ok(Pinger {
        ping: Box::new(move |webhook| {
            let pinger = pinger.clone();
            Box::pin(async move { pinger.ping(&webhook).await })
        }),
        chat: Box::new(move |url, body| {
            let (chats, now) = (chats.clone(), clock.now());
            Box::pin(async move { chats.test(&url, body, now).await })
        }),
        vet: Box::new(move |url| {
            let client = client.clone();
            Box::pin(async move { client.vet_given(&url).await })
        }),
    })
}

/// Raises the soft limit of open files to the hard limit. Every connection is an open file, and default limits are low.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, open_files = limit.current, "cannot raise the limit of open files");
    }
}

fn print_addresses(Running { application, server, .. }: &Running) {
    let data = match application.settings().database() {
        Database::Sqlite(path) => path.display().to_string(),
        // The URL may contain a password.
        Database::Postgres(_) => "PostgreSQL (DATABASE_URL)".to_owned(),
    };
    let worker = if application.settings().worker { "in this process" } else { "off (run buildtrack-worker)" };
    let text = format!(
        "Buildtrack {version} listens on http://{address}\n  docs    {url}/docs\n  API     {url}/api/v1\n  data    {data}\n  worker  {worker}",
        version = env!("CARGO_PKG_VERSION"),
        address = server.address,
        url = application.public_url(),
    );
    // The server serves also where its addresses cannot be read.
    if let Err(error) = print(&text) {
        tracing::warn!(%error, "the addresses of the server could not be printed");
    }
}

/// Installs handlers for SIGTERM and SIGINT. The future completes at the first signal.
pub(crate) fn first_signal() -> Result<impl Future<Output = ()>, CommandError> {
    let fault = |error: std::io::Error| CommandError::Failed(format!("cannot install signal handlers: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(fault)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(fault)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
