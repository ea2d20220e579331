//! Inboxes over HTTP: items, acknowledgements, suggestions of next steps, and mentions in texts.

pub(crate) mod acknowledgements;
pub(crate) mod items;
pub(crate) mod mentions;
pub(crate) mod next;
mod schemas;
