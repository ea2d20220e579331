//! Resource usage of a process, read from `/proc` (`proc_pid_stat(5)`, `proc_pid_status(5)`).

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// Resident memory of a process in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) resident: u64,
    /// The peak (`VmHWM`).
    pub(crate) peak: u64,
}

pub(crate) fn memory(process: u32) -> Result<Memory> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let bytes = |name: &str| kibibytes(&status, name).with_context(|| format!("{path} has no {name}"));
    Ok(Memory { resident: bytes("VmRSS:")? * 1024, peak: bytes("VmHWM:")? * 1024 })
}

fn kibibytes(status: &str, name: &str) -> Option<u64> {
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// User and system time of a process with all its threads.
pub(crate) fn cpu_time(process: u32) -> Option<Duration> {
    Some(Stat::read(process)?.own)
}

/// User and system time of a process and all its children, including ended ones: PostgreSQL's backends come and go, and the
/// postmaster inherits their time.
pub(crate) fn cpu_time_of_family(parent: u32) -> Option<Duration> {
    let stat = Stat::read(parent)?;
    let living: Duration =
        all().filter_map(Stat::read).filter(|child| child.parent == parent).map(|child| child.own).sum();
    Some(stat.own + stat.gone_children + living)
}

/// Busy time of all cores together, including the time stolen by the host.
pub(crate) fn cpu_time_of_machine() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<u64> =
        stat.lines().next()?.split_whitespace().skip(1).filter_map(|field| field.parse().ok()).collect();
    // user, nice, system, (idle, iowait,) irq, softirq, steal; guest time is part of user time.
    let busy = ticks.get(..3)?.iter().chain(ticks.get(5..8)?).sum();
    Some(duration(busy))
}

/// The parent of a process, if the process has this name.
pub(crate) fn parent_of(process: u32, name: &str) -> Option<u32> {
    let stat = Stat::read(process)?;
    (stat.name == name).then_some(stat.parent)
}

fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

struct Stat {
    name: String,
    parent: u32,
    own: Duration,
    /// The time of ended and reaped children.
    gone_children: Duration,
}

impl Stat {
    fn read(process: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
    }

    /// The name may contain spaces and parentheses, so fields are counted from the last closing parenthesis.
    fn parse(line: &str) -> Option<Self> {
        let (head, tail) = line.rsplit_once(')')?;
        let fields: Vec<&str> = tail.split_whitespace().collect();
        let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Self {
            name: head.split_once('(')?.1.to_owned(),
            parent: fields.get(1)?.parse().ok()?,
            own: duration(ticks(11)? + ticks(12)?),
            gone_children: duration(ticks(13)? + ticks(14)?),
        })
    }
}

fn duration(ticks: u64) -> Duration {
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_with_parentheses_and_spaces_is_parsed() {
        let stat = Stat::parse("42 (a (b) c) S 7 1 1 0 -1 4194560 1 2 3 4 150 50 20 10 20 0 9 0 1 2 3").unwrap();
        assert_eq!((stat.name.as_str(), stat.parent), ("a (b) c", 7));
        assert_eq!((stat.own, stat.gone_children), (duration(200), duration(30)));
    }

    #[test]
    fn this_process_has_memory_and_a_parent() {
        let memory = memory(std::process::id()).unwrap();
        assert!(memory.peak >= memory.resident && memory.resident > 100_000);
        assert!(cpu_time_of_family(std::process::id()).is_some() && cpu_time_of_machine().is_some());
    }
}
