//! The environment of a test's processes: a directory, a database and settings, and the programs to start.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use buildtrack_store::{Secret, clock::random};
use buildtrack_tests::Backend;
use tempfile::TempDir;
use tokio::process::Command;

use super::{
    client::Client,
    database::{Connected, PostgresDatabase},
    process::{Finished, Process},
    waiting::{PATIENCE, soon, until, within},
};

/// So high that no test reaches the limits.
const NO_LIMITS: &str = "free=10000000,pro=20000000,enterprise=30000000,anonymous=10000000,login=10000000";

/// The state that survives every process.
pub(crate) struct Site {
    settings: Vec<(String, String)>,
    folder: TempDir,
    database: Option<PostgresDatabase>,
}

/// A server that is ready.
pub(crate) struct Server {
    pub(crate) process: Process,
    url: String,
}

impl Site {
    /// An empty database, and settings for tests: no limits, private targets permitted, a free port.
    pub(crate) async fn new(backend: Backend) -> Self {
        let folder = TempDir::new().unwrap();
        let data = folder.path().join("data").display().to_string();
        let settings = [
            ("BUILDTRACK_BIND", "127.0.0.1:0"),
            ("BUILDTRACK_DATA_DIR", &data),
            ("BUILDTRACK_RATE_LIMITS", NO_LIMITS),
            ("BUILDTRACK_ALLOW_PRIVATE_TARGETS", "true"),
            // All receivers of a test have the same address.
            ("BUILDTRACK_TARGET_RATE", "rate=100000,unverified=100000,concurrency=10000,unverified_concurrency=10000"),
            ("BUILDTRACK_PUBLIC_URL", "https://build.example"),
        ];
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let site = Self { settings, folder, database: None };
        match backend {
            Backend::Sqlite => site,
            Backend::Postgres => site.on_postgres().await,
        }
    }

    async fn on_postgres(mut self) -> Self {
        let database = PostgresDatabase::create().await;
        self = self.with("DATABASE_URL", &database.url()).with("BUILDTRACK_SECRET", &Secret::generate());
        self.database = Some(database);
        self
    }

    /// The same with one more setting.
    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        self = self.without(key);
        self.settings.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The same without a setting.
    pub(crate) fn without(mut self, key: &str) -> Self {
        self.settings.retain(|(known, _)| known != key);
        self
    }

