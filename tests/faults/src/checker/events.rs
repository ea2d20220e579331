//! No acknowledged event is lost, none is doubled, and what was refused did not happen.

use std::collections::HashMap;

use super::{Seen, Violation};
use crate::{
    history::{Claim, Operation, Outcome},
    snapshot::{Event, Snapshot},
};

pub(super) fn check(seen: &Seen, snapshot: &Snapshot) -> Vec<Violation> {
    let mut by_type: HashMap<&str, Vec<&Event>> = HashMap::new();
    for event in &snapshot.events {
        by_type.entry(&event.event_type).or_default().push(event);
    }
    let judge = |operation: &Operation| {
        let Claim::Event { event_type, marker } = &operation.claim else { return None };
        let of_type = by_type.get(&**event_type).map_or(&[][..], |events| events);
        let found: Vec<i64> = of_type.iter().filter(|it| it.text.contains(&**marker)).map(|it| it.position).collect();
        judge(operation, &found)
    };
    seen.operations.iter().filter_map(judge).collect()
}

fn judge(operation: &Operation, found: &[i64]) -> Option<Violation> {
    let Operation { kind, client, outcome, attempts, start, end, .. } = operation;
    let described = format!(
        "{kind} of client {client} at {start}..{end} ms ({outcome:?} after {attempts} attempts, {:?}): positions {found:?}",
        operation.claim
    );
    match (outcome, found) {
        (_, [_, _, ..]) => Some(Violation::new("doubled", described)),
        (Outcome::Acknowledged, []) => Some(Violation::new("lost", described)),
        (Outcome::Refused, [_]) => Some(Violation::new("refused", described)),
        (Outcome::Acknowledged, [position]) if operation.position.is_some_and(|it| it != *position) => {
            Some(Violation::new("misplaced", format!("{described}, answered {:?}", operation.position)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::testing::{self, message};

    fn found(break_it: impl FnOnce(&mut Seen, &mut Snapshot)) -> Vec<&'static str> {
        let (mut seen, mut snapshot) = testing::seen();
        break_it(&mut seen, &mut snapshot);
        check(&seen, &snapshot).into_iter().map(|violation| violation.invariant).collect()
    }

    #[test]
    fn a_lost_event_is_found() {
        assert_eq!(found(|_, snapshot| drop(snapshot.events.remove(2))), ["lost"]);
    }

    #[test]
    fn a_doubled_event_is_found_whatever_was_answered() {
        for outcome in [Outcome::Acknowledged, Outcome::Unknown, Outcome::Refused] {
            let doubled = found(|seen, snapshot| {
                seen.operations[0].outcome = outcome;
                let mut again = message(2, "ag_a");
                again.position = 9;
                snapshot.events.push(again);
            });
            assert_eq!(doubled, ["doubled"]);
        }
    }

    #[test]
    fn a_refused_event_that_happened_and_one_that_stands_elsewhere_are_found() {
        assert_eq!(found(|seen, _| seen.operations[0].outcome = Outcome::Refused), ["refused"]);
        assert_eq!(found(|seen, _| seen.operations[0].position = Some(77)), ["misplaced"]);
    }

    #[test]
    fn what_is_unknown_may_have_happened_or_not() {
        assert_eq!(found(|seen, _| seen.operations[0].outcome = Outcome::Unknown), [""; 0]);
        let unknown = |seen: &mut Seen, snapshot: &mut Snapshot| {
            seen.operations[0].outcome = Outcome::Unknown;
            snapshot.events.remove(1);
        };
        assert_eq!(found(unknown), [""; 0]);
    }
}
