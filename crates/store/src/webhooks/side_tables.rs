//! Changes to the side tables of webhooks: endpoints, deliveries, replays and notices. Secrets are sealed.

use buildtrack_domain::ids::{DeliveryId, NoticeId, ReplayId, WebhookId};
use chrono::{DateTime, Utc};

use super::{
    NewDelivery, NewNotice, Outcome, ReplayStep, ReplayView, WaitsFor, WebhookView,
    deliveries::{self, Claim},
    notices, replays, settings,
};
use crate::{
    StoreError,
    database::{Db, Tx, values},
    log::TextRemoval,
    log::context::{Enqueued, Expiry, Phase, Rule, SideTable},
};

/// One change to a side table of webhooks.
#[derive(Debug, Clone)]
pub enum Change {
    /// Write a webhook endpoint.
    Webhook(Box<WebhookView>),
    /// Delete an endpoint, and cancel its pending deliveries.
    WebhookDeleted {
        /// The endpoint.
        id: WebhookId,
    },
    /// Cancel an endpoint's pending deliveries.
    DeliveriesCancelled {
        /// The endpoint.
        webhook_id: WebhookId,
    },
    /// Clear an endpoint's failures: close its breaker, and make its pending deliveries due.
    FailuresForgiven {
        /// The endpoint.
        webhook_id: WebhookId,
    },
    /// Close an endpoint's breaker, and make the deliveries postponed for it due. Retries keep their due times.
    BreakerClosed {
        /// The endpoint.
        webhook_id: WebhookId,
    },
    /// Record that an endpoint responded with 2xx to a push signed with its secret, so that it is verified at this address.
    Verified {
        /// The endpoint.
        webhook_id: WebhookId,
        /// The address that was called. Has no effect if the endpoint has another address by now.
        url: String,
    },
    /// Create a notice for an owner.
    Notice(NewNotice),
    /// Mark a notice as read.
    NoticeRead {
        /// The notice's id.
        id: NoticeId,
    },
    /// Enqueue deliveries.
    Deliveries(Vec<NewDelivery>),
    /// Record outcomes of attempts.
    Outcomes(Vec<Outcome>),
    /// Make a delivery due now, regardless of its status.
    Resent {
        /// The delivery's id.
        id: DeliveryId,
    },
    /// Cancel a pending delivery.
    DeliveryCancelled {
        /// The delivery's id.
        id: DeliveryId,
    },
    /// Begin a replay. Has no effect if a replay to the same endpoint is running.
    Replay(Box<ReplayView>),
    /// Record a step of a replay, if the replay is still at the step's start.
    ReplayStep(Box<ReplayStep>),
    /// Cancel a running replay.
    ReplayCancelled {
        /// The replay's id.
        id: ReplayId,
    },
    /// Open an endpoint's breaker: no attempt is made before `until`. Counts no attempt.
    Postponed {
        /// The endpoint.
        webhook_id: WebhookId,
        /// When the next attempt is allowed.
        until: DateTime<Utc>,
        /// The breaker's number of resets, if known. Has no effect if the breaker was closed since.
        resets: Option<i64>,
    },
    /// Release leased deliveries without an attempt. Any worker may claim them from `at` on.
    Released {
        /// The deliveries' ids.
        deliveries: Vec<DeliveryId>,
        /// When they become due.
        at: DateTime<Utc>,
        /// Why they are postponed.
        waits_for: Option<WaitsFor>,
    },
    /// Lease due deliveries.
    Claim(Claim),
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::Webhook(_)
            | Self::FailuresForgiven { .. }
            | Self::BreakerClosed { .. }
            | Self::Verified { .. }
            | Self::Notice(_)
            | Self::Resent { .. }
            | Self::Replay(_)
            | Self::ReplayStep(_) => Rule::ROW,
            Self::WebhookDeleted { .. } => Rule::in_phase(Phase::Deletions).essential(),
            Self::DeliveriesCancelled { .. } => Rule::in_phase(Phase::Cancellations).essential(),
            Self::NoticeRead { .. } | Self::DeliveryCancelled { .. } | Self::ReplayCancelled { .. } => {
                Rule::ROW.essential()
            }
            Self::Deliveries(_) => Rule::in_phase(Phase::Deliveries),
            Self::Outcomes(_) => Rule::in_phase(Phase::Deliveries).essential().repeatable(),
            Self::Postponed { .. } | Self::Released { .. } => Rule::in_phase(Phase::Releases).essential().repeatable(),
            Self::Claim(_) => Rule::in_phase(Phase::Claims).repeatable().essential(),
        }
    }

    async fn write(
        tx: &mut Tx<'_>,
        changes: &[&Self],
        now: DateTime<Utc>,
        enqueued: &mut Enqueued,
    ) -> Result<(), StoreError> {
        let (mut new, mut outcomes) = (vec![], vec![]);
        for change in changes {
            match change {
                Self::Deliveries(deliveries) => new.extend_from_slice(deliveries),
                Self::Outcomes(more) => outcomes.extend_from_slice(more),
                other => other.write_one(tx, now).await?,
            }
        }
        enqueued.extend(deliveries::write(tx, &new, &outcomes, now).await?);
        Ok(())
    }
}