    /// The value of a setting.
    pub(crate) fn setting(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| known == key).map(|(_, value)| &**value)
    }

    /// The working directory of every process.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts the server and waits until it is ready.
    pub(crate) async fn serve(&self) -> Server {
        Server::ready(self.launch()).await
    }

    /// Starts the server without waiting for it.
    pub(crate) fn launch(&self) -> Process {
        self.start(&[])
    }

    /// Starts a `buildtrack-worker`.
    pub(crate) fn work(&self) -> Process {
        Process::start(self.command(&program("buildtrack-worker"), &[]))
    }

    /// Starts a subcommand of `buildtrack`.
    pub(crate) fn start(&self, arguments: &[&str]) -> Process {
        Process::start(self.command(&program("buildtrack"), arguments))
    }

    /// Runs a subcommand of `buildtrack` to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Finished {
        self.start(arguments).end().await
    }

    /// Runs a subcommand that must succeed; returns its standard output.
    pub(crate) async fn succeeds(&self, arguments: &[&str]) -> String {
        let finished = self.run(arguments).await;
        assert_eq!(finished.code, Some(0), "{arguments:?} failed: {finished:?}");
        finished.stdout
    }

    /// With this site's settings only, independent of the test's own environment.
    pub(crate) fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        let ours = |key: &str| key.starts_with("BUILDTRACK_") || key.starts_with("OTEL_");
        for (key, _) in std::env::vars().filter(|(key, _)| ours(key)) {
            command.env_remove(key);
        }
        command.env_remove("DATABASE_URL").env_remove("AMQP_URL");
        command.envs(self.settings.iter().map(|(key, value)| (key, value)));
        // A path without a settings file.
        command.current_dir(self.folder()).args(arguments);
        command
    }

    /// A direct connection to the database.
    pub(crate) async fn database(&self) -> Connected {
        match &self.database {
            Some(database) => Connected::to_postgres(&database.url()).await,
            None => Connected::to_sqlite(&self.folder().join("data/buildtrack.sqlite")).await,
        }
    }

    /// Ends every connection to PostgreSQL and refuses new ones.
    pub(crate) async fn block_database(&self) {
        self.database.as_ref().expect("SQLite does not go away").close().await;
    }

    /// Accepts connections again.
    pub(crate) async fn unblock_database(&self) {
        self.database.as_ref().expect("SQLite does not go away").open().await;
    }

    /// Waits until every event was dispatched and no delivery is pending.
    pub(crate) async fn wait_until_idle(&self) {
        self.wait_until_idle_after(Duration::ZERO).await;
    }

    /// The same, if it takes at least this time.
    pub(crate) async fn wait_until_idle_after(&self, time: Duration) {
        const REMAINING: &str = "SELECT (SELECT count(*) FROM deliveries WHERE status = 'pending') \
            + (SELECT position FROM log_head) - coalesce((SELECT position FROM consumers WHERE name = 'webhooks'), 0)";
        let mut database = self.database().await;
        // The duration is not guaranteed; progress is.
        let mut left = i64::MAX;
        while left > 0 {
            let less = async || Some(database.number(REMAINING).await).filter(|now| *now < left);
            left = within(time + PATIENCE, "less waits to be pushed", less).await;
        }
    }

    /// Waits until the only delivery has this status after this many attempts; returns its id.
    pub(crate) async fn wait_for_only_delivery(&self, status: &str, attempts: i64) -> String {
        let mut database = self.database().await;
        let what = format!("one delivery, {status} after {attempts} attempts");
        until(&what, async || match &database.deliveries().await[..] {
            [(id, stands, made)] if stands == status && *made >= attempts => Some(id.clone()),
            _ => None,
        })
        .await
    }
}

impl Server {
    async fn ready(mut process: Process) -> Self {
        let line = |text: &str| {
            let (_, rest) = text.split_once("listens on ")?;
            rest.split_once('\n').map(|(url, _)| url.to_owned())
        };
        let Some(url) = soon("the server's start", process.stdout.wait_for_or_end(line)).await else {
            panic!("the server does not start: {:?}", process.end().await)
        };
        let server = Self { process, url };
        let anyone = server.anyone();
        until("GET /readyz answers 200", async || (anyone.get("/readyz").await.status == 200).then_some(())).await;
        server
    }

    /// Its base URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// An anonymous caller.
    pub(crate) fn anyone(&self) -> Client {
        Client::new(&self.url, None)
    }

    /// A caller with a session.
    pub(crate) fn with(&self, token: &str) -> Client {
        Client::new(&self.url, Some(token))
    }

    /// Stops the server with SIGTERM; it must exit with success.
    pub(crate) async fn stop(self) -> Finished {
        self.process.signal(rustix::process::Signal::TERM);
        let finished = self.process.end().await;
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished
    }
}

/// The program next to the one that `BUILDTRACK_BIN` names, by default in cargo's output folder, the parent of this test's folder.
pub(crate) fn program(name: &str) -> PathBuf {
    let server = match std::env::var_os("BUILDTRACK_BIN") {
        Some(path) => PathBuf::from(path),
        None => std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("buildtrack"),
    };
    let path = server.with_file_name(name);
    assert!(
        path.is_file(),
        "there is no {}: build it with `cargo build --workspace --bins`, or let BUILDTRACK_BIN name the server",
        path.display()
    );
    path
}

/// A unique text.
pub(crate) fn unique(prefix: &str) -> String {
    format!("{prefix}{}", hex::encode(random::<8>()))
}
