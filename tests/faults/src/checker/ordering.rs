//! An ordered endpoint takes its pushes in the order of the log, each linked to the one before it.

use std::collections::BTreeSet;

use super::{Seen, Violation};
use crate::{history::Push, snapshot::Snapshot};

pub(super) fn check(seen: &Seen, snapshot: &Snapshot) -> Vec<Violation> {
    let ordered = snapshot.cast.subscribers.iter().enumerate().filter(|(_, subscriber)| subscriber.ordered);
    ordered.filter_map(|(endpoint, _)| lane(seen, endpoint)).collect()
}

/// The first push that comes before its turn.
fn lane(seen: &Seen, endpoint: usize) -> Option<Violation> {
    let (mut taken, mut last) = (BTreeSet::new(), None::<i64>);
    for push in seen.pushes.iter().filter(|push| push.endpoint == endpoint && push.answered == 204) {
        // At least once: what was taken before is left out.
        if !taken.insert(&*push.delivery) {
            continue;
        }
        if let Some(last) = last
            && (push.previous != Some(last) || push.sequence <= last)
        {
            return Some(out_of_order(push, last));
        }
        last = Some(push.sequence);
    }
    None
}

fn out_of_order(push: &Push, last: i64) -> Violation {
    let Push { endpoint, sequence, previous, at, .. } = push;
    let detail = format!("endpoint {endpoint} took {sequence}, linked to {previous:?}, after {last}, at {at} ms");
    Violation::new("order", detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::testing::{self, push};

    fn found(pushes: Vec<Push>) -> usize {
        let (mut seen, snapshot) = testing::seen();
        seen.pushes = pushes;
        check(&seen, &snapshot).len()
    }

    #[test]
    fn repeats_and_refusals_are_in_order() {
        let refused = Push { answered: 500, ..push(0, 3, Some(2)) };
        assert_eq!(found(vec![push(0, 2, None), refused, push(0, 3, Some(2)), push(0, 2, None), push(0, 4, Some(3))]), 0);
    }

    #[test]
    fn a_push_before_its_turn_is_found() {
        assert_eq!(found(vec![push(0, 2, None), push(0, 4, Some(3)), push(0, 3, Some(2))]), 1);
        assert_eq!(found(vec![push(0, 4, None), push(0, 3, Some(4))]), 1);
    }

    #[test]
    fn a_plain_endpoint_has_no_order() {
        assert_eq!(found(vec![push(1, 4, Some(3)), push(1, 3, None)]), 0);
    }
}
