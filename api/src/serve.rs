//! `serve`: the server, and by default the worker, in one process.

use std::sync::Arc;

use buildtrack::{
    App, Server,
    commands::{CommandError, open_store},
    metrics_recorder,
};
use buildtrack_settings::Settings;
use buildtrack_store::Database;
use buildtrack_worker::WorkerSettings;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Runs until SIGTERM or SIGINT; then answers what is in flight and writes what was accepted.
pub(crate) async fn serve(settings: Settings) -> Result<(), CommandError> {
    let metrics = metrics_recorder();
    let store = open_store(&settings).await?;
    let stop = CancellationToken::new();
    let worker = settings.worker.then(|| {
        let work = buildtrack_worker::run(store.clone(), WorkerSettings::from(&settings), stop.clone());
        tokio::spawn(work)
    });
    let app = Arc::new(App::new(store.clone(), settings, metrics));
    let server = Server::start(&app)?;
    greet(&app, &server);
    wait_for_signal().await?;
    tracing::info!("stopping: answering what is in flight");
    server.stop().await;
    stop.cancel();
    if let Some(worker) = worker {
        drop(worker.await);
    }
    drop(app);
    store.close().await;
    tracing::info!("stopped");
    Ok(())
}

fn greet(app: &App, server: &Server) {
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

async fn wait_for_signal() -> Result<(), CommandError> {
    let fault = |error: std::io::Error| CommandError::Failed(format!("signals cannot be caught: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(fault)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(fault)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
