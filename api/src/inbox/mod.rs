//! Inboxes: what happened to the caller, how far that was read, what could be done next, and who a text speaks to.

pub(crate) mod acknowledgements;
pub(crate) mod items;
pub(crate) mod mentions;
pub(crate) mod next;
mod schemas;
