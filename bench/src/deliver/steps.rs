//! The steps of one run. Each may reuse the processes of earlier steps.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::Options;
use super::stage::Stage;
use crate::pace::Pace;
use crate::report::deliver::{Drain, Hanging, Latency, Sustained};

/// Connections that post while a backlog is delivered: few, because they are reopened each second.
const TRICKLING: usize = 4;
/// Messages a second that arrive while a backlog is delivered.
const TRICKLE: u32 = 100;
/// Time limit for the delivery of the backlog.
const LONGEST_DRAIN: Duration = Duration::from_mins(3);
/// Time limit for accepting the backlog.
const LONGEST_FILLING: Duration = Duration::from_mins(2);

/// An open loop at a rate that leaves the machine mostly idle.
pub(super) async fn latency(options: &Options, stage: &mut Stage) -> Result<Latency> {
    let load = stage.load(Pace::Open { rate: options.rate }, usize::MAX, options.times()).await?;
    let reckoning = stage.settle(load.number..=load.number, load.from, 0).await?;
    Ok(Latency { rate: options.rate, reckoning, answered: load.answered, late: load.late })
}

/// A closed loop, up to the last delivery.
pub(super) async fn sustained(options: &Options, stage: &mut Stage) -> Result<Sustained> {
    let [warmup, measured] = options.times();
    let warm = stage.load(Pace::Closed, usize::MAX, [Duration::ZERO, warmup]).await?;
    stage.settle(warm.number..=warm.number, warm.from, 0).await?;
    let (connections, cpu) = (stage.receiver.connections(), stage.cpu().await?);
    let load = stage.load(Pace::Closed, usize::MAX, [Duration::ZERO, measured]).await?;
    let behind = stage.reckon(load.number..=load.number, load.from, 0)?.lost();
    let reckoning = stage.settle(load.number..=load.number, load.from, 0).await?;
    let cpu = stage.cpu().await?.since(cpu);
    let took = reckoning.last.map(|last| last - load.from).unwrap_or_default();
    let connections = stage.receiver.connections() - connections;
    Ok(Sustained { accepting: measured, took, behind, cpu, connections, answered: load.answered, reckoning })
}

/// A backlog accepted while delivery is stopped, measured from the start of the delivering process.
pub(super) async fn drain(options: &Options, stage: &mut Stage) -> Result<Drain> {
    stage.stop_deliveries().await?;
    let pace = Pace::Count { messages: options.backlog };
    let backlog = stage.load(pace, usize::MAX, [Duration::ZERO, LONGEST_FILLING]).await?.number;
    let begin = Instant::now();
    stage.start_deliveries().await?;
    let ready = begin.elapsed();
    let mut last = backlog;
    while stage.reckon(backlog..=backlog, begin, 0)?.lost() > 0 && begin.elapsed() < LONGEST_DRAIN {
        let second = [Duration::ZERO, Duration::from_secs(1)];
        last = stage.load(Pace::Open { rate: TRICKLE }, TRICKLING, second).await?.number;
    }
    let took = stage.reckon(backlog..=backlog, begin, 0)?.last.map(|last| last - begin);
    // Includes the messages that arrived meanwhile.
    let reckoning = stage.settle(backlog..=last, begin, 0).await?;
    Ok(Drain { backlog: options.backlog, trickle: TRICKLE, ready, took: took.unwrap_or_default(), reckoning })
}

/// Delivery to the other endpoints while some endpoints hang.
pub(super) async fn hanging(options: &Options, stage: &mut Stage) -> Result<Hanging> {
    let (pace, all) = (Pace::Open { rate: options.hanging_rate }, usize::MAX);
    let [warmup, _] = options.times();
    let warm = stage.load(pace, all, [Duration::ZERO, warmup]).await?;
    stage.settle(warm.number..=warm.number, warm.from, 0).await?;
    stage.receiver.hang(options.hanging);
    let times = [Duration::ZERO, Duration::from_secs(options.hanging_seconds)];
    let load = stage.load(pace, all, times).await?;
    let reckoning = stage.settle(load.number..=load.number, load.from, options.hanging).await?;
    Ok(Hanging {
        listeners: options.listeners,
        hanging: options.hanging,
        rate: options.hanging_rate,
        took: times[1],
        hung: stage.receiver.hung(),
        reckoning,
    })
}
