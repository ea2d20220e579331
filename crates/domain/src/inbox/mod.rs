//! Inboxes: what happened to somebody, and how far that has been read.
//!
//! **Invariant:** what is in an inbox is a function of the log; an event leads to one item at most for each whom it
//! concerns, and to none for who caused it, so that its position names the item. **Invariant:** an acknowledgement names
//! positions that are on the log already, so it never covers what comes later.

mod acknowledgement;
mod item;
mod suggestions;

pub use acknowledgement::{Acknowledge, Inbox, InboxAcknowledged, InboxEvent};
pub use item::{Item, ItemKind, Settlement, items, settlement};
pub use suggestions::{Moved, SUGGESTED, Said, moved, uncriticised, wanted};

/// Positions of one acknowledgement.
pub const POSITIONS_MAX: u64 = 200;
