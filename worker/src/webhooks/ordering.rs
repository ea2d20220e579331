//! Ordered delivery: decides which deliveries of an endpoint have no earlier pending delivery.

use buildtrack_domain::ids::DeliveryId;
use buildtrack_store::{Delivery, FirstPending, Store, StoreError};
use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

use super::{LEASE, gaps::Gaps, policy::DeliveryPolicy};

/// When a delivery that waits for an earlier event to be dispatched is examined again.
const GAP_WAIT: TimeDelta = TimeDelta::milliseconds(100);

/// Orders the deliveries of endpoints with ordered delivery.
#[derive(Debug)]
pub(crate) struct OrderedDelivery {
    store: Store,
    gaps: Gaps,
}

/// The deliveries of one endpoint, in log order.
#[derive(Debug, Default)]
pub(crate) struct Split {
    /// They may be sent now.
    pub(crate) sendable: Vec<Delivery>,
    /// They wait for an earlier delivery.
    pub(crate) left: Vec<Delivery>,
    /// If none may be sent: when the earlier delivery is attempted at the latest.
    pub(crate) blocked_until: Option<DateTime<Utc>>,
}

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

impl OrderedDelivery {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, gaps: Gaps::default() }
    }

    /// Splits the deliveries of an endpoint. Those of an ordered endpoint may be sent if no earlier delivery is pending in any
    /// process and no earlier event is undispatched. An earlier delivery that is due is claimed here, because the lane of waiting
    /// deliveries may have no capacity for it; `claimed` receives it with the end of its lease.
    pub(crate) async fn split(
        &self,
        deliveries: Vec<Delivery>,
        policy: DeliveryPolicy,
        claimed: &mut Option<(DeliveryId, Instant)>,
    ) -> Result<Split, StoreError> {
        let wait = |left, until| Split { sendable: vec![], left, blocked_until: Some(until) };
        if !policy.ordered {
            return Ok(Split { sendable: deliveries, ..Split::default() });
        }
        let Some(webhook_id) = deliveries.first().map(|delivery| delivery.webhook_id) else {
            return Ok(Split::default());
        };
        let limit = i64::try_from(policy.batch).unwrap_or(1);
        // Read before the pending deliveries, which then include every delivery that was written until now.
        let last = deliveries.iter().map(|delivery| delivery.position).max().unwrap_or(0);
        let gap = self.gaps.first_before(&self.store, last).await?;
        let (pending, now) =
            (self.store.webhooks().first_pending(webhook_id, limit).await?, self.store.log().clock().now());
        let mut next = next_step(deliveries, &pending, now);
        if let NextStep::Claim(id, mut held) = next {
            let until = Instant::now() + LEASE;
            let Some(head) = self.store.webhooks().claim_one(LEASE, id).await? else {
                // Another process has claimed it.
                return Ok(wait(held, now));
            };
            *claimed = Some((id, until));
            held.insert(0, head);
            next = next_step(held, &pending, now);
        }
        Ok(match next {
            NextStep::Send { mut first, mut left } => {
                let mut waiting = first.split_off(first.partition_point(|it| gap.is_none_or(|gap| it.position < gap)));
                waiting.append(&mut left);
                let blocked_until = (first.is_empty() && !waiting.is_empty()).then_some(now + GAP_WAIT);
                Split { sendable: first, left: waiting, blocked_until }
            }
            NextStep::Wait(until, held) => wait(held, until),
            NextStep::Claim(_, held) => wait(held, now),
        })
    }
}
