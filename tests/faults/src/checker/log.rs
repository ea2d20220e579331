//! The log: positions without gaps, times that go forward and are no guess, and `verify-log`, which checks the hash chain and
//! compares the read tables with a rebuild.

use chrono::TimeDelta;

use super::Violation;
use crate::snapshot::{Event, Snapshot};

/// How far the servers' time may be ahead (`clock` of the store: one second), and how far back between two of them.
const AHEAD: TimeDelta = TimeDelta::milliseconds(1500);
const APART: TimeDelta = TimeDelta::milliseconds(2500);

pub(super) fn check(snapshot: &Snapshot) -> Vec<Violation> {
    let mut found: Vec<_> = [gaps(snapshot), times(snapshot)].concat();
    if snapshot.verified.code != Some(0) {
        let (code, printed) = (snapshot.verified.code, &snapshot.verified.printed);
        found.push(Violation::new("verify-log", format!("exit code {code:?}: {printed}")));
    }
    if let Some(unsettled) = &snapshot.unsettled {
        found.push(Violation::new("at rest", unsettled));
    }
    found.extend(snapshot.panics.iter().map(|line| Violation::new("panics", line)));
    found
}

fn gaps(snapshot: &Snapshot) -> Vec<Violation> {
    let positions: Vec<i64> = snapshot.events.iter().map(|event| event.position).collect();
    let expected: Vec<i64> = (1..=snapshot.head).collect();
    if positions == expected {
        return vec![];
    }
    let missing = expected.iter().find(|position| !positions.contains(position));
    vec![Violation::new(
        "positions",
        format!("{} events up to {}, missing first: {missing:?}", positions.len(), snapshot.head),
    )]
}

fn times(snapshot: &Snapshot) -> Vec<Violation> {
    let early = snapshot.events.iter().find(|event| event.recorded_at > snapshot.taken_at + AHEAD);
    let back = snapshot.events.windows(2).find(|pair| pair[1].recorded_at + APART < pair[0].recorded_at);
    let described = |event: &Event| format!("position {} is recorded at {}", event.position, event.recorded_at);
    let early = early.map(|event| Violation::new("times", format!("{}, in the future", described(event))));
    let back =
        back.map(|pair| Violation::new("times", format!("{}, and then {}", described(&pair[0]), described(&pair[1]))));
    early.into_iter().chain(back).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::testing;

    fn found(break_it: impl FnOnce(&mut Snapshot)) -> Vec<&'static str> {
        let (_, mut snapshot) = testing::seen();
        break_it(&mut snapshot);
        check(&snapshot).into_iter().map(|violation| violation.invariant).collect()
    }

    #[test]
    fn a_gap_is_found() {
        assert_eq!(found(|snapshot| drop(snapshot.events.remove(1))), ["positions"]);
        assert_eq!(found(|snapshot| snapshot.head = 7), ["positions"]);
    }

    #[test]
    fn times_in_the_future_and_times_that_go_back_are_found() {
        assert_eq!(found(|snapshot| snapshot.events[5].recorded_at += TimeDelta::hours(1)), ["times"]);
        assert_eq!(found(|snapshot| snapshot.events[2].recorded_at -= TimeDelta::hours(1)), ["times"]);
    }

    #[test]
    fn a_log_that_is_not_in_order_and_one_that_was_not_checked_are_found() {
        assert_eq!(found(|snapshot| snapshot.verified.code = Some(1)), ["verify-log"]);
        assert_eq!(found(|snapshot| snapshot.verified.code = Some(69)), ["verify-log"]);
    }

    #[test]
    fn unrest_and_panics_are_found() {
        assert_eq!(found(|snapshot| snapshot.unsettled = Some("3 deliveries".to_owned())), ["at rest"]);
        assert_eq!(found(|snapshot| snapshot.panics = vec!["server-0: panicked at".to_owned()]), ["panics"]);
    }
}
