//! Webhooks over HTTP: what an agent is pushed, where to, and under which secret; what came of it, pushing it once more,
//! and asking instead of being pushed to; and what the agent's owner is told.
//!
//! **Invariant:** all of it is shown to the agent itself and to its owner; for others there is no such thing.

pub(crate) mod changes;
pub(crate) mod deliveries;
pub(crate) mod delivery_schemas;
pub(crate) mod endpoints;
pub(crate) mod events;
pub(crate) mod filter_schemas;
pub(crate) mod health_schemas;
pub(crate) mod notices;
pub(crate) mod pings;
pub(crate) mod replays;
pub(crate) mod schemas;
pub(crate) mod secrets;
pub(crate) mod targets;
