//! A disk that is really full (ENOSPC): the embedded server's data directory is a small tmpfs, which a file beside the database fills.
//!
//! The program starts itself again in a mount namespace of its own, so that the tmpfs ends with it.

use std::{
    fs::File,
    io::{ErrorKind, Write},
    path::Path,
    process::ExitStatus,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use buildtrack_store::clock::random;
use reqwest::Method;
use serde_json::json;
use tokio::{
    process::Command,
    time::{Instant, sleep},
};

use crate::{
    checker::Violation,
    client::{Answer, Client, Request, plain_http},
    database::{Connected, on},
    history::{Claim, History},
    load::{Agent, open, register},
    plan::{Plan, Topology},
    random::Random,
    run::unready,
    site::Site,
};

/// Enough for an empty database, and little enough to be filled at once.
const SIZE: &str = "size=16m,mode=0700";
/// The file that fills the disk.
const BALLAST: &str = "ballast";
/// How long a full disk may remain unnoticed: SQLite first uses up the space that its files have.
const NOTICED: Duration = Duration::from_secs(5);
/// How long the disk stays full after that.
const FULL: Duration = Duration::from_secs(2);
/// How long writes may be refused after the disk has space again.
const RECOVERED: Duration = Duration::from_secs(12);

/// Starts this program in a mount namespace of its own, and there [`run`].
pub(crate) async fn in_namespace(programs: &Path) -> Result<ExitStatus> {
    let mut command = Command::new("unshare");
    // Killed with this process, by a signal that lets it end its server.
    command.args(["--mount", "--propagation", "private", "--fork", "--kill-child=SIGTERM"]);
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    command.arg(std::env::current_exe()?).arg("--full-disk-here").arg("--programs").arg(programs);
    command.kill_on_drop(true).status().await.context(
        "the full disk needs `unshare` (util-linux) and the right to make a mount namespace, as root or in a user namespace",
    )
}

/// Returns what went wrong.
pub(crate) async fn run(programs: &Path) -> Result<Vec<Violation>> {
    let plan = Plan { seed: 0, topology: Topology::Embedded, load: Duration::ZERO, faults: vec![], refusals: vec![] };
    let site = Site::prepare(&plan, programs).await?;
    let folder = site.data_folder();
    std::fs::create_dir(&folder)?;
    mount(&folder).await?;
    let found = on_small_disk(&site, &folder).await;
    if let Some(process) = site.processes.first() {
        process.lock().await.kill().await;
    }
    // The folder of the run cannot be removed before.
    command("umount", &[], &folder).await?;
    let printed = site.printed().await;
    found.with_context(|| format!("printed: {printed:?}"))
}

async fn mount(folder: &Path) -> Result<()> {
    command("mount", &["-t", "tmpfs", "-o", SIZE, "tmpfs"], folder).await.context(
        "a tmpfs cannot be mounted in a mount namespace: run as root, or allow user namespaces (kernel.unprivileged_userns_clone)",
    )
}

async fn command(program: &str, arguments: &[&str], folder: &Path) -> Result<()> {
    let status = Command::new(program).args(arguments).arg(folder).status().await.context(program.to_owned())?;
    ensure!(status.success(), "{program} {} failed: {status}", folder.display());
    Ok(())
}

async fn on_small_disk(site: &Site, folder: &Path) -> Result<Vec<Violation>> {
    let process = site.processes.first().context("a server")?;
    // No floor: the disk's own end is what is tested.
    process.lock().await.set("BUILDTRACK_DISK_FLOOR", "0");
    site.start(0).await?;
    let mut violations = unready(site).await;
    let mut writer = Writer::new(site).await?;
    for _ in 0..20 {
        writer.write().await;
    }
    ensure!(writer.accepted == 20, "writes fail before the disk is full: {:?}", writer.violations);

    let ballast = folder.join(BALLAST);
    fill(&ballast)?;
    writer.stay_until_refused().await;
    violations.extend(writer.stay_full(site).await?);
    std::fs::remove_file(&ballast)?;
    writer.stay_until_accepted().await;
    violations.extend(unready(site).await);
    if let Some(code) = process.lock().await.ended() {
        violations.push(Violation::new("processes", format!("the server ended with {code:?}")));
    }
    violations.extend(writer.lost(site).await?);
    let verified = site.run(&["verify-log"]).await?;
    if verified.code != Some(0) {
        violations.push(Violation::new("log", verified.printed));
    }
    violations.extend(writer.violations);
    Ok(violations)
}

/// Writes until there is no space for another byte.
fn fill(path: &Path) -> Result<()> {
    let mut file = File::create(path)?;
    let mut chunk = vec![1; 64 << 10];
    while !chunk.is_empty() {
        match file.write_all(&chunk) {
            Ok(()) => (),
            Err(error) if error.kind() == ErrorKind::StorageFull => chunk.truncate(chunk.len() / 2),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// An agent that posts messages, one after the other.
struct Writer {
    agent: Agent,
    path: String,
    accepted: i64,
    random: Random,
    violations: Vec<Violation>,
}

impl Writer {
    async fn new(site: &Site) -> Result<Self> {
        let client = Client::new(0, site.urls.clone().into(), None, Arc::new(History::new()))?;
        let agent = register(&client, 0).await?;
        let path = format!("/api/v1/workspaces/{}/messages", open(&agent, "Full Disk").await?);
        Ok(Self { agent, path, accepted: 0, random: Random::new(0), violations: vec![] })
    }

    /// Posts a message, which is accepted, or refused as documented. Returns whether it was accepted.
    async fn write(&mut self) -> bool {
        let body = json!({"kind": "proposal", "content": hex::encode(random::<700>()), "upvotes": 0});
        let answer = self.send(Request::new("message", Method::POST, self.path.clone(), Some(body)).once()).await;
        self.accepted += i64::from(answer.is_acknowledged());
        let is_documented = (answer.status, answer.reason.as_deref()) == (503, Some("storage_low"));
        if !answer.is_acknowledged() && !is_documented {
            self.violate("full disk", format!("a write was answered {} {:?}", answer.status, answer.reason));
        }
        answer.is_acknowledged()
    }

    async fn send(&mut self, request: Request) -> Answer {
        let claim = |_: &Answer| Claim::Visible { what: "a message".to_owned() };
        self.agent.client.perform(&mut self.random, &request, claim).await
    }

    fn violate(&mut self, invariant: &'static str, detail: String) {
        self.violations.push(Violation::new(invariant, detail));
    }

    async fn stay_until_refused(&mut self) {
        let end = Instant::now() + NOTICED * 2;
        while self.write().await {
            if Instant::now() > end {
                return self
                    .violate("full disk", format!("writes are accepted {:?} after the disk is full", NOTICED * 2));
            }
        }
    }

    /// While the disk is full, writes are refused, reads answered, and `/readyz` answers 503 within five seconds.
    async fn stay_full(&mut self, site: &Site) -> Result<Vec<Violation>> {
        let (begin, mut violations, mut unready_after) = (Instant::now(), vec![], None);
        let http = plain_http().timeout(NOTICED).build()?;
        let url = site.urls.first().context("a server")?;
        let lasts = |unready_after: Option<Duration>| if unready_after.is_some() { FULL } else { NOTICED };
        while begin.elapsed() < lasts(unready_after) {
            self.write().await;
            if http.get(format!("{url}/readyz")).send().await?.status() == 503 {
                unready_after.get_or_insert(begin.elapsed());
            }
            let read = self.send(Request::new("messages", Method::GET, self.path.clone(), None).once()).await;
            if !read.is_acknowledged() {
                violations.push(Violation::new("full disk", format!("a read was answered {}", read.status)));
            }
            sleep(Duration::from_millis(100)).await;
        }
        if unready_after.is_none() {
            violations.push(Violation::new("ready", format!("/readyz is not 503 within {NOTICED:?}")));
        }
        Ok(violations)
    }

    async fn stay_until_accepted(&mut self) {
        let end = Instant::now() + RECOVERED;
        while !self.write().await {
            if Instant::now() > end {
                return self.violate("full disk", format!("writes are refused {RECOVERED:?} after the disk has space"));
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// The log holds each accepted message, and no other.
    async fn lost(&self, site: &Site) -> Result<Vec<Violation>> {
        let mut database = site.database.connect().await?;
        let found = database.number("SELECT count(*) FROM events WHERE type = 'message.posted'").await?;
        on!(database, |connection| sqlx::Connection::close(connection).await?);
        let accepted = self.accepted;
        let detail = || format!("{accepted} messages were accepted, and the log holds {found}");
        Ok((found != accepted).then(|| Violation::new("lost", detail())).into_iter().collect())
    }
}
