//! `hostile`: searches for the request with the highest processor time and the one with the longest response, compared with a
//! plain request of the same operation.
//!
//! The search is bounded and has a fixed seed: it tries every shape of body and of query string at every operation, then mutates
//! the most expensive ones. Then it stores texts and measures every door that shows them ([`stored`]), and each pair of a read
//! after a write.

mod shapes;
mod stored;
mod targets;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::api::{self, Scene};
use crate::http::{self, Connection};
use crate::process;
use crate::server::{self, Site};
use shapes::{Random, Shape};
use targets::{Target, targets};

/// Requests measured together, because processor time is counted in hundredths of a second.
const REPEATS: u32 = 8;
const TICK: Duration = Duration::from_millis(10);
/// The most expensive requests of a round, which the next round mutates.
const PARENTS: usize = 6;
/// Maximum size of the response to an invalid request, in bytes.
const ERROR_BYTES_MAX: usize = 32 * 1024;
/// Maximum size of any response, in bytes.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Writes that were sent before a read.
static PAIRED: AtomicU32 = AtomicU32::new(0);
/// The rows printed of each search.
const WORST: usize = 5;

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    /// Number of mutated requests, in addition to one of each shape at each operation.
    #[arg(long, default_value_t = 200)]
    mutations: usize,
    /// Random seed; the same seed tries the same requests.
    #[arg(long, default_value_t = 20)]
    seed: u64,
    /// Maximum processor time of a request, in milliseconds.
    #[arg(long, default_value_t = 50)]
    limit: u64,
    /// Only stored texts and reads after writes, without the shapes.
    #[arg(long)]
    later: bool,
}

/// The cost of a request.
#[derive(Debug, Clone)]
struct Finding {
    target: usize,
    shape: Shape,
    sent: usize,
    status: u16,
    cost: Duration,
    answered: usize,
}

/// Returns whether every request stayed within the limit, and every refusal below 32 KiB.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    let site = Site::prepare(&options.server)?;
    let server = site.start().await?;
    let scene = Scene::set(site.address, api::Options { connections: 1, agents: 1, workspaces: 1, content_bytes: 350 });
    let scene = scene.await?;
    let mut search = Search { scene: &scene, process: server.process()?, targets: targets(&scene)?, found: vec![] };
    let plain = search.plain().await?;
    let limit = Duration::from_millis(options.limit);
    let passed = options.later || {
        search.every_shape().await?;
        search.mutate(options).await?;
        search.report(&plain, limit)
    };
    let later = report_later("stored texts", search.stored().await?, limit);
    let pairs = report_later("reads after a write", search.pairs().await?, limit);
    server.stop().await?;
    Ok(passed && later && pairs)
}

/// What a request costs that was not looked for among the shapes: the read of a stored text, or one after a write.
struct Later {
    name: String,
    cost: Cost,
}

/// What a request costs.
#[derive(Clone, Copy)]
struct Cost {
    status: u16,
    time: Duration,
    answered: usize,
}

struct Search<'s> {
    scene: &'s Scene,
    process: u32,
    targets: Vec<Target>,
    found: Vec<Finding>,
}

