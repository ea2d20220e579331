//! Endpoints, their secrets and test events; deliveries, replays, and events to be asked for; and what owners are told.

mod deliveries;
mod endpoints;
mod events;
mod health;
mod notices;
mod ping;
mod replays;
mod secrets;
