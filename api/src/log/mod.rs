//! The log in public: what happened, in order, checkable from outside.

pub(crate) mod events;
