//! One seed from its beginning to its verdict.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};

use crate::{
    checker::{self, Violation},
    client::plain_http,
    history::{self, Entry, History, Outcome},
    load::{ENDPOINTS, Load, Scene, Streams},
    nemesis,
    plan::{Plan, Topology},
    site::Site,
    snapshot::{Snapshot, drain},
};

/// How long a server may take to be ready, at first and after the faults.
const READY: Duration = Duration::from_secs(30);
/// How long a stream may take to show what is at rest.
const STREAMED: Duration = Duration::from_secs(15);

/// How long contributions may wait to be counted: the lease of a process that was killed, and more.
const COUNTED: Duration = Duration::from_mins(1);

/// Where programs are found and histories are written.
#[derive(Debug, Clone)]
pub(crate) struct Workshop {
    pub(crate) programs: PathBuf,
    pub(crate) histories: PathBuf,
    pub(crate) topology: Option<Topology>,
    /// Whether the history of a seed that passes is written too.
    pub(crate) keeps: bool,
}

/// What came of a seed.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) seed: u64,
    pub(crate) topology: Topology,
    pub(crate) took: Duration,
    pub(crate) faults: usize,
    pub(crate) pushes: usize,
    pub(crate) frames: usize,
    pub(crate) events: i64,
    /// Acknowledged, refused, unknown.
    pub(crate) operations: [usize; 3],
    pub(crate) settled_after: Option<Duration>,
    pub(crate) violations: Vec<Violation>,
    /// Where the history was written.
    pub(crate) history: Option<PathBuf>,
}

/// Runs a seed.
pub(crate) async fn run(seed: u64, workshop: &Workshop) -> Result<Report> {
    let begin = Instant::now();
    let plan = Plan::of(seed, workshop.topology, ENDPOINTS);
    let history = Arc::new(History::new());
    let site = Arc::new(Site::prepare(&plan, &workshop.programs).await?);
    let (snapshot, unready) = perform(&site, &plan, &history).await.with_context(|| format!("seed {seed}"))?;
    let entries = history.entries();
    let mut violations = checker::check(&plan, &entries, &snapshot);
    violations.extend(unready);
    let failed = !violations.is_empty();
    let written = (failed || workshop.keeps).then(|| write(workshop, &plan, &entries)).transpose()?;
    if let (true, Some(written)) = (failed, &written) {
        keep_logs(&site, written).await?;
    }
    let count =
        |outcome| entries.iter().filter(|entry| matches!(entry, Entry::Operation(it) if it.outcome == outcome)).count();
    Ok(Report {
        seed,
        topology: plan.topology,
        took: begin.elapsed(),
        faults: plan.faults.len(),
        pushes: entries.iter().filter(|entry| matches!(entry, Entry::Push(_))).count(),
        frames: entries.iter().filter(|entry| matches!(entry, Entry::Frame(_))).count(),
        events: snapshot.head,
        operations: [Outcome::Acknowledged, Outcome::Refused, Outcome::Unknown].map(count),
        settled_after: snapshot.settled_after,
        violations,
        history: written,
    })
}

/// Load and faults, and then rest. Gives what did not become ready after the faults, too.
async fn perform(site: &Arc<Site>, plan: &Plan, history: &Arc<History>) -> Result<(Snapshot, Vec<Violation>)> {
    for process in 0..site.processes.len() {
        site.start(process).await?;
    }
    let unready = unready(site).await;
    if !unready.is_empty() {
        bail!("{unready:?} before anything was disturbed; printed: {:?}", site.printed().await);
    }
    let scene = Arc::new(Scene::set(site, plan, history).await?);
    let (stop, stopped) = watch::channel(false);
    let supervisor = tokio::spawn(nemesis::supervise(Arc::clone(site), Arc::clone(history), stopped));
    let streams = Streams::start(&scene);
    let load = Load::start(&scene, plan.seed);
    nemesis::run(site, plan, history).await?;
    site.heal().await?;
    scene.endpoints.iter().for_each(|endpoint| endpoint.receiver.heal());
    load.finish().await?;
    let unready = self::unready(site).await;
    let mut snapshot = at_rest(site, &scene).await?;
    snapshot.streamed = streams.reach(snapshot.head, STREAMED).await;
    stop.send_replace(true);
    supervisor.await??;
    Ok((snapshot, unready))
}

/// The state after every event is dispatched, pushed and counted, or after the time limit.
async fn at_rest(site: &Site, scene: &Scene) -> Result<Snapshot> {
    let begin = Instant::now();
    loop {
        let unsettled = drain(site, begin).await?;
        let snapshot = Snapshot::take(site, scene, (unsettled, begin.elapsed())).await?;
        // Contributions are counted a little later, which is pushed again.
        if snapshot.unsettled.is_some() || checker::is_counted(&snapshot) || begin.elapsed() > COUNTED {
            return Ok(snapshot);
        }
        sleep(Duration::from_millis(500)).await;
    }
}

/// Servers that are not ready in time.
pub(crate) async fn unready(site: &Site) -> Vec<Violation> {
    let mut unready = Vec::new();
    let Ok(http) = plain_http().timeout(Duration::from_secs(2)).build() else { return unready };
    for url in &site.urls {
        let end = Instant::now() + READY;
        let is_ready = async || http.get(format!("{url}/readyz")).send().await.is_ok_and(|it| it.status() == 200);
        while !is_ready().await {
            if Instant::now() > end {
                unready.push(Violation::new("ready", format!("{url} is not ready after {READY:?}")));
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
    }
    unready
}

fn write(workshop: &Workshop, plan: &Plan, entries: &[Entry]) -> Result<PathBuf> {
    std::fs::create_dir_all(&workshop.histories)?;
    let path = workshop.histories.join(format!("seed-{}.jsonl", plan.seed));
    history::write(&path, plan, entries)?;
    Ok(path)
}

/// What the processes printed, beside the history.
async fn keep_logs(site: &Site, history: &Path) -> Result<()> {
    for (name, printed) in site.printed().await {
        std::fs::write(history.with_extension(format!("{name}.log")), printed)?;
    }
    Ok(())
}
