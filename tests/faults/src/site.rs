//! Where a run takes place: a database, a broker, processes, and a proxy between each process and each of its peers.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use buildtrack_store::Secret;
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::{
    sync::Mutex,
    time::{sleep, timeout},
};

use crate::{
    broker::Broker,
    client::plain_http,
    database::{Database, PostgresDatabase},
    plan::{Peer, Plan, ProcessId, Topology},
    process::{Process, command},
    proxy::Proxy,
    skew::WallClock,
};

/// High enough for every caller except the agent whose limit the checker tests.
const LIMITS: &str = "free=1000000,pro=1000000,anonymous=1000000,login=1000000,login_account=1000000,relay=1000000,\
                      relay_address=1000000,exchange=1000000,enterprise=";
/// Requests a minute of the tier `enterprise`.
pub(crate) const LIMITED: u32 = 20;
/// An attempt a second, for longer than any run.
const RETRIES: &str =
    "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
const TARGETS: &str = "rate=100000,unverified=100000,concurrency=10000,unverified_concurrency=10000";
/// How long `buildtrack verify-log` and other commands may take.
const COMMAND: Duration = Duration::from_mins(1);
/// How long a server's start may take, and how often it is looked for.
const START: Duration = Duration::from_secs(5);
const LOOKS: Duration = Duration::from_millis(50);

/// Everything that a run needs and that ends with it. Processes end before the database goes.
pub(crate) struct Site {
    pub(crate) processes: Vec<Mutex<Process>>,
    /// By process, as long as it has peers.
    links: Vec<Vec<(Peer, Proxy)>>,
    clocks: Vec<Option<WallClock>>,
    pub(crate) urls: Vec<String>,
    /// What a command needs to reach the database without a proxy.
    direct: Vec<(String, String)>,
    program: PathBuf,
    pub(crate) database: Database,
    /// Behind the processes, which are dropped first.
    broker: Option<Broker>,
    folder: TempDir,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) printed: String,
}

impl Site {
    /// Makes the database and claims the virtual host; nothing runs yet.
    pub(crate) async fn prepare(plan: &Plan, programs: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("buildtrack-faults-").tempdir()?;
        let settings = common_settings(folder.path());
        let topology = plan.topology;
        let database = match topology {
            Topology::Embedded => Database::Sqlite(data_folder(folder.path()).join("buildtrack.sqlite")),
            Topology::Broker | Topology::Postgres => Database::Postgres(PostgresDatabase::create().await?),
        };
        let broker = if topology == Topology::Broker { Some(Broker::claim().await?) } else { None };
        let mut direct = settings.clone();
        if let Database::Postgres(database) = &database {
            direct.push(("DATABASE_URL".to_owned(), database.url(None)?));
        }
        let mut site = Self {
            processes: vec![],
            links: vec![],
            clocks: vec![],
            urls: vec![],
            direct,
            program: program(programs, "buildtrack")?,
            database,
            broker: None,
            folder,
        };
        for process in 0..topology.servers() + topology.workers() {
            site.add(process, plan, (programs, &settings), broker.as_ref()).await?;
        }
        site.broker = broker;
        Ok(site)
    }

    async fn add(
        &mut self,
        process: ProcessId,
        plan: &Plan,
        (programs, settings): (&Path, &[(String, String)]),
        broker: Option<&Broker>,
    ) -> Result<()> {
        let is_server = process < plan.topology.servers();
        let (name, program_name) = if is_server {
            (format!("server-{process}"), "buildtrack")
        } else {
            (format!("worker-{}", process - plan.topology.servers()), "buildtrack-worker")
        };
        let mut settings = settings.to_vec();
        let mut links = vec![];
        for peer in plan.topology.peers() {
            let (key, proxy, url) = self.link(*peer, broker).await?;
            settings.push((key.to_owned(), url));
            links.push((*peer, proxy));
        }
        if plan.topology.workers() > 0 {
            settings.push(("BUILDTRACK_WORKER".to_owned(), "off".to_owned()));
        }
        if is_server {
            // A port that was free a moment ago, so that the server has it again after a restart.
            let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
            settings.push(("BUILDTRACK_BIND".to_owned(), address.to_string()));
            self.urls.push(format!("http://{address}"));
        }
        let clock = if plan.skews() { Some(WallClock::new(self.folder.path(), &name)?) } else { None };
        settings.extend(clock.iter().flat_map(WallClock::settings));
        let folder = self.folder.path();
        self.processes.push(Mutex::new(Process::new(&name, program(programs, program_name)?, folder, settings)));
        self.links.push(links);
        self.clocks.push(clock);
        Ok(())
    }

