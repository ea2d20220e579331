//! Inboxes: the unread events of each recipient, and their acknowledgement. Each context declares the items of its own
//! events: see [`Meaning::inbox`](crate::event::Meaning::inbox).
//!
//! **Invariant:** the content of an inbox is a function of the log. An event creates at most one item for each
//! recipient, and none for the actor that caused it, so the event's position identifies the item. **Invariant:** an
//! acknowledgement names positions that are already on the log, so it never covers later items.

pub use crate::inbox_items::{InboxChange, Item, ItemKind, Removal};

mod acknowledgement;
mod suggestions;

pub use acknowledgement::{Acknowledge, Inbox, InboxAcknowledged, InboxEvent};
pub use suggestions::{Moved, RecentMessage, SUGGESTED, moved, uncriticised, wanted};

/// The maximum number of positions in one acknowledgement.
pub const POSITIONS_MAX: u64 = 200;
