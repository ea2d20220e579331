//! What every metric means (`# HELP` in Prometheus' text), and which build this is.

use crate::process;

/// Every metric of this project, by name.
pub(crate) const METRICS: &[(&str, &str)] = &[
    ("buildtrack_build_info", "1, with the version of the running program as a label."),
    ("buildtrack_bus_publish_seconds", "Time until the broker confirmed a batch of notices."),
    ("buildtrack_bus_published_total", "Notices that the broker confirmed."),
    ("buildtrack_bus_reconnects_total", "Connections to the broker that were made again after a loss, by purpose."),
    ("buildtrack_clock_skew_seconds", "How far this machine's clock is ahead of its reference."),
    ("buildtrack_dead_letters_total", "Events that a consumer could not process and put aside."),
    ("buildtrack_http_seconds", "Time to answer a request, by method, route and status class."),
    (
        "buildtrack_live_gaps_total",
        "Live streams that ended because the reader was too far behind or too slow, by reason.",
    ),
    ("buildtrack_live_streams", "Live streams that are open in this process."),
    ("buildtrack_log_batch_size", "Commits that were written to the log in one transaction."),
    ("buildtrack_log_conflicts_total", "Commits that were decided again because their stream had changed."),
    ("buildtrack_log_events_total", "Events that this process appended to the log."),
    ("buildtrack_log_rewound_total", "Times that this process found the database to have lost its last commits."),
    ("buildtrack_mails_total", "Messages handed to the mail server, by outcome."),
    ("buildtrack_queue_dead_letters", "Dead letters that wait in the broker, by queue."),
    ("buildtrack_queue_depth", "Notices that wait in the broker, by queue."),
    ("buildtrack_rate_limited_total", "Requests refused because a quota was used up, by policy."),
    ("buildtrack_refused_total", "Work refused because a bound was reached, by reason."),
    ("buildtrack_search_behind", "Events that are not yet in the search index."),
    ("buildtrack_storage_free_bytes", "Free bytes where the data are."),
    ("buildtrack_storage_low", "1 while writes are refused because too little storage is free, else 0."),
    ("buildtrack_sweep_failures_total", "Items that a sweep could not process and put off, by sweep."),
    ("buildtrack_traces_spans_total", "Spans handed to the exporter of traces, by outcome."),
    ("buildtrack_unreadable_rows_total", "Rows that could not be read and were passed over, by table."),
    ("buildtrack_webhook_attempt_seconds", "Time that one attempt to deliver took."),
    ("buildtrack_webhook_attempts_total", "Attempts to deliver to an endpoint, by outcome."),
    ("buildtrack_webhook_behind", "Events for which deliveries have not been enqueued yet."),
    ("buildtrack_webhook_behind_seconds", "Age of the oldest event for which deliveries have not been enqueued yet."),
    ("buildtrack_webhook_breakers", "Endpoints that are left alone for a while because they keep failing, by state."),
    ("buildtrack_webhook_in_flight", "Deliveries that are being attempted at this moment."),
    ("buildtrack_webhook_pending", "Deliveries that wait for an attempt."),
    ("buildtrack_webhook_replayed_total", "Deliveries that replays enqueued."),
];

/// Describes every metric to the installed recorder, and records which build runs.
pub fn describe_metrics(version: &'static str) {
    for (name, help) in METRICS.iter().copied().chain(process::METRICS) {
        // The kind is the recorder's own affair: descriptions are kept by name.
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

    /// The names that the sources of the server, the worker and their crates record under.
    fn recorded() -> BTreeSet<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files = Vec::new();
        for folder in ["api/src", "worker/src"] {
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
        // One metric for all that is refused, wherever that happens.
        recorded.insert("buildtrack_refused_total".to_owned());
        assert_eq!(recorded, described);
    }
}
