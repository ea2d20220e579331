//! An allowance holds in sum over all servers: within no time are more requests answered than it allows.

use std::collections::BTreeMap;

use super::{Seen, Violation};
use crate::history::{Claim, Outcome};

/// Milliseconds in which the whole allowance comes back.
const MINUTE: u64 = 60_000;
/// Clocks are read at the servers: this much of the time between two requests may be theirs.
const APART: u64 = 1500;

pub(super) fn check(seen: &Seen, restarts: u32) -> Vec<Violation> {
    let mut subjects = BTreeMap::<(&str, u32), Vec<(u64, u64)>>::new();
    for operation in seen.operations.iter().filter(|operation| operation.outcome == Outcome::Acknowledged) {
        if let Claim::Limited { subject, quota } = &operation.claim {
            subjects.entry((subject, *quota)).or_default().push((operation.start, operation.end));
        }
    }
    subjects
        .into_iter()
        .filter_map(|((subject, quota), requests)| exceeded(subject, quota, requests, restarts))
        .collect()
}

/// The first time at which more was allowed than the whole allowance and what came back meanwhile.
fn exceeded(subject: &str, quota: u32, mut requests: Vec<(u64, u64)>, restarts: u32) -> Option<Violation> {
    requests.sort_unstable();
    for (first, (start, _)) in requests.iter().enumerate() {
        for last in first..requests.len() {
            let end = requests[first..=last].iter().map(|(_, end)| *end).max().unwrap_or(0);
            let count = u64::try_from(last + 1 - first).unwrap_or(u64::MAX);
            let back = u64::from(quota) * (end.saturating_sub(*start) + APART) / MINUTE;
            if count > u64::from(quota) * u64::from(1 + restarts) + back {
                let detail = format!("{subject}: {count} requests allowed at {start}..{end} ms, {quota} a minute");
                return Some(Violation::new("limits", detail));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{checker::testing::acknowledged, history::Operation};

    fn found(requests: u64, apart: u64, restarts: u32) -> usize {
        let request = |number: u64| Operation {
            start: number * apart,
            end: number * apart + 10,
            ..acknowledged(Claim::Limited { subject: "one".to_owned(), quota: 20 })
        };
        check(&Seen { operations: (0..requests).map(request).collect(), ..Seen::default() }, restarts).len()
    }

    #[test]
    fn a_sum_above_the_allowance_is_found() {
        assert_eq!((found(20, 10, 0), found(22, 10, 0), found(40, 10, 0)), (0, 1, 1));
        assert_eq!((found(40, 10, 1), found(60, 10, 1)), (0, 1));
    }

    #[test]
    fn what_comes_back_may_be_used() {
        assert_eq!(found(100, 3000, 0), 0);
        assert_eq!(found(100, 2000, 0), 1);
    }
}
