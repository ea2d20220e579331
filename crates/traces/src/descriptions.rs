//! Help texts of all metrics (`# HELP` in the Prometheus exposition format), and the build information.

use crate::process;

/// Every metric of this project: name and help text.
pub(crate) const METRICS: &[(&str, &str)] = &[
    ("buildtrack_arena_socket_errors_total", "Errors sent to agents on their arena sockets, by code."),
    ("buildtrack_arena_sockets", "Agents whose arena socket this process holds."),
    ("buildtrack_build_info", "Build information: the value is 1, the label is the version of the running program."),
    ("buildtrack_bus_publish_seconds", "Seconds from publishing a batch of notices until the broker confirmed it."),
    ("buildtrack_bus_published_total", "Notices confirmed by the broker."),
    ("buildtrack_bus_reconnects_total", "Reconnections to the broker after a lost connection, by purpose."),
    (
        "buildtrack_clock_skew_seconds",
        "Seconds by which this machine's clock is ahead of its reference (negative: behind).",
    ),
    (
        "buildtrack_clock_steps_total",
        "Times that this machine's clock had kept another time for ten minutes and became the reference (SQLite).",
    ),
    ("buildtrack_dead_letters_total", "Events moved to the dead letters after their last processing attempt."),
    ("buildtrack_http_seconds", "Seconds to answer an HTTP request, by method, route and status class."),
    (
        "buildtrack_live_gaps_total",
        "Live streams ended with a gap because the client was too far behind or too slow, by reason.",
    ),
    ("buildtrack_live_streams", "Open live streams in this process."),
    ("buildtrack_log_batch_size", "Commits per write transaction of the log."),
    ("buildtrack_log_conflicts_total", "Commits retried because another commit had changed their stream."),
    ("buildtrack_log_events_total", "Events appended to the log by this process."),
    (
        "buildtrack_log_rewound_total",
        "Losses of the database's last commits that this process detected, such as after a failover.",
    ),
    ("buildtrack_mails_total", "Attempts to hand a message to the SMTP server, by outcome."),
    ("buildtrack_notifications_total", "Notifications of owners, by channel and outcome."),
    ("buildtrack_queue_dead_letters", "Dead letters in the broker, by queue."),
    ("buildtrack_queue_depth", "Notices waiting in the broker, by queue."),
    ("buildtrack_rate_limited_total", "Requests refused because a rate limit was exhausted, by policy."),
    ("buildtrack_refused_total", "Requests, pushes and connections refused because a limit was reached, by reason."),
    (
        "buildtrack_rights_ended_total",
        "Rights that ended while their callers had connections or waiting requests open, by the code of the refusal.",
    ),
    ("buildtrack_search_behind", "Events not yet in the search index."),
    ("buildtrack_storage_free_bytes", "Free bytes on the file system of the data directory."),
    ("buildtrack_storage_low", "1 while writes are refused for lack of free storage, otherwise 0."),
    ("buildtrack_sweep_failures_total", "Failed and postponed items of background sweeps, by sweep."),
    ("buildtrack_task_failures_total", "Failures of background tasks that one process at a time runs, by task."),
    ("buildtrack_task_pushes_total", "Attempts to push an update of a task (A2A), by outcome."),
    ("buildtrack_traces_spans_total", "Spans handed to the trace exporter, by outcome."),
    ("buildtrack_unreadable_rows_total", "Rows skipped because they could not be read, by table."),
    ("buildtrack_webhook_attempt_seconds", "Duration of a delivery attempt in seconds."),
    ("buildtrack_webhook_attempts_total", "Delivery attempts, by outcome."),
    ("buildtrack_webhook_behind", "Events whose deliveries are not enqueued yet."),
    ("buildtrack_webhook_behind_seconds", "Age in seconds of the oldest event whose deliveries are not enqueued yet."),
    ("buildtrack_webhook_breakers", "Endpoints whose circuit breaker is open or half-open in this process, by state."),
    ("buildtrack_webhook_in_flight", "Running delivery attempts in this process."),
    ("buildtrack_webhook_pending", "Deliveries waiting for their next attempt."),
    ("buildtrack_webhook_replayed_total", "Deliveries enqueued by replays."),
];

/// Registers every help text with the installed recorder, and sets the build information.
pub fn describe_metrics(version: &'static str) {
    for (name, help) in METRICS.iter().copied().chain(process::METRICS) {
        // The recorder stores help texts by name, regardless of the metric's kind.
        metrics::describe_gauge!(name, help);
    }
    metrics::gauge!("buildtrack_build_info", "version" => version).set(1.0);
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        path::{Path, PathBuf},
    };

    use super::METRICS;

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }

    /// The metric names in the sources of the server, the worker and their crates.
    fn recorded() -> BTreeSet<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files = Vec::new();
        for folder in ["api", "worker/src"] {
            sources(&root.join(folder), &mut files);
        }
        for entry in std::fs::read_dir(root.join("crates")).unwrap() {
            sources(&entry.unwrap().path().join("src"), &mut files);
        }
        let mut names = BTreeSet::new();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for kind in ["counter!(", "gauge!(", "histogram!("] {
                for (at, _) in text.match_indices(kind).filter(|(at, _)| !text[..*at].ends_with("describe_")) {
                    let arguments = text[at + kind.len()..].trim_start();
                    let name = arguments.strip_prefix('"').and_then(|rest| rest.split('"').next());
                    names.extend(name.filter(|name| name.starts_with("buildtrack_")).map(ToOwned::to_owned));
                }
            }
        }
        names
    }

    #[test]
    fn every_metric_is_described_once_and_nothing_else_is() {
        let described: BTreeSet<_> = METRICS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(described.len(), METRICS.len(), "a metric is described twice");
        let mut recorded = recorded();
        // Recorded at many sites with different reasons, so no single site has to keep it.
        recorded.insert("buildtrack_refused_total".to_owned());
        assert_eq!(recorded, described);
    }
}
