//! The log in public: what happened, in order, checkable from outside; page by page, and as it goes on.

pub(crate) mod events;
pub(crate) mod live;