impl Search<'_> {
    /// The cost of a valid request of each operation.
    async fn plain(&self) -> Result<Vec<Finding>> {
        let mut plain = Vec::with_capacity(self.targets.len());
        for target in 0..self.targets.len() {
            let request = self.targets[target].request(self.scene.address, &self.targets[target].plain);
            plain.push(self.measure(target, Shape::plain(), &request).await?);
        }
        Ok(plain)
    }

    async fn every_shape(&mut self) -> Result<()> {
        for target in 0..self.targets.len() {
            for shape in Shape::all() {
                self.try_one(target, shape).await?;
            }
        }
        Ok(())
    }

    async fn mutate(&mut self, options: &Options) -> Result<()> {
        let mut random = Random::new(options.seed);
        for _ in 0..options.mutations {
            self.found.sort_by_key(|found| std::cmp::Reverse((found.cost, found.answered)));
            let parents = self.found.len().min(PARENTS);
            let parent = self.found.get(random.below(parents)).context("nothing was tried")?;
            let (target, shape) = (parent.target, parent.shape.mutated(&mut random));
            self.try_one(target, shape).await?;
        }
        Ok(())
    }

    async fn try_one(&mut self, target: usize, shape: Shape) -> Result<()> {
        let tried = &self.targets[target];
        let body = if tried.method == "GET" { shape.query(tried.fields) } else { shape.body(tried.fields) };
        let request = tried.request(self.scene.address, &body);
        let found = self.measure(target, shape, &request).await?;
        self.found.push(found);
        Ok(())
    }

    async fn measure(&self, target: usize, shape: Shape, request: &[u8]) -> Result<Finding> {
        let Cost { status, time: cost, answered } = self.cost(None, request).await?;
        Ok(Finding { target, shape, sent: request.len(), status, cost, answered })
    }

    /// The cost of a request, each time after another one if there is one. The time is that of both.
    async fn cost(&self, first: Option<&Target>, request: &[u8]) -> Result<Cost> {
        let cpu = || process::cpu_time(self.process).context("the server has exited");
        let (before, mut status, mut answered) = (cpu()?, 0, 0);
        for _ in 0..REPEATS {
            if let Some(first) = first {
                // A repeated text is refused.
                let number = PAIRED.fetch_add(1, Relaxed);
                let first =
                    first.request(self.scene.address, &first.plain.replace("Plain", &format!("Plain {number}")));
                Connection::open(self.scene.address).await?.exchange(&first).await?;
            }
            let mut connection = Connection::open(self.scene.address).await?;
            let answer = connection.exchange(request).await?;
            (status, answered) = (answer.status, answered.max(answer.body.len()));
        }
        Ok(Cost { status, time: cpu()?.saturating_sub(before) / REPEATS, answered })
    }

    /// Stores each text and measures each door that shows it.
    async fn stored(&self) -> Result<Vec<Later>> {
        let mut found = Vec::new();
        for (piece, content) in stored::texts() {
            for door in stored::store(self.scene, &content).await? {
                let cost = self.cost(None, &door.request).await?;
                found.push(Later { name: format!("{} with {piece:?}", door.path), cost });
            }
        }
        Ok(found)
    }

    /// Measures every read after every valid write: a write may empty caches that the read then fills.
    async fn pairs(&self) -> Result<Vec<Later>> {
        let (reads, writes): (Vec<_>, Vec<_>) = self.targets.iter().partition(|target| target.method == "GET");
        let mut found = Vec::with_capacity(reads.len() * writes.len());
        for write in writes {
            for read in &reads {
                let cost = self.cost(Some(write), &read.request(self.scene.address, &read.plain)).await?;
                found.push(Later { name: format!("{} after {}", read.path, write.path), cost });
            }
        }
        Ok(found)
    }

    /// Prints the most expensive request of each operation, and of all.
    fn report(&self, plain: &[Finding], limit: Duration) -> bool {
        for (index, target) in self.targets.iter().enumerate() {
            let plain = &plain[index];
            let of_target = || self.found.iter().filter(|found| found.target == index);
            if let Some(worst) = of_target().max_by_key(|found| found.cost) {
                print("slowest", target, worst, plain);
            }
            if let Some(worst) = of_target().filter(|found| found.status >= 400).max_by_key(|found| found.answered) {
                print("longest", target, worst, plain);
            }
        }
        let slow = self.found.iter().filter(|found| found.cost > limit).count();
        let long = self.found.iter().filter(|found| found.status >= 400 && found.answered >= ERROR_BYTES_MAX).count();
        let tried = self.found.len();
        let large = self.found.iter().filter(|found| found.answered > ANSWER_BYTES_MAX).count();
        println!(
            "{tried} requests tried: {slow} cost more than {} ms, {long} refusals and {large} answers are too long",
            limit.as_millis()
        );
        slow == 0 && long == 0 && large == 0
    }
}

/// Prints the most expensive and the longest of these. Returns whether all stayed within the limits.
fn report_later(what: &str, mut found: Vec<Later>, limit: Duration) -> bool {
    found.sort_by_key(|later| std::cmp::Reverse(later.cost.time));
    let mut long: Vec<_> = found.iter().collect();
    long.sort_by_key(|later| std::cmp::Reverse(later.cost.answered));
    for (order, rows) in [("slowest", found.iter().take(WORST).collect::<Vec<_>>()), ("longest", long)] {
        for Later { name, cost: Cost { status, time, answered } } in rows.into_iter().take(WORST) {
            println!("{order}  {:6.2} ms, {answered} bytes out with {status}: {name}", time.as_secs_f64() * 1000.0);
        }
    }
    let slow = found.iter().filter(|later| later.cost.time > limit).count();
    let large = found.iter().filter(|later| later.cost.answered > ANSWER_BYTES_MAX).count();
    let millis = limit.as_millis();
    println!("{} {what} tried: {slow} cost more than {millis} ms, {large} answers are too long", found.len());
    slow == 0 && large == 0
}

/// Prints a request compared with a plain one of the same operation; a cost below one clock tick counts as one tick.
fn print(what: &str, target: &Target, worst: &Finding, plain: &Finding) {
    let ratio = worst.cost.as_secs_f64() / plain.cost.max(TICK / REPEATS).as_secs_f64();
    let Target { method, path, .. } = target;
    let Finding { shape, sent, status, cost, answered, .. } = worst;
    let cost = cost.as_secs_f64() * 1000.0;
    println!(
        "{what}  {method:4} {path:50} {cost:6.2} ms ({ratio:.1} × a plain one), {sent} bytes in, {answered} out with \
         {status}: {shape}"
    );
}

impl Target {
    fn request(&self, address: std::net::SocketAddr, body: &str) -> Vec<u8> {
        if self.method == "GET" {
            let path = format!("{}?{body}", self.path);
            return http::request("GET", &path, address, self.token.as_deref(), None);
        }
        http::request(self.method, &self.path, address, self.token.as_deref(), Some(body))
    }
}
