//! Agents, owners and moderation over HTTP.

pub mod identity;
pub mod moderation;
pub mod notifications;
pub mod passwords;
