//! The figures of `deliver` as JSON.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde_json::{Value, json};

use super::figures::{Balance, Drain, Hanging, Latency, Run, Sustained, Title};
use crate::reference::Rates;
use crate::report::run::{median, number, others};

pub(crate) fn json(title: &Title, runs: &[Run]) -> Value {
    json!({
        "subject": title.subject,
        "connections": title.scene.connections,
        "workspaces": title.scene.workspaces,
        "seconds": title.seconds,
        "warmup": title.warmup,
        "medianRatio": median(runs.iter().filter_map(Run::ratio)),
        "medianBrokerRatio": median(runs.iter().filter_map(Run::broker_ratio)),
        "runs": runs.iter().map(run_json).collect::<Vec<_>>(),
    })
}

fn run_json(run: &Run) -> Value {
    let rates = |rates: Option<Rates>| rates.map(|rates| json!({"before": rates.before, "after": rates.after}));
    json!({
        "latency": run.latency.as_ref().map(latency_json),
        "sustained": run.sustained.as_ref().map(sustained_json),
        "fanOut": run.fan_out.as_ref().map(sustained_json),
        "drain": run.drain.as_ref().map(drain_json),
        "hanging": run.hanging.as_ref().map(hanging_json),
        "eventBytes": run.event_bytes,
        "peakBytes": run.peaks.as_ref().map(|peaks| json!({"server": peaks.server, "worker": peaks.worker})),
        "pgbench": rates(run.pgbench),
        "broker": rates(run.broker),
        "ratio": run.ratio(),
        "brokerRatio": run.broker_ratio(),
        "balances": run.balances.iter().map(balance_json).collect::<Vec<_>>(),
        "sound": run.is_sound(),
    })
}

fn latency_json(latency: &Latency) -> Value {
    json!({
        "rate": latency.rate,
        "deliveredMicros": quantiles(&latency.reckoning.latency),
        "answeredMicros": quantiles(&latency.answered),
        "lateMicros": quantiles(&latency.late),
    })
}

fn sustained_json(sustained: &Sustained) -> Value {
    let cpu = &sustained.cpu;
    let messages = number(sustained.reckoning.delivered.max(1));
    let millis = |time: Option<Duration>| time.map(|time| time.as_secs_f64() * 1000.0 / messages);
    json!({
        "deliveredPerSecond": sustained.per_second(),
        "seconds": sustained.took.as_secs_f64(),
        "acceptingSeconds": sustained.accepting.as_secs_f64(),
        "behind": sustained.behind,
        "receiverConnections": sustained.connections,
        "deliveredMicros": quantiles(&sustained.reckoning.latency),
        "answeredMicros": quantiles(&sustained.answered),
        "millisPerMessage": {
            "server": millis(cpu.server),
            "worker": millis(cpu.worker),
            "postgres": millis(cpu.postgres),
            "generator": millis(cpu.generator),
            "others": millis(others(cpu)),
        },
    })
}

fn drain_json(drain: &Drain) -> Value {
    json!({
        "backlog": drain.backlog,
        "trickle": drain.trickle,
        "readyMillis": drain.ready.as_secs_f64() * 1000.0,
        "seconds": drain.took.as_secs_f64(),
        "perSecond": drain.per_second(),
    })
}

fn hanging_json(hanging: &Hanging) -> Value {
    json!({
        "endpoints": hanging.listeners,
        "hanging": hanging.hanging,
        "messagesPerSecond": hanging.rate,
        "pushesPerSecond": hanging.per_second(),
        "unanswered": hanging.hung,
        "deliveredMicros": quantiles(&hanging.reckoning.latency),
    })
}

fn balance_json(balance: &Balance) -> Value {
    let reckoning = &balance.reckoning;
    json!({
        "accepted": reckoning.accepted,
        "unknown": balance.faults.unknown,
        "neverStarted": balance.faults.untaken,
        "expected": reckoning.expected,
        "delivered": reckoning.delivered,
        "lost": reckoning.lost(),
        "duplicates": reckoning.duplicates,
        "strangers": reckoning.strangers,
    })
}

fn quantiles(times: &Histogram<u64>) -> Value {
    let at = |quantile| times.value_at_quantile(quantile);
    json!({"p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "max": at(1.0)})
}
