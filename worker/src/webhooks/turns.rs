//! Whose turn it is at an ordered endpoint: only what nothing earlier waits before.

use buildtrack_domain::ids::DeliveryId;
use buildtrack_store::{Delivery, FirstPending};
use chrono::{DateTime, Utc};

/// What is to be done with deliveries of an ordered endpoint.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    /// The first is sent, and these are left: none where all of them are settled.
    Send {
        /// In their order, with nothing pending before or between them.
        first: Vec<Delivery>,
        /// They wait for those.
        left: Vec<Delivery>,
    },
    /// An earlier one is due and no process holds it: it is to be claimed, and goes before these.
    Claim(DeliveryId, Vec<Delivery>),
    /// They wait for an earlier one, which is tried then or is another process's until then.
    Wait(DateTime<Utc>, Vec<Delivery>),
}

/// Decides about deliveries that this process holds, in the order of the log, by what is `pending` first at their endpoint.
///
/// **Invariant:** what is sent is a beginning of `pending`. **Invariant:** an endpoint whose first delivery is due never
/// waits: that delivery is sent, or claimed.
pub(crate) fn turn(mut held: Vec<Delivery>, pending: &[FirstPending], now: DateTime<Utc>) -> Turn {
    // Where nothing is pending, these were settled meanwhile.
    let Some(head) = pending.first() else { return Turn::Send { first: vec![], left: vec![] } };
    let Some(index) = held.iter().position(|delivery| delivery.id == head.id) else {
        return if head.next_at <= now { Turn::Claim(head.id, held) } else { Turn::Wait(head.next_at, held) };
    };
    held.drain(..index);
    let same = held.iter().zip(pending).take_while(|(delivery, first)| delivery.id == first.id).count();
    let left = held.split_off(same);
    Turn::Send { first: held, left }
}
