//! Waits until the worker has processed what a load has left, so that reads are measured and not their competition.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tokio::time::sleep;

use crate::http::{self, Connection};
use crate::server::Site;

/// What the worker has not processed yet.
const BEHIND: [&str; 2] = ["buildtrack_search_behind", "buildtrack_webhook_behind"];
/// The worker sets these gauges at least this often, and the database's own work after the load has ended by then.
const SETTLING: Duration = Duration::from_secs(20);
/// The longest wait for the worker.
const PATIENCE: Duration = Duration::from_mins(30);

/// Waits until the worker has processed the whole log, and vacuums a database whose server does not do that by itself.
pub(crate) async fn settle(site: &Site) -> Result<()> {
    wait_for_worker(site.address).await?;
    site.vacuum()
}

async fn wait_for_worker(address: SocketAddr) -> Result<()> {
    let begin = Instant::now();
    loop {
        let request = http::request("GET", "/metrics", address, None, None);
        let mut connection = Connection::open(address).await?;
        let metrics = String::from_utf8_lossy(connection.exchange(&request).await?.body).into_owned();
        let is_done = |name: &&str| metrics.lines().any(|line| line.strip_prefix(*name) == Some(" 0"));
        if begin.elapsed() > SETTLING && BEHIND.iter().all(is_done) {
            println!("the worker has processed them after {} s", begin.elapsed().as_secs());
            return Ok(());
        }
        ensure!(begin.elapsed() < PATIENCE, "the worker is behind after {PATIENCE:?}");
        sleep(Duration::from_secs(1)).await;
    }
}
