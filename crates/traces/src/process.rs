//! Resource usage of this process, under the metric names of Prometheus' client libraries. On Linux, from proc(5).

use rustix::{
    param::{clock_ticks_per_second, page_size},
    process::{Resource, getrlimit},
};

/// The metrics: name and help text.
pub(crate) const METRICS: [(&str, &str); 6] = [
    ("process_cpu_seconds_total", "Processor time of this process in seconds, in user and system mode."),
    ("process_max_fds", "Maximum number of open file descriptors."),
    ("process_open_fds", "Number of open file descriptors."),
    ("process_resident_memory_bytes", "Resident memory of this process in bytes."),
    ("process_start_time_seconds", "Start time of this process, in seconds since the Unix epoch."),
    ("process_virtual_memory_bytes", "Virtual memory of this process in bytes."),
];

/// Updates the metrics. Without proc(5), all but the file descriptor limit stay unset.
pub fn measure_process() {
    if let Some(limit) = getrlimit(Resource::Nofile).current {
        gauge("process_max_fds", to_float(limit));
    }
    if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
        // Reading the folder opens it, which counts as one.
        gauge("process_open_fds", to_float(u64::try_from(open.count()).unwrap_or(u64::MAX).saturating_sub(1)));
    }
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let Some(Usage { ticks, started, virtual_bytes, resident_pages }) = Usage::parse(&stat) else { return };
    let per_second = to_float(clock_ticks_per_second());
    // A gauge, because this recorder's counters are integers. The value never decreases.
    gauge("process_cpu_seconds_total", to_float(ticks) / per_second);
    gauge("process_virtual_memory_bytes", to_float(virtual_bytes));
    gauge(
        "process_resident_memory_bytes",
        to_float(resident_pages.saturating_mul(u64::try_from(page_size()).unwrap_or(u64::MAX))),
    );
    let boot = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    if let Some(boot) = boot.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse::<u64>().ok()) {
        gauge("process_start_time_seconds", to_float(boot) + to_float(started) / per_second);
    }
}

fn gauge(name: &'static str, value: f64) {
    metrics::gauge!(name).set(value);
}

#[expect(clippy::cast_precision_loss, reason = "2^53 bytes or ticks are out of reach")]
const fn to_float(number: u64) -> f64 {
    number as f64
}

/// Values of /proc/self/stat, in the units of proc(5).
#[derive(Debug, PartialEq, Eq)]
struct Usage {
    ticks: u64,
    started: u64,
    virtual_bytes: u64,
    resident_pages: u64,
}

impl Usage {
    fn parse(stat: &str) -> Option<Self> {
        // The program name is in parentheses and may contain anything. Field 3 follows it.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(Self {
            ticks: field(14)?.checked_add(field(15)?)?,
            started: field(22)?,
            virtual_bytes: field(23)?,
            resident_pages: field(24)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_shift_fields() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194304 10 0 0 0 120 30 0 0 20 0 4 0 9000 4096000 250 0 0";
        let usage = Usage { ticks: 150, started: 9000, virtual_bytes: 4_096_000, resident_pages: 250 };
        assert_eq!(Usage::parse(stat), Some(usage));
        assert_eq!(Usage::parse(""), None);
    }
}
