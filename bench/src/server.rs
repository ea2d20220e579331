//! The server under test: a separate process with its own data directory, port and, if requested, database.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::http::{self, Connection};
use crate::postgres;

const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
/// High enough that no rate limit affects the measurement.
const LIMITS: &str = "free=100000000,pro=100000000,enterprise=100000000,anonymous=100000000,login=100000000,login_account=100000000,\
                      relay=100000000,relay_address=100000000,exchange=100000000";
/// The same for budgets of bytes.
const BUDGETS: &str = "sender=100TiB,network=100TiB,server=100TiB,registrations=100000000";
const LONGEST_START: Duration = Duration::from_mins(1);
const LONGEST_STOP: Duration = Duration::from_secs(30);

/// The server under test and its database.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// The server's database, created for this run and removed after it.
    #[arg(long, value_enum, default_value_t = Kind::Sqlite)]
    pub(crate) database: Kind,
    /// The server's binary; by default the one beside this binary, which `cargo run` builds first.
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,
    /// An additional setting for the server's environment; can be repeated.
    #[arg(long = "env", value_name = "KEY=VALUE", value_parser = parse_setting)]
    environment: Vec<(String, String)>,
    /// Keep the data directory and the database.
    #[arg(long)]
    keep: bool,
}

/// The kind of database.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Kind {
    /// A file in the data directory.
    Sqlite,
    /// A database on the PostgreSQL of `TEST_DATABASE_URL`, by default on 127.0.0.1:5432.
    Postgres,
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// The parts that outlive one start of the server: binary, data, settings.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    program: PathBuf,
    settings: Vec<(String, String)>,
    directory: TempDir,
    /// Dropped with this value.
    database: Option<postgres::Database>,
}

impl Site {
    /// Vacuums the database if its server does not do that by itself.
    pub(crate) fn vacuum(&self) -> Result<()> {
        self.database.iter().try_for_each(postgres::Database::vacuum)
    }

    pub(crate) fn prepare(options: &Options) -> Result<Self> {
        let program = program(options.server.as_deref(), "buildtrack")?;
        let mut directory = data_directory()?;
        let address = free_address()?;
        let mut settings = settings(address, directory.path());
        let mut database = None;
        if options.database == Kind::Postgres {
            let made = database.insert(postgres::Database::create("bt_bench")?);
            settings.push(("DATABASE_URL".to_owned(), made.url.clone()));
            settings.push(("BUILDTRACK_SECRET".to_owned(), postgres::random_hex(32)?));
        }
        settings.extend(options.environment.iter().cloned());
        if options.keep {
            directory.disable_cleanup(true);
            database.iter_mut().for_each(postgres::Database::keep);
            eprintln!("kept: {}", directory.path().display());
        }
        Ok(Self { address, program, settings, directory, database })
    }

    /// Adds a setting for all processes started later.
    pub(crate) fn set(&mut self, key: &str, value: &str) {
        self.settings.retain(|(other, _)| other != key);
        self.settings.push((key.to_owned(), value.to_owned()));
    }

    /// PostgreSQL's backend processes, if they run on this machine.
    pub(crate) fn backends(&self) -> Result<Vec<u32>> {
        self.database.as_ref().map_or(Ok(vec![]), postgres::Database::backends)
    }

    /// Starts the server and waits until `GET /readyz` answers 200.
    pub(crate) async fn start(&self) -> Result<Server> {
        self.launch(self.command(&self.program), (self.address, "/readyz")).await
    }

    /// Starts the worker on the same data and waits until it serves its metrics.
    pub(crate) async fn start_worker(&self, program: &Path) -> Result<Server> {
        let address = free_address()?;
        let mut command = self.command(program);
        command.env("BUILDTRACK_METRICS_BIND", address.to_string());
        self.launch(command, (address, "/metrics")).await
    }

    async fn launch(&self, mut command: Command, sign: Sign<'_>) -> Result<Server> {
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let begin = Instant::now();
        let child =
            command.spawn().with_context(|| format!("starting {}", command.as_std().get_program().display()))?;
        let mut server = Server { child, ready_after: Duration::ZERO };
        timeout(LONGEST_START, self.ready(&mut server.child, sign))
            .await
            .with_context(|| self.complaint("is not ready"))??;
        server.ready_after = begin.elapsed();
        Ok(server)
    }

