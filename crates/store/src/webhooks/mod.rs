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
    Attempt, AttemptView, Delivery, DeliveryFilter, DeliveryStatus, DeliveryView, EndpointHealth, FirstPending,
    NewDelivery, Outcome, QueueDepth, StoredBreaker, Verdict, WaitsFor,
};
pub use endpoints::Endpoint;
pub use notices::{NewNotice, NoticeFilter, NoticeKind, NoticeView};
pub use replays::{ReplayStatus, ReplayStep, ReplayView, Replayed};
pub use subscribers::{PushedEvent, Subscriber};
pub use subscriptions::{EventPage, Subscription};

use crate::read_tables::ReadTable;
pub(crate) use crate::read_tables::has_no_event_texts as rewrite_text;
pub(crate) use pushed_events::project;
pub use side_tables::Change;
pub(crate) use side_tables::{has_expired, prune, remove_texts};
pub use view::WebhookView;

/// The read tables of this context.
pub(crate) const READ_TABLES: &[ReadTable] = &[ReadTable::new("pushed_events", "position", &[])];
