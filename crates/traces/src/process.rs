//! What this process uses of the machine, under the names that Prometheus' client libraries give it. On Linux, from proc(5).

use rustix::{
    param::{clock_ticks_per_second, page_size},
    process::{Resource, getrlimit},
};

/// The measurements by name, with what they mean.
pub(crate) const METRICS: [(&str, &str); 6] = [
    ("process_cpu_seconds_total", "Processor time of this process, in user and system mode."),
    ("process_max_fds", "Files and connections that this process may have open."),
    ("process_open_fds", "Files and connections that this process has open."),
    ("process_resident_memory_bytes", "Memory of this process that is in RAM."),
    ("process_start_time_seconds", "When this process started, in seconds since 1970."),
    ("process_virtual_memory_bytes", "Address space of this process."),
];

/// Measures this process. Where there is no proc(5), what it would say stays unknown.
pub fn measure_process() {
    if let Some(limit) = getrlimit(Resource::Nofile).current {
        gauge("process_max_fds", to_float(limit));
    }
    if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
        // The folder that is read is open itself.
        gauge("process_open_fds", to_float(u64::try_from(open.count()).unwrap_or(u64::MAX).saturating_sub(1)));
    }
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let Some(Usage { ticks, started, virtual_bytes, resident_pages }) = Usage::parse(&stat) else { return };
    let per_second = to_float(clock_ticks_per_second());
    // A gauge keeps the fractions of a second, which a counter of this recorder has not; it never falls.
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

/// What /proc/self/stat says, in the units of proc(5).
#[derive(Debug, PartialEq, Eq)]
struct Usage {
    ticks: u64,
    started: u64,
    virtual_bytes: u64,
    resident_pages: u64,
}

impl Usage {
    fn parse(stat: &str) -> Option<Self> {
        // The program's name stands in brackets and may hold anything. Behind it comes field 3.
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
    fn a_name_with_spaces_and_brackets_shifts_nothing() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194304 10 0 0 0 120 30 0 0 20 0 4 0 9000 4096000 250 0 0";
        let usage = Usage { ticks: 150, started: 9000, virtual_bytes: 4_096_000, resident_pages: 250 };
        assert_eq!(Usage::parse(stat), Some(usage));
        assert_eq!(Usage::parse(""), None);
    }
}
