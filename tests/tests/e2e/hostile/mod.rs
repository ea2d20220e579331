//! What a hostile caller tries.

mod enumeration;
mod suspension;