    /// A proxy to a peer, and the setting that names it.
    async fn link(&self, peer: Peer, broker: Option<&Broker>) -> Result<(&'static str, Proxy, String)> {
        match (peer, &self.database, broker) {
            (Peer::Database, Database::Postgres(database), _) => {
                let proxy = Proxy::start(PostgresDatabase::address().await?).await?;
                let url = database.url(Some(proxy.address))?;
                Ok(("DATABASE_URL", proxy, url))
            }
            (Peer::Broker, _, Some(broker)) => {
                let proxy = Proxy::start(broker.address().await?).await?;
                let url = broker.url(proxy.address);
                Ok(("AMQP_URL", proxy, url))
            }
            _ => anyhow::bail!("this topology has no {peer:?}"),
        }
    }

    /// The data directory of the processes.
    pub(crate) fn data_folder(&self) -> PathBuf {
        data_folder(self.folder.path())
    }

    pub(crate) fn proxy(&self, process: ProcessId, peer: Peer) -> Option<&Proxy> {
        self.links.get(process)?.iter().find(|(it, _)| *it == peer).map(|(_, proxy)| proxy)
    }

    pub(crate) fn clock(&self, process: ProcessId) -> Option<&WallClock> {
        self.clocks.get(process)?.as_ref()
    }

    /// Waits until a server answers, or has had its time to.
    pub(crate) async fn has_started(&self, process: ProcessId) {
        let (Some(url), Ok(http)) = (self.urls.get(process), plain_http().timeout(START).build()) else { return };
        let answers = async || http.get(format!("{url}/livez")).send().await.is_ok();
        let started = async {
            while !answers().await {
                sleep(LOOKS).await;
            }
        };
        drop(timeout(START, started).await);
    }

    /// Ends every fault: all processes run, all connections are forwarded, all clocks are right.
    pub(crate) async fn heal(&self) -> Result<()> {
        self.links.iter().flatten().for_each(|(_, proxy)| proxy.heal());
        for clock in self.clocks.iter().flatten() {
            clock.set(0)?;
        }
        for process in &self.processes {
            let mut process = process.lock().await;
            process.signal(Signal::CONT);
            process.start()?;
        }
        Ok(())
    }

    pub(crate) async fn start(&self, process: ProcessId) -> Result<()> {
        self.processes.get(process).context("no such process")?.lock().await.start()
    }

    /// Runs a subcommand of `buildtrack` on the database, without a proxy.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Result<Finished> {
        let mut command = command(&self.program, self.folder.path(), &self.direct);
        command.args(arguments).stdin(std::process::Stdio::null());
        let output =
            timeout(COMMAND, command.output()).await.with_context(|| format!("{arguments:?} takes too long"))??;
        let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        Ok(Finished { code: output.status.code(), printed })
    }

    /// What each process printed.
    pub(crate) async fn printed(&self) -> Vec<(String, String)> {
        let mut printed = Vec::new();
        for process in &self.processes {
            let process = process.lock().await;
            printed.push((process.name.clone(), process.printed()));
        }
        printed
    }
}

fn common_settings(folder: &Path) -> Vec<(String, String)> {
    let settings = [
        ("BUILDTRACK_DATA_DIR", data_folder(folder).display().to_string()),
        ("BUILDTRACK_SECRET", Secret::generate()),
        ("BUILDTRACK_RATE_LIMITS", format!("{LIMITS}{LIMITED}")),
        ("BUILDTRACK_RETRY_SCHEDULE", RETRIES.to_owned()),
        ("BUILDTRACK_TARGET_RATE", TARGETS.to_owned()),
        ("BUILDTRACK_ALLOW_PRIVATE_TARGETS", "true".to_owned()),
        ("BUILDTRACK_PUBLIC_URL", "https://build.example".to_owned()),
        ("BUILDTRACK_LIVE_KEEP_ALIVE", "1".to_owned()),
        ("BUILDTRACK_LOG", "warn,buildtrack=warn".to_owned()),
    ];
    settings.map(|(key, value)| (key.to_owned(), value)).into()
}

fn data_folder(folder: &Path) -> PathBuf {
    folder.join("data")
}

fn program(programs: &Path, name: &str) -> Result<PathBuf> {
    let path = programs.join(name);
    ensure!(path.is_file(), "there is no {}: build it with `cargo build --workspace --bins`", path.display());
    Ok(path)
}
