//! Carries out a plan's faults, and starts again what ended by itself, as a service manager does.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anyhow::Result;
use rustix::process::Signal;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};

use crate::{
    history::{Entry, Exit, History},
    plan::{Fault, FaultKind, Plan, Topology},
    site::Site,
};

/// More than any disk has: with this floor there is no room.
const NO_ROOM: &str = "1024TiB";
const LOOKS: Duration = Duration::from_millis(200);

/// Injects each fault at its time. Returns when the load has ended and every fault has healed.
pub(crate) async fn run(site: &Arc<Site>, plan: &Plan, history: &Arc<History>) -> Result<()> {
    let (begin, mut lanes) = (Instant::now(), BTreeMap::<String, Vec<Fault>>::new());
    for fault in &plan.faults {
        lanes.entry(lane(plan.topology, fault)).or_default().push(fault.clone());
    }
    let mut tasks = JoinSet::new();
    for faults in lanes.into_values() {
        let (site, history) = (Arc::clone(site), Arc::clone(history));
        tasks.spawn(async move {
            for fault in faults {
                sleep_until(begin + fault.at).await;
                history.record(Entry::FaultBegins { at: history.now(), fault: fault.clone() });
                carry_out(&site, &fault).await?;
                history.record(Entry::FaultEnds { at: history.now(), fault });
            }
            anyhow::Ok(())
        });
    }
    sleep_until(begin + plan.load).await;
    while let Some(lane) = tasks.join_next().await {
        lane??;
    }
    Ok(())
}

/// What befalls the same thing happens one after the other. On SQLite a process goes by the wall clock of its start until
/// that has kept another time for ten minutes: there the clock is of the process, and is wrong only between two starts.
fn lane(topology: Topology, fault: &Fault) -> String {
    match &fault.kind {
        FaultKind::Kill { process } | FaultKind::Stall { process } | FaultKind::FullDisk { process } => {
            format!("process {process}")
        }
        FaultKind::Link { process, peer, .. } => format!("link {process} {peer:?}"),
        FaultKind::Skew { process, .. } if topology == Topology::Embedded => format!("process {process}"),
        FaultKind::Skew { process, .. } => format!("clock {process}"),
    }
}

/// From its beginning to its end.
async fn carry_out(site: &Site, fault: &Fault) -> Result<()> {
    match &fault.kind {
        FaultKind::Kill { process } => {
            let mut killed = site.processes[*process].lock().await;
            killed.kill().await;
            // Held, so that nothing else starts it meanwhile.
            sleep(fault.lasts).await;
            killed.start()?;
        }
        FaultKind::Stall { process } => {
            let stalled = site.processes[*process].lock().await;
            stalled.signal(Signal::STOP);
            sleep(fault.lasts).await;
            stalled.signal(Signal::CONT);
        }
        FaultKind::FullDisk { process } => {
            let mut process = site.processes[*process].lock().await;
            for (floor, lasts) in [(NO_ROOM, fault.lasts), ("1MiB", Duration::ZERO)] {
                process.kill().await;
                process.set("BUILDTRACK_DISK_FLOOR", floor);
                process.start()?;
                sleep(lasts).await;
            }
        }
        FaultKind::Link { process, peer, disturbance } => {
            if let Some(proxy) = site.proxy(*process, *peer) {
                proxy.disturb(*disturbance);
                sleep(fault.lasts).await;
                proxy.heal();
            }
        }
        FaultKind::Skew { process, seconds } => {
            if let Some(clock) = site.clock(*process) {
                site.has_started(*process).await;
                clock.set(*seconds)?;
                sleep(fault.lasts).await;
                clock.set(0)?;
            }
        }
    }
    Ok(())
}

/// Starts again what ended by itself, until told to stop.
pub(crate) async fn supervise(site: Arc<Site>, history: Arc<History>, stop: watch::Receiver<bool>) -> Result<()> {
    while !*stop.borrow() {
        for process in &site.processes {
            // A fault holds its process.
            let Ok(mut process) = process.try_lock() else { continue };
            if let Some(code) = process.ended() {
                let exit = Exit { at: history.now(), process: process.name.clone(), code };
                history.record(Entry::Exit(exit));
                process.start()?;
            }
        }
        sleep(LOOKS).await;
    }
    Ok(())
}