    async fn ready(&self, child: &mut Child, sign: Sign<'_>) -> Result<()> {
        while probe(sign).await.ok() != Some(200) {
            if let Some(status) = child.try_wait()? {
                bail!(self.complaint(&format!("ended with {status} before it was ready")));
            }
            sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    /// Runs one subcommand of the server on the same data, to its end.
    pub(crate) async fn run(&self, subcommand: &str) -> Result<Finished> {
        let begin = Instant::now();
        let output = self.command(&self.program).arg(subcommand).stdin(Stdio::null()).output().await?;
        let printed = [output.stdout, output.stderr].concat();
        let last_lines = last_lines(&String::from_utf8_lossy(&printed), 4);
        Ok(Finished { status: output.status, last_lines, took: begin.elapsed() })
    }

    /// A command with the server's settings only, without the caller's environment.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        for (key, _) in std::env::vars().filter(|(key, _)| key.starts_with("BUILDTRACK_")) {
            command.env_remove(key);
        }
        command.env_remove("DATABASE_URL").env_remove("AMQP_URL");
        command.envs(self.settings.iter().map(|(key, value)| (key, value)));
        // A settings file in the caller's directory must not apply either.
        command.current_dir(self.directory.path()).kill_on_drop(true);
        command
    }

    fn complaint(&self, what: &str) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        format!("the server {what}; it printed last:\n{}", last_lines(&log, 12))
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join("server.log")
    }
}

/// A running server; dropping it kills it.
pub(crate) struct Server {
    child: Child,
    /// From before the process was spawned to the first 200 of `/readyz`.
    pub(crate) ready_after: Duration,
}

/// The result of a subcommand of the server.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) last_lines: String,
    pub(crate) took: Duration,
}

impl Server {
    pub(crate) fn process(&self) -> Result<u32> {
        self.child.id().context("the server has ended")
    }

    /// Sends SIGTERM and waits for a clean exit.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let process = Pid::from_raw(i32::try_from(self.process()?)?).context("a process id of 0")?;
        kill_process(process, Signal::TERM)?;
        let status =
            timeout(LONGEST_STOP, self.child.wait()).await.context("the server does not stop on SIGTERM")??;
        ensure!(status.success(), "the server stopped on SIGTERM with {status}");
        Ok(())
    }

    /// `kill -9`.
    pub(crate) async fn kill(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }
}

/// The readiness probe of a process: an address and a path that answers 200.
type Sign<'path> = (SocketAddr, &'path str);

async fn probe((address, path): Sign<'_>) -> Result<u16> {
    let request = http::request("GET", path, address, None, None);
    let exchange = async { anyhow::Ok(Connection::open(address).await?.exchange(&request).await?.status) };
    timeout(Duration::from_secs(2), exchange).await?
}

/// The given binary, or the package's binary beside this one.
pub(crate) fn program(given: Option<&Path>, package: &str) -> Result<PathBuf> {
    if let Some(path) = given {
        return path.canonicalize().with_context(|| format!("no {package} at {}", path.display()));
    }
    build(package)?;
    let path = std::env::current_exe()?.with_file_name(package);
    ensure!(
        path.is_file(),
        "no {package} at {}: build it with `cargo build --release --package {package}`, or name another one",
        path.display()
    );
    Ok(path)
}

/// Builds the binary under `cargo run`, which sets `CARGO`. Otherwise a fresh clone would have none, and an outdated binary
/// might be measured.
fn build(package: &str) -> Result<()> {
    let Some(cargo) = std::env::var_os("CARGO") else {
        return Ok(());
    };
    let mut arguments: Vec<OsString> =
        ["build", "--quiet", "--package", package, "--manifest-path", MANIFEST].map(OsString::from).into();
    if !cfg!(debug_assertions) {
        arguments.push("--release".into());
    }
    let status = std::process::Command::new(cargo).args(arguments).status().context("running cargo")?;
    ensure!(status.success(), "{package} does not build");
    Ok(())
}

/// A directory beside the binaries in `target/`: on the project's disk, because `/tmp` may be in memory.
fn data_directory() -> Result<TempDir> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(2).context("this binary is not in a target directory")?;
    tempfile::Builder::new().prefix("bench-").tempdir_in(target).context("making a data directory")
}

/// A port that was free a moment ago.
fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn settings(address: SocketAddr, directory: &Path) -> Vec<(String, String)> {
    let data = directory.join("data").display().to_string();
    let settings = [
        ("BUILDTRACK_BIND", address.to_string()),
        ("BUILDTRACK_DATA_DIR", data),
        ("BUILDTRACK_RATE_LIMITS", LIMITS.to_owned()),
        ("BUILDTRACK_RELAY_BUDGETS", BUDGETS.to_owned()),
        ("BUILDTRACK_LOG", "warn".to_owned()),
        // One owner has all agents.
        ("BUILDTRACK_AGENTS_PER_OWNER", "1000000".to_owned()),
    ];
    settings.map(|(key, value)| (key.to_owned(), value)).into()
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
