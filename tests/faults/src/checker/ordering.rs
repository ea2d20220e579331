//! An ordered endpoint takes its pushes in the order of the log. The links of every endpoint's pushes make one chain.
//!
//! A link names what was enqueued before, which several workers may do out of the order of the log: it is compared as a link.

use std::collections::{BTreeMap, BTreeSet};

use super::{Seen, Violation};
use crate::{history::Push, snapshot::Snapshot};

pub(super) fn check(seen: &Seen, snapshot: &Snapshot) -> Vec<Violation> {
    let subscribers = snapshot.cast.subscribers.iter().enumerate();
    let lanes = subscribers.clone().filter(|(_, subscriber)| subscriber.ordered);
    let order = lanes.filter_map(|(endpoint, _)| lane(seen, endpoint));
    let chains = subscribers.filter_map(|(endpoint, subscriber)| chain(seen, snapshot, (endpoint, &subscriber.id)));
    order.chain(chains).collect()
}

/// The first push that comes after a later one.
fn lane(seen: &Seen, endpoint: usize) -> Option<Violation> {
    let (mut taken, mut last) = (BTreeSet::new(), None::<&Push>);
    for push in seen.pushes.iter().filter(|push| push.endpoint == endpoint && push.answered == 204) {
        // At least once: what was taken before is left out.
        if !taken.insert(&*push.delivery) {
            continue;
        }
        if let Some(last) = last.filter(|last| push.sequence <= last.sequence) {
            let (sequence, at) = (push.sequence, push.at);
            let detail =
                format!("endpoint {endpoint} took {sequence} at {at} ms, after {} at {} ms", last.sequence, last.at);
            return Some(Violation::new("order", detail));
        }
        last = Some(push);
    }
    None
}

/// The first push whose link leads nowhere, or where another's leads too.
fn chain(seen: &Seen, snapshot: &Snapshot, (endpoint, webhook): (usize, &str)) -> Option<Violation> {
    let rows = snapshot.deliveries.iter().filter(|row| row.webhook == webhook);
    let known: BTreeSet<i64> = rows.map(|row| row.position).collect();
    let mut followers = BTreeMap::<i64, i64>::new();
    for push in seen.pushes.iter().filter(|push| push.endpoint == endpoint) {
        let Some(previous) = push.previous else { continue };
        let follower = *followers.entry(previous).or_insert(push.sequence);
        if follower != push.sequence || !known.contains(&previous) {
            let detail = format!("endpoint {endpoint}: {} and {follower} are both linked to {previous}", push.sequence);
            return Some(Violation::new("links", detail));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::testing::{self, push};

    fn found(pushes: Vec<Push>) -> Vec<&'static str> {
        let (mut seen, mut snapshot) = testing::seen();
        seen.pushes = pushes;
        snapshot.deliveries.push(crate::snapshot::Delivery { position: 2, ..snapshot.deliveries[1].clone() });
        check(&seen, &snapshot).into_iter().map(|violation| violation.invariant).collect()
    }

    #[test]
    fn repeats_and_refusals_are_in_order() {
        let refused = Push { answered: 500, ..push(0, 3, Some(2)) };
        let pushes = vec![push(0, 2, None), refused, push(0, 3, Some(2)), push(0, 2, None), push(0, 4, Some(3))];
        assert_eq!(found(pushes), [""; 0]);
    }

    #[test]
    fn links_may_lead_forward() {
        assert_eq!(found(vec![push(0, 2, Some(3)), push(0, 3, None), push(0, 4, Some(2))]), [""; 0]);
    }

    #[test]
    fn a_push_after_a_later_one_is_found() {
        assert_eq!(found(vec![push(0, 2, None), push(0, 4, Some(3)), push(0, 3, Some(2))]), ["order"]);
    }

    #[test]
    fn a_link_that_forks_or_leads_nowhere_is_found() {
        assert_eq!(found(vec![push(0, 3, Some(2)), push(0, 4, Some(2))]), ["links"]);
        assert_eq!(found(vec![push(0, 3, Some(99))]), ["links"]);
    }

    #[test]
    fn a_plain_endpoint_has_no_order() {
        assert_eq!(found(vec![push(1, 4, Some(2)), push(1, 2, None)]), [""; 0]);
    }
}
