//! The figures of `deliver` as a compact table.

use std::time::Duration;

use hdrhistogram::Histogram;

use super::figures::{Balance, Drain, Hanging, Latency, Peaks, Run, Sustained, Title};
use crate::load::Cpu;
use crate::reference::Rates;
use crate::report::run::{median, number, others};
use crate::report::table::{line, megabytes, quantiles, reference_line};

pub(crate) fn table(title: &Title, run: &Run) -> String {
    let mut lines = vec![heading(title, run)];
    lines.extend(run.latency.iter().flat_map(latency_lines));
    lines.extend(run.sustained.iter().flat_map(|sustained| sustained_lines("closed loop", sustained)));
    lines.extend(run.fan_out.iter().flat_map(|fan_out| sustained_lines("fan-out", fan_out)));
    lines.extend(run.peaks.as_ref().map(memory_line));
    lines.extend(run.drain.as_ref().map(drain_line));
    lines.extend(run.hanging.as_ref().map(hanging_line));
    lines.extend(run.pgbench.map(reference_line));
    lines.extend(run.broker.map(broker_line));
    let ratios = [(run.ratio(), "pgbench transaction"), (run.broker_ratio(), "message through RabbitMQ alone")];
    let ratio = |(ratio, of): (Option<f64>, &str)| Some(format!("{:.2} delivered messages a {of}", ratio?));
    let ratios: Vec<_> = ratios.into_iter().filter_map(ratio).collect();
    if !ratios.is_empty() {
        lines.push(line("ratio", &ratios.join(" · ")));
    }
    lines.extend(run.balances.iter().map(balance_line));
    lines.join("\n")
}

