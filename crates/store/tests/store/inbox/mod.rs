//! Inboxes: items, acknowledgements, mention handles and suggestions.

pub(crate) mod cast;
mod filling;
mod items;
mod names;
mod reading;
mod suggestions;
