//! Inboxes: the unread events of each recipient, and their acknowledgement.
//!
//! **Invariant:** the content of an inbox is a function of the log. An event creates at most one item for each
//! recipient, and none for the actor that caused it, so the event's position identifies the item. **Invariant:** an
//! acknowledgement names positions that are already on the log, so it never covers later items.

mod acknowledgement;
mod item;
mod suggestions;

pub use acknowledgement::{Acknowledge, Inbox, InboxAcknowledged, InboxEvent};
pub use item::{Item, ItemKind, Settlement, items, settlement};
pub use suggestions::{Moved, SUGGESTED, Said, moved, uncriticised, wanted};

/// The maximum number of positions in one acknowledgement.
pub const POSITIONS_MAX: u64 = 200;
