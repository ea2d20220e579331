//! Compares the history of a run with its state at the end. Pure: every check is a function of the two, and has tests that
//! show that it finds what it is for.

mod deliveries;
mod events;
mod limits;
mod log;
mod ordering;
mod reads;
mod registers;
mod standings;
mod streams;
#[cfg(test)]
mod testing;

use std::fmt::{self, Display, Formatter};

use crate::{
    history::{Entry, Exit, Frame, Operation, Push},
    plan::{FaultKind, Plan, Topology},
    snapshot::Snapshot,
};

/// `EX_UNAVAILABLE`: the database or the broker could not be reached at a start, and a service manager starts it again.
const UNAVAILABLE: i32 = 69;

/// A promise that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// Which promise.
    pub(crate) invariant: &'static str,
    pub(crate) detail: String,
}

impl Violation {
    pub(crate) fn new(invariant: &'static str, detail: impl Into<String>) -> Self {
        Self { invariant, detail: detail.into() }
    }
}

impl Display for Violation {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "✗ {}: {}", self.invariant, self.detail)
    }
}

/// The history by kinds, each in the order in which it was recorded.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) operations: Vec<Operation>,
    pub(crate) pushes: Vec<Push>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) exits: Vec<Exit>,
}

impl Seen {
    fn of(entries: &[Entry]) -> Self {
        let mut seen = Self::default();
        for entry in entries {
            match entry {
                Entry::Operation(operation) => seen.operations.push(operation.clone()),
                Entry::Push(push) => seen.pushes.push(push.clone()),
                Entry::Frame(frame) => seen.frames.push(frame.clone()),
                Entry::Exit(exit) => seen.exits.push(exit.clone()),
                Entry::FaultBegins { .. } | Entry::FaultEnds { .. } => (),
            }
        }
        seen
    }
}

/// Whether reputations and accounts are what the log makes of them.
pub(crate) fn is_counted(snapshot: &Snapshot) -> bool {
    standings::check(snapshot).is_empty()
}

/// Everything that is wrong.
pub(crate) fn check(plan: &Plan, entries: &[Entry], snapshot: &Snapshot) -> Vec<Violation> {
    let seen = Seen::of(entries);
    [
        log::check(snapshot),
        events::check(&seen, snapshot),
        registers::check(&seen, snapshot),
        reads::check(&seen),
        deliveries::check(&seen, snapshot),
        ordering::check(&seen, snapshot),
        standings::check(snapshot),
        limits::check(&seen, restarts(plan)),
        streams::check(&seen, snapshot),
        exits(&seen),
    ]
    .concat()
}

/// How often the allowances begin anew: those of the embedded server are in its memory, as far as it was restarted. Its wall clock
/// does not matter.
fn restarts(plan: &Plan) -> u32 {
    let restarts = plan.faults.iter().map(|fault| match fault.kind {
        FaultKind::Kill { .. } if plan.topology == Topology::Embedded => 1,
        FaultKind::FullDisk { .. } => 2,
        _ => 0,
    });
    restarts.sum()
}

/// No process ends by itself, but one that cannot reach its database or broker when it starts.
fn exits(seen: &Seen) -> Vec<Violation> {
    let unexpected = seen.exits.iter().filter(|exit| exit.code != Some(UNAVAILABLE));
    unexpected.map(|exit| Violation::new("processes", format!("{} ended with {:?}", exit.process, exit.code))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        history::{Claim, Outcome},
        plan::Fault,
    };

    #[test]
    fn what_is_in_order_has_no_violation() {
        let (entries, snapshot) = testing::in_order();
        assert_eq!(check(&Plan::of(1, None, 2), &entries, &snapshot), []);
    }

    #[test]
    fn a_wrong_wall_clock_renews_no_allowance() {
        let second = std::time::Duration::from_secs(1);
        let fault = |kind| Fault { at: second, lasts: second, kind };
        let plan = |faults| Plan { faults, ..Plan::of(0, Some(Topology::Embedded), 0) };
        let skews = [-86_400, 3600].map(|seconds| fault(FaultKind::Skew { process: 0, seconds }));
        assert_eq!(restarts(&plan(skews.into())), 0);
        assert_eq!(restarts(&plan(vec![fault(FaultKind::Kill { process: 0 })])), 1);
    }

    #[test]
    fn a_process_that_ends_by_itself_is_found() {
        let exit = |code| Exit { at: 1, process: "server-0".to_owned(), code };
        let seen = Seen { exits: vec![exit(Some(UNAVAILABLE)), exit(Some(101)), exit(None)], ..Seen::default() };
        assert_eq!(exits(&seen).len(), 2);
    }

    #[test]
    fn a_lost_event_is_found_through_all_checks() {
        let (mut entries, snapshot) = testing::in_order();
        let claim = Claim::Event { event_type: "message.posted".to_owned(), marker: "nowhere".to_owned() };
        entries.push(Entry::Operation(testing::operation(Outcome::Acknowledged, claim)));
        let found = check(&Plan::of(1, None, 2), &entries, &snapshot);
        assert_eq!(found.iter().map(|it| it.invariant).collect::<Vec<_>>(), ["lost"]);
    }
}
