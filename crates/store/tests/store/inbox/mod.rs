//! Inboxes: what comes in, what is read, and what goes again.

pub(crate) mod cast;
mod filling;
mod items;
mod names;
mod reading;
mod suggestions;
