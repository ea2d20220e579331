//! Ordered delivery: decides which deliveries of an endpoint have no earlier pending delivery.

use buildtrack_domain::ids::DeliveryId;
use buildtrack_store::{Delivery, FirstPending};
use chrono::{DateTime, Utc};

/// The next step for deliveries of an ordered endpoint.
#[derive(Debug, Clone)]
pub(crate) enum NextStep {
    /// Send the first deliveries. Both lists are empty if all deliveries are settled.
    Send {
        /// In log order, with no pending delivery before or between them.
        first: Vec<Delivery>,
        /// They wait for `first`.
        left: Vec<Delivery>,
    },
    /// An earlier delivery is due and no process holds it: claim it, and send it before these.
    Claim(DeliveryId, Vec<Delivery>),
    /// Wait for an earlier delivery, which is due at this time or leased to another process until then.
    Wait(DateTime<Utc>, Vec<Delivery>),
}

/// Decides about deliveries that this process holds, in log order, given the first `pending` deliveries of their endpoint.
///
/// **Invariant:** the deliveries to send are a prefix of `pending`. **Invariant:** an endpoint whose first delivery is due
/// never waits: that delivery is sent or claimed.
pub(crate) fn next_step(mut held: Vec<Delivery>, pending: &[FirstPending], now: DateTime<Utc>) -> NextStep {
    // If nothing is pending, these deliveries were settled meanwhile.
    let Some(head) = pending.first() else { return NextStep::Send { first: vec![], left: vec![] } };
    let Some(index) = held.iter().position(|delivery| delivery.id == head.id) else {
        return if head.next_at <= now { NextStep::Claim(head.id, held) } else { NextStep::Wait(head.next_at, held) };
    };
    held.drain(..index);
    let same = held.iter().zip(pending).take_while(|(delivery, first)| delivery.id == first.id).count();
    let left = held.split_off(same);
    NextStep::Send { first: held, left }
}
