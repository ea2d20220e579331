//! The public log over HTTP: pages with verifiable hashes, and live streams.

pub(crate) mod events;
pub(crate) mod live;
