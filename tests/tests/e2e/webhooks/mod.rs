//! Webhooks: endpoints, secrets and test events; deliveries, replays, polled events, and notices to owners.

mod deliveries;
mod endpoints;
mod events;
mod health;
mod notices;
mod ping;
mod replays;
mod secrets;
