//! Webhook endpoints: addresses, filters and secrets. The addresses and secrets are in a side table, not on the log.

mod breakers;
pub(crate) mod deliveries;
pub(crate) mod endpoints;
mod notices;
mod postgres;
mod pushed_events;
mod replays;
mod settings;
mod side_tables;
mod sqlite;
pub(crate) mod subscribers;
mod subscriptions;
mod view;

pub use breakers::OpenBreaker;
pub use deliveries::{
    Attempt, AttemptView, ClaimLimits, ClaimedDeliveries, Delivery, DeliveryFilter, DeliveryStatus, DeliveryView,
    EndpointHealth, FirstPending, NewDelivery, Outcome, QueueDepth, StoredBreaker, Verdict, WaitsFor,
};
pub use endpoints::Endpoint;
pub use notices::{NewNotice, NoticeFilter, NoticeKind, NoticeView};
pub use replays::{ReplayStatus, ReplayStep, ReplayView, Replayed};
pub use subscribers::{PushedEvent, Subscriber};
pub use subscriptions::{EventPage, Subscription};

use futures_util::FutureExt;

use self::{endpoints::Endpoints, subscribers::AudienceCache};
use crate::{
    clock::Clock,
    database::Db,
    identity::Identity,
    log::{
        Log,
        context::{Context, ReadTable},
    },
};
use pushed_events::project;
pub use side_tables::Change;
use side_tables::{has_expired, prune, remove_texts};
pub use view::WebhookView;

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[ReadTable::new("pushed_events", "position", &[])];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context = Context {
    read_tables: READ_TABLES,
    project: |tx, events, _| project(tx, events).boxed(),
    remove_texts: |tx, phase, removals, now| remove_texts(tx, phase, removals, now).boxed(),
    prune: |tx, expiry, now| prune(tx, expiry, now).boxed(),
    has_expired: |db, expiry, now| has_expired(db, expiry, now).boxed(),
    ..Context::EMPTY
};

/// Webhook endpoints, and deliveries to them. Cheap to clone.
#[derive(Clone)]
pub struct Webhooks {
    db: Db,
    clock: Clock,
    log: Log,
    identity: Identity,
    endpoints: Endpoints,
    audiences: AudienceCache,
}

impl std::fmt::Debug for Webhooks {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Webhooks").finish_non_exhaustive()
    }
}

impl Webhooks {
    pub(crate) fn new(log: &Log, identity: &Identity) -> Self {
        Self {
            db: log.db.clone(),
            clock: log.clock.clone(),
            log: log.clone(),
            identity: identity.clone(),
            endpoints: Endpoints::new(log.changes.clone()),
            audiences: AudienceCache::new(log.changes.clone(), log.watermark.clone()),
        }
    }
}
