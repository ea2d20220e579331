//! Protocol documents (seed: «Protocol Documents and Hashing»).

mod hash;

pub use hash::{DocumentHash, InvalidHash};