/// The medians over several runs.
pub(crate) fn summary(runs: &[Run]) -> Option<String> {
    if runs.len() < 2 {
        return None;
    }
    let of =
        |text: fn(f64) -> String, figure: fn(&Run) -> Option<f64>| median(runs.iter().filter_map(figure)).map(text);
    let parts = [
        of(|time| format!("p50 {time:.1} ms"), |run| Some(millis(&run.latency.as_ref()?.reckoning.latency, 0.5))),
        of(|time| format!("p99 {time:.1} ms"), |run| Some(millis(&run.latency.as_ref()?.reckoning.latency, 0.99))),
        of(|time| format!("p99.9 {time:.1} ms"), |run| Some(millis(&run.latency.as_ref()?.reckoning.latency, 0.999))),
        of(|rate| format!("{rate:.0} delivered/s"), |run| Some(run.sustained.as_ref()?.per_second())),
        of(|ratio| format!("ratio {ratio:.2}"), Run::ratio),
        of(|ratio| format!("to RabbitMQ alone {ratio:.2}"), Run::broker_ratio),
        of(|rate| format!("fan-out {rate:.0} pushes/s"), |run| Some(run.fan_out.as_ref()?.per_second())),
        of(|time| format!("drained in {time:.1} s"), |run| Some(run.drain.as_ref()?.took.as_secs_f64())),
        of(
            |time| format!("beside hanging ones p99 {time:.1} ms"),
            |run| Some(millis(&run.hanging.as_ref()?.reckoning.latency, 0.99)),
        ),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    Some(line("median", &format!("{} ({} runs)", parts.join(" · "), runs.len())))
}

fn millis(times: &Histogram<u64>, quantile: f64) -> f64 {
    number(times.value_at_quantile(quantile)) / 1000.0
}

fn heading(title: &Title, run: &Run) -> String {
    let Title { subject, scene, seconds, warmup } = title;
    let (connections, workspaces) = (scene.connections, scene.workspaces);
    let event = run.event_bytes.map(|bytes| format!(" · stored event: {bytes} bytes")).unwrap_or_default();
    format!(
        "{subject} · {connections} connections · {workspaces} workspaces with a listener · {seconds} s after {warmup} s{event}"
    )
}

fn latency_lines(latency: &Latency) -> [String; 2] {
    let delivered = format!("to the listener {}", quantiles(&latency.reckoning.latency));
    let late = format!("started late by p99 {:.1} ms", millis(&latency.late, 0.99));
    let answered = format!("to the 201      {} · {late}", quantiles(&latency.answered));
    [line(&format!("open {}/s", latency.rate), &delivered), line("", &answered)]
}

/// If a message has several listeners, the figures but the accepted ones are of pushes.
fn sustained_lines(name: &str, sustained: &Sustained) -> [String; 3] {
    let Sustained { accepting, took, behind, connections, reckoning, answered, .. } = sustained;
    let (seconds, accepting) = (took.as_secs_f64(), accepting.as_secs_f64());
    let rate = format!(
        "{:.0} accepted and delivered/s in {seconds:.2} s · accepted {:.0}/s in {accepting:.0} s, then {behind} behind",
        sustained.per_second(),
        number(reckoning.accepted) / accepting
    );
    let latency = format!(
        "to the listener {} · to the 201 p50 {:.1} ms · {connections} connections to listeners",
        quantiles(&reckoning.latency),
        millis(answered, 0.5)
    );
    [line(name, &rate), line("", &latency), line("  cpu", &costs(sustained))]
}

/// Processor time over the whole duration until the last delivery.
fn costs(sustained: &Sustained) -> String {
    let Cpu { server, worker, generator, postgres, .. } = sustained.cpu;
    let (seconds, messages) = (sustained.took.as_secs_f64(), number(sustained.reckoning.delivered.max(1)));
    let product = server.map(|server| server + worker.unwrap_or_default() + postgres.unwrap_or_default());
    let parties = [
        ("product", product),
        ("server", server),
        ("worker", worker),
        ("postgres", postgres),
        ("generator and receiver", generator),
        ("kernel and others", others(&sustained.cpu)),
    ];
    let party = |(name, time): (&str, Option<Duration>)| {
        let time = time?.as_secs_f64();
        Some(format!("{name} {:.2} cores, {:.3} ms/message", time / seconds, time * 1000.0 / messages))
    };
    parties.into_iter().filter_map(party).collect::<Vec<_>>().join(" · ")
}

fn memory_line(peaks: &Peaks) -> String {
    let peaks = [("server", peaks.server), ("worker", peaks.worker)];
    let peak = |(name, bytes): (&str, Option<u64>)| Some(format!("{name} peak {}", megabytes(bytes?)));
    line("memory", &peaks.into_iter().filter_map(peak).collect::<Vec<_>>().join(" · "))
}

fn drain_line(drain: &Drain) -> String {
    let Drain { backlog, trickle, ready, took, reckoning } = drain;
    let (seconds, ready, rate) = (took.as_secs_f64(), ready.as_millis(), drain.per_second());
    let verdict = if reckoning.lost() == 0 { "" } else { " · NOT DRAINED" };
    line(
        "drain",
        &format!(
            "{backlog} in {seconds:.1} s, {rate:.0}/s, ready after {ready} ms, while {trickle}/s arrived{verdict}"
        ),
    )
}

fn hanging_line(hanging: &Hanging) -> String {
    let Hanging { listeners, hanging: deaf, rate, hung, reckoning, .. } = hanging;
    let text = format!(
        "{deaf} of {listeners} endpoints ({hung} pushes unanswered) · {rate} messages/s · the others {:.0} pushes/s, to the listener {}",
        hanging.per_second(),
        quantiles(&reckoning.latency)
    );
    line("hanging", &text)
}

fn broker_line(rates: Rates) -> String {
    let Rates { before, after } = rates;
    let unsteady = if rates.is_steady() { "" } else { " · UNSTEADY: something else ran" };
    let mean = rates.mean();
    let setting = "quorum queue, persistent, window of 1000, 600 bytes";
    line(
        "RabbitMQ alone",
        &format!(" {mean:.0} published and consumed/s (before {before:.0}, after {after:.0}; {setting}){unsteady}"),
    )
}

fn balance_line(balance: &Balance) -> String {
    let (reckoning, faults) = (&balance.reckoning, &balance.faults);
    let (lost, duplicates, strangers) = (reckoning.lost(), reckoning.duplicates, reckoning.strangers);
    let verdict = if balance.is_sound() { "complete" } else { "UNSOUND" };
    let sent = format!("answered 201: {}, unknown: {}", reckoning.accepted, faults.unknown);
    let arrived = format!("pushes expected: {}, arrived: {}", reckoning.expected, reckoning.delivered);
    let text =
        format!("{sent} · {arrived}, lost: {lost}, duplicates: {duplicates}, unexpected: {strangers}: {verdict}");
    let untaken = (faults.untaken > 0).then(|| line("", &format!("{} messages NEVER STARTED", faults.untaken)));
    let refusals = Some(faults.refusals.trim_end().to_owned()).filter(|text| !text.is_empty());
    [Some(line("deliveries", &text)), untaken, refusals].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::deliver::Faults;
    use crate::report::deliver::figures::tests::reckoning;

    #[test]
    fn lost_pushes_are_shown() {
        let balance = Balance { reckoning: reckoning(5, 4, 0), faults: Faults::default() };
        let text = balance_line(&balance);
        assert!(text.contains("answered 201: 5") && text.contains("lost: 1") && text.ends_with("UNSOUND"), "{text}");
    }

    #[test]
    fn a_drain_is_timed_from_the_start_of_the_delivering_process() {
        let (ready, took) = (Duration::from_millis(90), Duration::from_secs(4));
        let drain = Drain { backlog: 20_000, trickle: 100, ready, took, reckoning: reckoning(20_400, 20_400, 0) };
        assert_eq!(drain_line(&drain), "drain         20000 in 4.0 s, 5000/s, ready after 90 ms, while 100/s arrived");
    }
}
