//! What a seed stands for: a topology, and the faults that befall it at which time.

use std::time::Duration;

use serde::Serialize;

use crate::random::Random;

/// How long clients work and faults happen.
const LOAD: Duration = Duration::from_secs(8);
/// Faults begin within this time.
const FAULTS_BEGIN: std::ops::Range<u64> = 500..6500;
/// The one process of [`Topology::Embedded`], and how many there are otherwise.
const SERVERS: usize = 2;
const WORKERS: usize = 2;

/// Which processes run on which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Topology {
    /// One `buildtrack` on SQLite, which does the worker's work too.
    Embedded,
    /// Two `buildtrack` and two `buildtrack-worker` on PostgreSQL and RabbitMQ.
    Broker,
    /// The same on PostgreSQL alone.
    Postgres,
}

/// A process by its number: servers first, then workers.
pub(crate) type ProcessId = usize;

/// What a process reaches through a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Peer {
    Database,
    Broker,
}

/// What a proxy does to connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Disturbance {
    /// Ends all connections, and every new one at once.
    Cut,
    /// Forwards nothing and resets nothing, and goes on afterwards.
    Freeze,
    /// Forwards nothing of the connections that there are, for ever; new ones work.
    Lose,
    /// Holds each piece back for so many milliseconds.
    Delay(u64),
    /// Tells the peer of each connection that nothing more will come.
    HalfClose,
}

/// Something that goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FaultKind {
    /// `kill -9`; started again at the end of the fault.
    Kill { process: ProcessId },
    /// SIGSTOP; SIGCONT at the end of the fault.
    Stall { process: ProcessId },
    /// A proxy's disturbance.
    Link { process: ProcessId, peer: Peer, disturbance: Disturbance },
    /// A wall clock that is wrong by so many seconds.
    Skew { process: ProcessId, seconds: i64 },
    /// The process is started again with a disk that has no room: a floor above all that there is.
    FullDisk { process: ProcessId },
}

/// A fault with its times, from the beginning of the load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    pub(crate) at: Duration,
    pub(crate) lasts: Duration,
    pub(crate) kind: FaultKind,
}

/// How many of a hundred pushes an endpoint does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Refusals {
    pub(crate) answers_500: usize,
    pub(crate) hangs: usize,
    pub(crate) closes: usize,
}

/// What a seed stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) topology: Topology,
    pub(crate) load: Duration,
    pub(crate) faults: Vec<Fault>,
    /// By endpoint.
    pub(crate) refusals: Vec<Refusals>,
}

impl Topology {
    /// Of ten seeds in a row five are embedded, three have a broker, and two have none.
    fn of(seed: u64) -> Self {
        match seed % 10 {
            1 | 4 | 7 => Self::Broker,
            2 | 8 => Self::Postgres,
            _ => Self::Embedded,
        }
    }

    pub(crate) fn servers(self) -> usize {
        if self == Self::Embedded { 1 } else { SERVERS }
    }

    pub(crate) fn workers(self) -> usize {
        if self == Self::Embedded { 0 } else { WORKERS }
    }

    /// What each process reaches through a proxy.
    pub(crate) fn peers(self) -> &'static [Peer] {
        match self {
            Self::Embedded => &[],
            Self::Broker => &[Peer::Database, Peer::Broker],
            Self::Postgres => &[Peer::Database],
        }
    }
}

impl Plan {
    /// The plan of a seed, on another topology than the seed's own where one is given.
    pub(crate) fn of(seed: u64, topology: Option<Topology>, endpoints: usize) -> Self {
        let mut random = Random::of_part(seed, 1);
        let topology = topology.unwrap_or_else(|| Topology::of(seed));
        let count = 3 + random.below(4);
        let mut faults: Vec<Fault> = (0..count).map(|_| fault(topology, &mut random)).collect();
        faults.sort_by_key(|fault| fault.at);
        let refusals = (0..endpoints).map(|_| refusals(&mut random)).collect();
        Self { seed, topology, load: LOAD, faults, refusals }
    }

    /// Whether a wall clock is wrong in it.
    pub(crate) fn skews(&self) -> bool {
        self.faults.iter().any(|fault| matches!(fault.kind, FaultKind::Skew { .. }))
    }
}

fn fault(topology: Topology, random: &mut Random) -> Fault {
    let process = random.below(topology.servers() + topology.workers());
    let kind = match random.below(100) {
        0..35 => FaultKind::Kill { process },
        35..50 => FaultKind::Stall { process },
        50..65 => FaultKind::Skew { process, seconds: skew(random) },
        _ => match random.pick(topology.peers()) {
            Some(peer) => FaultKind::Link { process, peer: *peer, disturbance: disturbance(random) },
            None if random.chance(40) => FaultKind::FullDisk { process },
            None => FaultKind::Kill { process },
        },
    };
    let lasts = match kind {
        FaultKind::Kill { .. } => random.milliseconds(50..1500),
        _ => random.milliseconds(500..4000),
    };
    Fault { at: random.milliseconds(FAULTS_BEGIN), lasts, kind }
}

fn skew(random: &mut Random) -> i64 {
    let seconds = [3, 90, 3600, 86_400];
    let seconds = random.pick(&seconds).copied().unwrap_or(3600);
    if random.chance(50) { seconds } else { -seconds }
}

fn disturbance(random: &mut Random) -> Disturbance {
    match random.below(5) {
        0 => Disturbance::Cut,
        1 => Disturbance::Freeze,
        2 => Disturbance::Lose,
        3 => Disturbance::Delay(20 + u64::try_from(random.below(400)).unwrap_or(0)),
        _ => Disturbance::HalfClose,
    }
}

/// Every other endpoint takes all that it gets.
fn refusals(random: &mut Random) -> Refusals {
    if random.chance(50) {
        return Refusals { answers_500: 0, hangs: 0, closes: 0 };
    }
    Refusals { answers_500: random.below(20), hangs: random.below(3), closes: random.below(10) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_one_plan() {
        assert_eq!(Plan::of(7, None, 4), Plan::of(7, None, 4));
        assert_ne!(Plan::of(7, None, 4).faults, Plan::of(17, None, 4).faults);
    }

    #[test]
    fn ten_seeds_are_of_every_topology() {
        for topology in [Topology::Embedded, Topology::Broker, Topology::Postgres] {
            assert!((0..10).filter(|seed| Topology::of(*seed) == topology).count() >= 2);
        }
    }

    #[test]
    fn a_hundred_seeds_have_every_fault() {
        let faults: Vec<_> = (0..100).flat_map(|seed| Plan::of(seed, None, 0).faults).map(|fault| fault.kind).collect();
        let has = |matches: fn(&FaultKind) -> bool| faults.iter().any(matches);
        assert!(has(|kind| matches!(kind, FaultKind::Kill { .. })));
        assert!(has(|kind| matches!(kind, FaultKind::Stall { .. })));
        assert!(has(|kind| matches!(kind, FaultKind::Skew { .. })));
        assert!(has(|kind| matches!(kind, FaultKind::FullDisk { .. })));
        for disturbance in [Disturbance::Cut, Disturbance::Freeze, Disturbance::Lose, Disturbance::HalfClose] {
            assert!(
                faults.iter().any(|kind| matches!(kind, FaultKind::Link { disturbance: it, .. } if *it == disturbance))
            );
        }
    }
}
