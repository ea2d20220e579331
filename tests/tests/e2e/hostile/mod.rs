//! What a hostile caller tries.

mod enumeration;
mod suspension;

pub(crate) use suspension::crowd;
