//! The figures of `messages` as JSON.

use std::time::Duration;

use serde_json::{Value, json};

use super::run::{Run, Title, Usage, cores, median, micros_each, others, per_second};
use crate::load::{Cpu, Outcome};
use crate::pace::Pace;

pub(crate) fn json(title: &Title, runs: &[Run]) -> Value {
    json!({
        "subject": title.subject,
        "connections": title.scene.connections,
        "agents": title.scene.agents,
        "workspaces": title.scene.workspaces,
        "seconds": title.seconds,
        "warmup": title.warmup,
        "medianRatio": median(runs.iter().filter_map(Run::ratio)),
        "runs": runs.iter().map(run_json).collect::<Vec<_>>(),
    })
}

fn run_json(run: &Run) -> Value {
    json!({
        "loops": run.loops.iter().map(loop_json).collect::<Vec<_>>(),
        "ratio": run.ratio(),
        "pgbench": run.reference.map(|rates| json!({"before": rates.before, "after": rates.after})),
        "eventBytes": run.event_bytes,
        "usage": run.usage.as_ref().map(usage_json),
        "messageCount": run.count.stored,
        "accepted": run.count.accepted,
        "unknown": run.count.unknown,
        "verified": run.verified,
        "sound": run.is_sound(),
    })
}

fn loop_json(outcome: &Outcome) -> Value {
    let latency = |quantile| outcome.totals.latency.value_at_quantile(quantile);
    let window = outcome.window.as_ref();
    let cores = |time: fn(&Cpu) -> Option<Duration>| window.and_then(|window| Some(cores(window, time(&window.cpu)?)));
    let rate = match outcome.pace {
        Pace::Open { rate } => Some(rate),
        Pace::Closed | Pace::Count { .. } => None,
    };
    let refusals = outcome.totals.refusals.iter();
    json!({
        "rate": rate,
        "acceptedPerSecond": window.map(per_second),
        "latencyMicros": {"p50": latency(0.5), "p99": latency(0.99), "p999": latency(0.999), "max": latency(1.0)},
        "cores": {
            "server": cores(|cpu| cpu.server),
            "generator": cores(|cpu| cpu.generator),
            "postgres": cores(|cpu| cpu.postgres),
            "others": cores(others),
        },
        "serverMicrosPerMessage": window.and_then(|window| Some(micros_each(window, window.cpu.server?))),
        "neverStarted": outcome.untaken,
        "refused": refusals.map(|(status, refusals)| (status.to_string(), refusals.count.into())).collect::<serde_json::Map<_, _>>(),
    })
}

fn usage_json(usage: &Usage) -> Value {
    json!({
        "readyMillisNew": usage.start_new.as_secs_f64() * 1000.0,
        "readyMillisExisting": usage.start_existing.as_secs_f64() * 1000.0,
        "idleBytesNew": usage.idle_new,
        "idleBytesExisting": usage.idle_existing,
        "peakBytes": usage.peak,
    })
}
