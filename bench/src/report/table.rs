//! The figures of `messages` as a compact table.

use std::fmt::Write as _;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::run::{Count, Run, Title, Usage, cores, median, micros_each, number, others, per_second};
use crate::load::{Cpu, Outcome, Window};
use crate::pace::Pace;
use crate::reference::Rates;

pub(crate) fn table(title: &Title, run: &Run) -> String {
    let mut lines = vec![heading(title, run)];
    lines.extend(run.loops.iter().flat_map(loop_lines));
    lines.extend(run.reference.map(reference_line));
    lines
        .extend(run.ratio().map(|ratio| line("ratio", &format!("{ratio:.2} accepted messages a pgbench transaction"))));
    lines.extend(run.usage.as_ref().map(usage_line));
    lines.push(count_line(&run.count));
    lines.extend(run.verified.map(|passed| line("verified", if passed { "yes" } else { "NO" })));
    lines.extend(run.loops.iter().map(refusals).filter(|text| !text.is_empty()).map(|text| text.trim_end().to_owned()));
    lines.join("\n")
}

/// Every status other than 201 with its first body, one per line.
pub(crate) fn refusals(outcome: &Outcome) -> String {
    outcome.totals.refusals.iter().fold(String::new(), |mut text, (status, refusals)| {
        let sample = format!("{} times, first: {}", refusals.count, refusals.sample);
        let _ = writeln!(text, "{}", line(&format!("status {status}"), &sample));
        text
    })
}

/// The median over several runs.
pub(crate) fn summary(runs: &[Run]) -> Option<String> {
    if runs.len() < 2 {
        return None;
    }
    let accepted = median(runs.iter().filter_map(|run| Some(per_second(run.loops.first()?.window.as_ref()?))))?;
    let ratio =
        median(runs.iter().filter_map(Run::ratio)).map(|ratio| format!(", ratio {ratio:.2}")).unwrap_or_default();
    Some(line("median", &format!("{accepted:.0} accepted/s{ratio} ({} runs)", runs.len())))
}

fn heading(title: &Title, run: &Run) -> String {
    let Title { subject, scene, seconds, warmup } = title;
    let (connections, agents, workspaces) = (scene.connections, scene.agents, scene.workspaces);
    let event = run.event_bytes.map_or("size not shown by the log".to_owned(), |bytes| format!("{bytes} bytes"));
    format!(
        "{subject} · {connections} connections · {agents} agents · {workspaces} workspaces · {seconds} s after {warmup} s · stored event: {event}"
    )
}

fn loop_lines(outcome: &Outcome) -> Vec<String> {
    let name = match outcome.pace {
        Pace::Closed => "closed loop".to_owned(),
        Pace::Open { rate } => format!("open {rate}/s"),
        Pace::Count { messages } => format!("{messages} in all"),
    };
    let Some(window) = &outcome.window else {
        return vec![line(&name, "ended too early")];
    };
    let mut rate = format!("{:.0} accepted/s · {}", per_second(window), quantiles(&outcome.totals.latency));
    if matches!(outcome.pace, Pace::Open { .. }) {
        let _ = write!(rate, " · started late by p99 {}", milliseconds(outcome.totals.delay.value_at_quantile(0.99)));
    }
    if outcome.untaken > 0 {
        let _ = write!(rate, " · {} NEVER STARTED", outcome.untaken);
    }
    vec![line(&name, &rate), line("  cpu", &costs(window))]
}

pub(super) fn quantiles(latency: &Histogram<u64>) -> String {
    let at = |quantile| milliseconds(latency.value_at_quantile(quantile));
    format!("p50 {} · p99 {} · p99.9 {} · max {}", at(0.5), at(0.99), at(0.999), at(1.0))
}

fn milliseconds(microseconds: u64) -> String {
    format!("{:.1} ms", number(microseconds) / 1000.0)
}

fn costs(window: &Window) -> String {
    let Cpu { server, generator, postgres, .. } = window.cpu;
    let others = others(&window.cpu);
    let parties = [("server", server), ("generator", generator), ("postgres", postgres), ("kernel and others", others)];
    let party = |(name, time): (&str, Option<Duration>)| {
        let time = time?;
        Some(format!("{name} {:.2} cores, {:.0} µs/message", cores(window, time), micros_each(window, time)))
    };
    parties.into_iter().filter_map(party).collect::<Vec<_>>().join(" · ")
}

pub(super) fn reference_line(rates: Rates) -> String {
    let Rates { before, after } = rates;
    let unsteady = if rates.is_steady() { "" } else { " · UNSTEADY: something else ran" };
    let setting = "16 clients, 600-byte jsonb";
    let mean = rates.mean();
    line("pgbench", &format!("{mean:.0} transactions/s (before {before:.0}, after {after:.0}; {setting}){unsteady}"))
}

fn usage_line(usage: &Usage) -> String {
    let start =
        format!("new database {} ms · existing {} ms", usage.start_new.as_millis(), usage.start_existing.as_millis());
    let memory = format!(
        "idle {} new, {} existing · peak {}",
        megabytes(usage.idle_new),
        megabytes(usage.idle_existing),
        megabytes(usage.peak)
    );
    format!("{}\n{}", line("ready", &start), line("memory", &memory))
}

fn count_line(count: &Count) -> String {
    let Count { accepted, unknown, stored } = count;
    let verdict = if count.agrees() { "agree" } else { "DISAGREE" };
    line("messageCount", &format!("{stored}, answered 201: {accepted}, unknown: {unknown}: {verdict}"))
}

pub(super) fn line(name: &str, text: &str) -> String {
    format!("{name:<14}{text}")
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", number(bytes) / 1e6)
}