impl Change {
    async fn write_one(&self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        match self {
            Self::Webhook(webhook) => settings::write(tx, webhook, now).await,
            Self::WebhookDeleted { id } => {
                deliveries::cancel_all(tx, *id, now).await?;
                settings::delete(tx, *id).await
            }
            Self::DeliveriesCancelled { webhook_id } => deliveries::cancel_all(tx, *webhook_id, now).await,
            Self::FailuresForgiven { webhook_id } => deliveries::clear_failures(tx, *webhook_id, now).await,
            Self::BreakerClosed { webhook_id } => deliveries::close_breaker(tx, *webhook_id, now).await,
            Self::Verified { webhook_id, url } => settings::verify(tx, *webhook_id, url, now).await,
            Self::Notice(notice) => notices::write(tx, notice, now).await,
            Self::NoticeRead { id } => notices::read(tx, *id, now).await,
            Self::Resent { id } => deliveries::resend(tx, *id, now).await,
            Self::DeliveryCancelled { id } => deliveries::cancel(tx, *id, now).await,
            Self::Replay(replay) => replays::begin(tx, replay).await,
            Self::ReplayStep(step) => replays::step(tx, step, now).await,
            Self::ReplayCancelled { id } => replays::cancel(tx, *id, now).await,
            Self::Postponed { webhook_id, until, resets } => {
                deliveries::postpone(tx, *webhook_id, *until, *resets).await
            }
            Self::Released { deliveries, at, waits_for } => deliveries::release(tx, deliveries, *at, *waits_for).await,
            Self::Claim(claim) => claim.run(tx, now).await,
            // Written together, once for the transaction.
            Self::Deliveries(_) | Self::Outcomes(_) => Ok(()),
        }
    }
}

/// Cancels pushes of the removed texts, and clears stored responses, because a receiver may have echoed the payload. Runs after the
/// changes that create, cancel and delete deliveries.
pub(crate) async fn remove_texts(
    tx: &mut Tx<'_>,
    phase: Phase,
    removals: &[TextRemoval<'_>],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    if phase == Phase::Deletions {
        for removal in removals {
            remove_text(tx, *removal, now).await?;
        }
    }
    Ok(())
}

async fn remove_text(tx: &mut Tx<'_>, removal: TextRemoval<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
    match removal {
        TextRemoval::Stream(stream) => {
            cancel_pushes_of(tx, stream, now).await?;
            clear_responses(tx, stream).await
        }
        TextRemoval::Event(position) => {
            tx.execute(
                "UPDATE attempts SET response = NULL WHERE response IS NOT NULL \
                 AND delivery_id IN (SELECT id FROM deliveries WHERE position = $1)",
                values![position],
            )
            .await?;
            Ok(())
        }
    }
}

async fn cancel_pushes_of(tx: &mut Tx<'_>, stream: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE status = 'pending' AND position IN \
         (SELECT position FROM events WHERE stream = $1)",
        values![stream, now],
    )
    .await?;
    Ok(())
}

/// Clears stored responses to a stream's events.
async fn clear_responses(tx: &mut Tx<'_>, stream: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE attempts SET response = NULL WHERE response IS NOT NULL AND delivery_id IN (SELECT deliveries.id \
         FROM deliveries JOIN events ON events.position = deliveries.position WHERE stream = $1)",
        values![stream],
    )
    .await?;
    Ok(())
}

pub(crate) async fn prune(tx: &mut Tx<'_>, expiry: Expiry, _: DateTime<Utc>) -> Result<(), StoreError> {
    deliveries::prune(tx, expiry.settled_until, expiry.limit).await
}

pub(crate) async fn has_expired(db: &Db, expiry: Expiry, _: DateTime<Utc>) -> Result<bool, StoreError> {
    deliveries::has_settled(db, expiry.settled_until).await
}
